// What the ranker of lemmas looks up: counts of what is known, and weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weights/cpp/frozen_arrays.hpp"
#include "weights/cpp/growing_table.hpp"

namespace dynoracle {

// A table most of whose look-ups find nothing. To ask the table would be a branch that
// processors guess wrong, and a line of a slow cache. Bits tell most keys apart before.
template <int N_BITS>
class SparseTable {
public:
    // Make room for this number of keys, and forget those that are there.
    void reset(size_t n_keys) {
        size_t n_words = 1;
        while (n_words * WORD < n_keys * BITS_PER_KEY) n_words *= 2;
        set_words(n_words);
        table_.clear();
        table_.reserve(n_keys);
    }

    int& insert(uint64_t key) {
        if (table_.size() * BITS_PER_KEY >= bits_.size() * WORD) grow();
        bits_[place(key)] |= bit(key);
        return table_.insert(key);
    }

    // Whether a key may be there.
    bool is_likely(uint64_t key) const { return bits_[place(key)] >> (key % WORD) & 1; }

    // Copy those of n keys that may be there. Returns how many they are.
    size_t pick_likely(const uint64_t* keys, int n, uint64_t* likely) const {
        // Copies, because the compiler has to assume that writing changes the members.
        const uint64_t* bits = bits_.data();
        const size_t mask = mask_;
        size_t n_likely = 0;
        for (int i = 0; i < n; ++i) {
            const uint64_t key = keys[i];
            likely[n_likely] = key;
            n_likely += bits[(key / WORD) & mask] >> (key % WORD) & 1;
        }
        return n_likely;
    }

    // The value of a key, 0 if it is not there.
    int get(uint64_t key) const { return table_.get(key); }

    template <class Visit>
    void for_each(Visit visit) const {
        table_.for_each(visit);
    }

private:
    static constexpr size_t WORD = 64, BITS_PER_KEY = 16;
    static constexpr int MAX_LOAD = 75;

    GrowingTable<int, N_BITS, MAX_LOAD> table_{4, 0};
    std::vector<uint64_t> bits_{0};
    size_t mask_ = 0;

    // The upper bits of a key are its home in the table.
    static uint64_t bit(uint64_t key) { return uint64_t(1) << (key % WORD); }
    size_t place(uint64_t key) const { return (key / WORD) & mask_; }

    void set_words(size_t n) {
        bits_.assign(n, 0);
        mask_ = n - 1;
    }

    void grow() {
        set_words(2 * bits_.size());
        table_.for_each([&](uint64_t key, int) { bits_[place(key)] |= bit(key); });
    }
};

class Counts : public SparseTable<64> {
public:
    void add(uint64_t key) { ++insert(key); }

    // Whether a key was added more than n times.
    bool exceeds(uint64_t key, int n) const { return is_likely(key) && get(key) > n; }

    std::vector<uint64_t> keys() const {
        std::vector<uint64_t> found;
        for_each([&](uint64_t key, int) { found.push_back(key); });
        return found;
    }
};

// The weights of features for a single action.
class RankerWeights : SparseTable<KEY_BITS> {
public:
    // packed: keys with their weights, each as one number: the key has the upper KEY_BITS.
    void set(const uint64_t* packed, size_t n) {
        reset(n);
        for (size_t i = 0; i < n; ++i) {
            insert(packed[i] >> WEIGHT_BITS) = int16_t(packed[i]);
        }
    }

    std::vector<uint64_t> packed() const {
        std::vector<uint64_t> found;
        for_each([&](uint64_t key, int weight) { found.push_back(pack(key, weight)); });
        return found;
    }

    // The sum of the weights of N keys.
    template <int N>
    int sum(const uint64_t* keys) const {
        uint64_t likely[N];
        const size_t n_likely = pick_likely(keys, N, likely);
        int total = 0;
        for (size_t i = 0; i < n_likely; ++i) total += get(likely[i]);
        return total;
    }

    static uint64_t pack(uint64_t key, int weight) {
        return key << WEIGHT_BITS | uint16_t(weight);
    }

private:
    static constexpr int WEIGHT_BITS = 64 - KEY_BITS;
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
