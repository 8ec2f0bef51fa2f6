// The distinct parts of the trees of one sentence, numbered in the order of their first
// occurrence, and for each tree the numbers of its parts.
#pragma once

#include <cstddef>
#include <cstdint>
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

    // A hash of kind, nodes and values. Different parts have different hashes, except for
    // collisions of 64 bits.
    uint64_t identity() const {
        uint64_t x = uint64_t(uint32_t(kind)) * 0x9E3779B97F4A7C15u;
        x += uint64_t(uint32_t(nodes[0])) * 0xC2B2AE3D27D4EB4Fu;
        x += uint64_t(uint32_t(nodes[1])) * 0x165667B19E3779F9u;
        x += uint64_t(uint32_t(nodes[2])) * 0xD6E8FEB86659FD93u;
        x += uint64_t(uint32_t(nodes[3])) * 0xA0761D6478BD642Fu;
        x += values[0] * 0xE7037ED1A0B428DBu;
        x += values[1] * 0x8EBC6AF09C88C6E3u;
        x += values[2] * 0x589965CC75374CC3u;
        x ^= x >> 32;
        x *= 0xBF58476D1CE4E5B9u;
        return x ^ (x >> 29);
    }
};

class PartTable {
public:
    // Forget everything, but keep the memory.
    void clear() {
        by_identity_.clear();
        parts.clear();
        numbers.clear();
        ends.clear();
    }

    // Add a part to the tree that has not ended yet.
    void add(const Part& part) {
        uint32_t& number = by_identity_.insert(part.identity());
        if (number == NEW) {
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

    GrowingTable<uint32_t, 64> by_identity_{10, NEW};
};

}  // namespace dynoracle
