// Finds the nodes in which two configurations differ without looking at all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hashing.hpp"

namespace dynoracle {

// A configuration's nodes in blocks, with a hash of each block. Derivations that separated
// long ago have mostly done the same since, so most of their blocks are equal. Blocks with
// equal hashes are taken for equal.
class NodeBlocks {
public:
    // Begin with n nodes that are as in any other configuration that begins.
    void start(int n) {
        n_nodes_ = std::size_t(n);
        hashes_.assign((n_nodes_ + SIZE - 1) / SIZE, 0);
        is_stale_.assign(hashes_.size(), 0);
        stale_.clear();
    }

    // Take over the hashes of another configuration, to which this one has become equal.
    void copy_from(const NodeBlocks& other) { *this = other; }

    // Say that a node, counted from 0, may have changed.
    void touch(int node) {
        const std::size_t block = std::size_t(node) / SIZE;
        if (is_stale_[block]) return;
        stale_.push_back(block);
        is_stale_[block] = 1;
    }

    // Make the nodes of this configuration, which begin at `to`, equal to those of another
    // one, which begin at `from`. Both configurations come from the same one. node_bytes:
    // the size of a node.
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
    static constexpr int SIZE = 64;

    std::size_t n_nodes_ = 0;
    std::vector<std::uint64_t> hashes_;
    // The blocks that may have changed since their hashes were computed.
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

    // There are several sums, because each step has to wait for the one before it.
    static std::uint64_t hash_of(const char* bytes, std::size_t n) {
        constexpr int SUMS = 4;
        constexpr std::uint64_t FACTOR = 0x9E3779B97F4A7C15;
        std::uint64_t sums[SUMS] = {1, 2, 3, 4};
        std::uint64_t word = 0;
        for (std::size_t i = 0; i * sizeof(word) < n; ++i) {
            const std::size_t start = i * sizeof(word);
            std::memcpy(&word, bytes + start, std::min(sizeof(word), n - start));
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
