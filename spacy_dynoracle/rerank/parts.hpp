// The distinct parts of the trees of one sentence, numbered in the order of their first
// occurrence, and for each tree the numbers of its parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "weights/cpp/growing_table.hpp"

namespace dynoracle {

// A part of a tree. The kind says what the nodes and values mean; see templates.py.
// Unused nodes are -1, and unused values are 0. The features of the part have the value
// `amount`. The amount does not belong to the identity: kind, nodes and values must tell
// parts apart.
struct Part {
    int32_t kind;
    int32_t nodes[4];
    float amount = 1;
    uint64_t values[3];

    bool operator==(const Part& other) const {
        return kind == other.kind
            && std::equal(std::begin(nodes), std::end(nodes), other.nodes)
            && std::equal(std::begin(values), std::end(values), other.values);
    }

    uint64_t hash() const {
        constexpr uint64_t factor = 0x9E3779B97F4A7C15u;
        uint64_t x = uint32_t(kind);
        for (int32_t node : nodes) x = x * factor + uint32_t(node);
        for (uint64_t value : values) x = (x ^ x >> 32) * factor + value;
        x = (x ^ x >> 32) * 0xBF58476D1CE4E5B9u;
        return x ^ (x >> 29);
    }
};

class PartTable {
public:
    // Forget everything, but keep the memory.
    void clear() {
        by_hash_.clear();
        parts.clear();
        numbers.clear();
        ends.clear();
    }

    // Add a part to the tree that has not ended yet. If different parts have the same
    // hash, some of them are there twice, which changes no result.
    void add(const Part& part) {
        uint32_t& number = by_hash_.insert(part.hash());
        if (number == NEW || !(parts[number] == part)) {
            number = uint32_t(parts.size());
            parts.push_back(part);
        }
        numbers.push_back(number);
    }

    void end_tree() { ends.push_back(numbers.size()); }

    size_t start(size_t tree) const { return tree == 0 ? 0 : ends[tree - 1]; }

    std::vector<Part> parts;
    std::vector<uint32_t> numbers;
    std::vector<size_t> ends;

private:
    static constexpr uint32_t NEW = 0xFFFFFFFFu;

    GrowingTable<uint32_t, 64> by_hash_{10, NEW};
};

}  // namespace dynoracle
