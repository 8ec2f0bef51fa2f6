// What tells apart the nodes of two configurations without looking at all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hashing.hpp"

namespace dynoracle {

// A hash of each block of nodes of a configuration. Derivations that separated long ago
// mostly have done the same since, so most of their blocks are equal.
class NodeBlocks {
public:
    static constexpr int SIZE = 64;

    // Begin with n nodes that are as in any other configuration that begins.
    void start(int n) {
        n_nodes_ = std::size_t(n);
        hashes_.assign((n_nodes_ + SIZE - 1) / SIZE, 0);
        is_stale_.assign(hashes_.size(), 0);
        stale_.clear();
    }

    // A node, counted from 0, may have changed.
    void touch(int node) {
        const std::size_t block = std::size_t(node) / SIZE;
        if (is_stale_[block]) return;
        is_stale_[block] = 1;
        stale_.push_back(block);
    }

    // All nodes from first to last may have changed.
    void touch_all(int first, int last) {
        for (int node = first; node < last; node += SIZE) touch(node);
        touch(last);
    }

    // Make `to`, the nodes of this configuration, equal to those of another one, both of
    // which come from the same configuration. node_bytes: of a node.
    void copy_nodes(
        char* to, NodeBlocks& other, const char* from, std::size_t node_bytes) {
        refresh(to, node_bytes);
        other.refresh(from, node_bytes);
        for (std::size_t block = 0; block < hashes_.size(); ++block) {
            if (hashes_[block] == other.hashes_[block]) continue;
            hashes_[block] = other.hashes_[block];
            const std::size_t start = block * SIZE * node_bytes;
            std::memcpy(to + start, from + start, n_bytes(block, node_bytes));
        }
    }

private:
    std::size_t n_nodes_ = 0;
    std::vector<std::uint64_t> hashes_;
    // The blocks whose hashes are those of nodes before they changed.
    std::vector<char> is_stale_;
    std::vector<std::size_t> stale_;

    std::size_t n_bytes(std::size_t block, std::size_t node_bytes) const {
        return std::min(n_nodes_ - block * SIZE, std::size_t(SIZE)) * node_bytes;
    }

    void refresh(const char* nodes, std::size_t node_bytes) {
        for (const std::size_t block : stale_) {
            is_stale_[block] = 0;
            hashes_[block] =
                hash_of(nodes + block * SIZE * node_bytes, n_bytes(block, node_bytes));
        }
        stale_.clear();
    }

    // n: a multiple of 8. There are several sums, because each step has to wait for the
    // one before it.
    static std::uint64_t hash_of(const char* bytes, std::size_t n) {
        constexpr int SUMS = 4;
        constexpr std::uint64_t FACTOR = 0x9E3779B97F4A7C15;
        std::uint64_t sums[SUMS] = {1, 2, 3, 4};
        for (std::size_t i = 0; i < n / sizeof(std::uint64_t); ++i) {
            std::uint64_t word;
            std::memcpy(&word, bytes + i * sizeof(word), sizeof(word));
            std::uint64_t& sum = sums[i % SUMS];
            sum = (sum ^ word) * FACTOR;
            sum ^= sum >> 32;
        }
        std::uint64_t all = 0;
        for (const std::uint64_t sum : sums) all = mix(all * FACTOR + sum);
        return all;
    }
};

}  // namespace dynoracle
