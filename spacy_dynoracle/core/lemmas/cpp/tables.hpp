// What the ranker of lemmas looks up: counts of what is known, and weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weights/cpp/frozen_arrays.hpp"
#include "weights/cpp/growing_table.hpp"

namespace dynoracle {

using Counts = GrowingTable<int, 64>;

inline void count(Counts& counts, uint64_t key) { ++counts.insert(key); }

inline std::vector<uint64_t> keys_of(const Counts& counts) {
    std::vector<uint64_t> keys;
    counts.for_each([&](uint64_t key, int) { keys.push_back(key); });
    return keys;
}

// The weights of features for a single action. Most features of a candidate have none. To
// ask the table would be a branch that processors guess wrong, so bits tell most of them
// apart before.
class RankerWeights {
public:
    // packed: keys with their weights, each as one number: the key has the upper KEY_BITS.
    void set(const uint64_t* packed, size_t n) {
        table_.clear();
        table_.reserve(n);
        size_t n_words = 1;
        while (n_words * WORD < n * BITS_PER_KEY) n_words *= 2;
        bits_.assign(n_words, 0);
        for (size_t i = 0; i < n; ++i) {
            const uint64_t key = packed[i] >> WEIGHT_BITS;
            table_.insert(key) = int16_t(packed[i]);
            bits_[place(key)] |= bit(key);
        }
    }

    std::vector<uint64_t> packed() const {
        std::vector<uint64_t> found;
        table_.for_each(
            [&](uint64_t key, int weight) { found.push_back(pack(key, weight)); });
        return found;
    }

    // The sum of the weights of N keys.
    template <int N>
    int sum(const uint64_t* keys) const {
        uint64_t likely[N];
        size_t n_likely = 0;
        for (int i = 0; i < N; ++i) {
            likely[n_likely] = keys[i];
            n_likely += (bits_[place(keys[i])] & bit(keys[i])) != 0;
        }
        int total = 0;
        for (size_t i = 0; i < n_likely; ++i) total += table_.get(likely[i]);
        return total;
    }

    static uint64_t pack(uint64_t key, int weight) {
        return key << WEIGHT_BITS | uint16_t(weight);
    }

private:
    static constexpr int WEIGHT_BITS = 64 - KEY_BITS;
    static constexpr size_t WORD = 64, BITS_PER_KEY = 16;

    GrowingTable<int> table_{4, 0};
    std::vector<uint64_t> bits_{0};

    static uint64_t bit(uint64_t key) { return uint64_t(1) << (key % WORD); }
    size_t place(uint64_t key) const { return (key / WORD) & (bits_.size() - 1); }
};

// The weights of the only action of a model, packed. The model must have its keys.
inline std::vector<uint64_t> packed(const FrozenArrays& frozen) {
    std::vector<uint64_t> found;
    frozen.for_each([&](uint64_t key, int, int weight) {
        found.push_back(RankerWeights::pack(key, weight));
    });
    return found;
}

}  // namespace dynoracle
