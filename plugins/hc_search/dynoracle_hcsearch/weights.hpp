// The weights of whole-tree features, one for each feature, in training and in a frozen
// reranker. Weights in training have a correction beside them, for exact averaging.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hashing.hpp"
#include "weights/cpp/growing_table.hpp"
#include "weights/cpp/vectors.hpp"

namespace dynoracle {

// Weights in training.
class RankingWeights {
public:
    size_t size() const { return table_.size(); }

    // The sum of the weights of some keys, which are added in the given order.
    double sum(const uint64_t* keys, int n_keys) const {
        for (int i = 0; i < n_keys; ++i) table_.prefetch_slot(keys[i]);
        double total = 0;
        for (int i = 0; i < n_keys; ++i) total += table_.get(keys[i]).weight;
        return total;
    }

    // Add delta to a weight. time: number of the current vector among the vectors that
    // are averaged, counted from 0.
    void add(uint64_t key, double delta, double time) {
        Averaged& entry = table_.insert(key);
        entry.weight += float(delta);
        entry.correction += float(time * delta);
    }

    // Write all keys and their averaged weights. n: number of vectors that are averaged.
    void averages(double n, uint64_t* keys, float* weights) const {
        table_.for_each([&](uint64_t key, const Averaged& entry) {
            const double weight = entry.weight;
            *keys++ = key;
            *weights++ = float(n > 0 ? weight - entry.correction / n : weight);
        });
    }

private:
    struct Averaged {
        float weight;
        float correction;
    };

    // There are millions of features, so this table is filled further than others.
    GrowingTable<Averaged, KEY_BITS, 80> table_{16, Averaged{0, 0}};
};

// A slot in the table of a frozen reranker; its weight is 0 if it is empty. The high bits
// of a key determine its place, so the low 32 bits are enough to tell it from its
// neighbours.
struct FrozenWeight {
    uint32_t fingerprint;
    float weight;
};

// The weights of a frozen reranker: an open-addressing hash table that is used as it lies
// in a file. At least one slot must be empty.
struct FrozenRankingWeights {
    const FrozenWeight* slots;
    uint64_t size;

    double sum(const uint64_t* keys, int n_keys) const {
        for (int i = 0; i < n_keys; ++i) prefetch(&slots[home(keys[i])]);
        double total = 0;
        for (int i = 0; i < n_keys; ++i) total += slots[place(keys[i])].weight;
        return total;
    }

    // Put the weights that are not 0 into slots that are all empty.
    static void fill(
        const uint64_t* keys, const float* weights, size_t n_weights,
        FrozenWeight* slots, uint64_t size) {
        const FrozenRankingWeights table{slots, size};
        for (size_t i = 0; i < n_weights; ++i) {
            FrozenWeight& slot = slots[table.place(keys[i])];
            if (slot.weight == 0) slot = FrozenWeight{uint32_t(keys[i]), weights[i]};
        }
    }

private:
    uint64_t home(uint64_t key) const { return ((key >> (KEY_BITS - 32)) * size) >> 32; }

    // The first slot from the home of a key on that has the key or is empty.
    uint64_t place(uint64_t key) const {
        uint64_t i = home(key);
        while (slots[i].weight != 0 && slots[i].fingerprint != uint32_t(key)) {
            if (++i == size) i = 0;
        }
        return i;
    }
};

}  // namespace dynoracle
