// The weights of whole-tree features, one for each feature: in training with what exact
// averaging needs, and of a finished ranker.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "weights/cpp/key_index.hpp"

namespace dynoracle {

// An open-addressing table of 16 bytes for each place: key, weight, correction.
class RankingWeights {
public:
    RankingWeights() : slots_(1 << 16, Slot{NO_KEY, 0, 0}), shift_(KEY_BITS - 16) {}

    size_t size() const { return size_; }

    // The sum of the weights of some keys, always added up in the same order.
    double sum(const uint64_t* keys, int n_keys) const {
        for (int i = 0; i < n_keys; ++i) prefetch(&slots_[keys[i] >> shift_]);
        double total = 0;
        for (int i = 0; i < n_keys; ++i) total += slots_[find(keys[i])].weight;
        return total;
    }

    // Add delta to a weight at a time, counted from 0 in vectors that are averaged.
    void add(uint64_t key, double delta, double time) {
        size_t i = find(key);
        if (slots_[i].key == NO_KEY) {
            if (5 * (size_ + 1) > 4 * slots_.size()) {
                grow();
                i = find(key);
            }
            slots_[i].key = key;
            ++size_;
        }
        slots_[i].weight += float(delta);
        slots_[i].correction += float(time * delta);
    }

    // The average over n vectors, of one weight.
    static double average(double weight, double correction, double n) {
        return n > 0 ? weight - correction / n : weight;
    }

    // Call visit(key, average weight) for every weight, in the order of the table.
    template <class Visit>
    void for_each_average(double n, Visit visit) const {
        for (const Slot& slot : slots_) {
            if (slot.key == NO_KEY) continue;
            visit(slot.key, float(average(slot.weight, slot.correction, n)));
        }
    }

private:
    // Keys have 48 bits.
    static constexpr uint64_t NO_KEY = ~uint64_t(0);

    struct Slot {
        uint64_t key;
        float weight;
        float correction;
    };

    size_t find(uint64_t key) const {
        size_t i = key >> shift_;
        while (slots_[i].key != key && slots_[i].key != NO_KEY) {
            i = (i + 1) & (slots_.size() - 1);
        }
        return i;
    }

    void grow() {
        std::vector<Slot> before(2 * slots_.size(), Slot{NO_KEY, 0, 0});
        before.swap(slots_);
        --shift_;
        for (const Slot& slot : before) {
            if (slot.key != NO_KEY) slots_[find(slot.key)] = slot;
        }
    }

    std::vector<Slot> slots_;
    size_t size_ = 0;
    int shift_;
};

struct KeyWeight {
    uint64_t key;
    float weight;
};

// A place of the table of a finished ranker; one whose weight is 0 is empty. The low 32
// bits of a key have to tell it from its neighbours, the high ones are its place.
struct FrozenWeight {
    uint32_t fingerprint;
    float weight;
};

class FrozenTable {
public:
    const FrozenWeight* slots = nullptr;
    uint64_t n_slots = 0;

    static size_t slots_for(size_t n_weights) { return n_weights * 3 / 2 + 16; }

    double sum(const uint64_t* keys, int n_keys) const {
        for (int i = 0; i < n_keys; ++i) prefetch(&slots[home(keys[i], n_slots)]);
        double total = 0;
        for (int i = 0; i < n_keys; ++i) {
            total += slots[find(slots, n_slots, keys[i])].weight;
        }
        return total;
    }

    // The averages of weights, without those that are 0; if there are more than
    // `limit`, without the smallest ones. Of equals all or none are left out.
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

    // Fill n_slots empty slots.
    static void fill(
        const std::vector<KeyWeight>& weights, FrozenWeight* slots, uint64_t n_slots) {
        for (const KeyWeight& entry : weights) {
            FrozenWeight& slot = slots[find(slots, n_slots, entry.key)];
            if (slot.weight == 0) slot = FrozenWeight{uint32_t(entry.key), entry.weight};
        }
    }

private:
    static uint64_t home(uint64_t key, uint64_t n_slots) {
        return ((key >> (KEY_BITS - 32)) * n_slots) >> 32;
    }

    static uint64_t find(const FrozenWeight* slots, uint64_t n_slots, uint64_t key) {
        uint64_t i = home(key, n_slots);
        while (slots[i].weight != 0 && slots[i].fingerprint != uint32_t(key)) {
            if (++i == n_slots) i = 0;
        }
        return i;
    }
};

}  // namespace dynoracle
