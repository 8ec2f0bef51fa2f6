// The weights of whole-tree features, one for each feature, in training and in a finished
// reranker. Weights in training have a correction beside them, for exact averaging.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "reranking/frozen_table.hpp"
#include "weights/cpp/growing_table.hpp"

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

    // Call visit(key, weight) for every averaged weight, in the order of the table. n:
    // number of vectors that are averaged.
    template <class Visit>
    void for_each_average(double n, Visit visit) const {
        table_.for_each([&](uint64_t key, const Averaged& entry) {
            const double weight = entry.weight;
            visit(key, float(n > 0 ? weight - entry.correction / n : weight));
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

struct KeyWeight {
    uint64_t key;
    float weight;
};

// A slot in the table of a finished reranker. The high bits of a key determine its place,
// so the low 32 bits are enough to tell it from its neighbours.
struct FrozenWeight {
    uint32_t fingerprint;
    float weight;

    bool is_empty() const { return weight == 0; }
};

// The weights of a finished reranker.
class FrozenRankingWeights {
public:
    FrozenTable<FrozenWeight> table;

    static size_t slots_for(size_t n_weights) { return n_weights * 3 / 2 + 16; }

    double sum(const uint64_t* keys, int n_keys) const {
        for (int i = 0; i < n_keys; ++i) table.prefetch_slot(keys[i]);
        double total = 0;
        for (int i = 0; i < n_keys; ++i) {
            total += table.find(keys[i], uint32_t(keys[i])).weight;
        }
        return total;
    }

    // The averaged weights that are not 0. If there are more than `limit` weights, the
    // smallest are left out; weights of equal size are all kept or all left out.
    static std::vector<KeyWeight> largest(
        const RankingWeights& weights, double n, size_t limit) {
        std::vector<KeyWeight> found;
        found.reserve(std::min(weights.size(), limit));
        float smallest = 0;
        if (weights.size() > limit) {
            std::vector<float> sizes;
            sizes.reserve(weights.size());
            weights.for_each_average(
                n, [&](uint64_t, float w) { sizes.push_back(std::fabs(w)); });
            std::nth_element(
                sizes.begin(), sizes.begin() + limit, sizes.end(),
                std::greater<float>());
            smallest = sizes[limit];
        }
        weights.for_each_average(n, [&](uint64_t key, float w) {
            if (std::fabs(w) > smallest) found.push_back(KeyWeight{key, w});
        });
        return found;
    }

    // Put the weights into n_slots empty slots.
    static void fill(
        const std::vector<KeyWeight>& weights, FrozenWeight* slots, uint64_t n_slots) {
        const FrozenTable<FrozenWeight> table{slots, n_slots};
        for (const KeyWeight& entry : weights) {
            const uint32_t fingerprint = uint32_t(entry.key);
            FrozenWeight& slot = slots[table.place(entry.key, fingerprint)];
            if (slot.is_empty()) slot = FrozenWeight{fingerprint, entry.weight};
        }
    }
};

}  // namespace dynoracle
