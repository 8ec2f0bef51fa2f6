// The scores of all actions for a set of features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "argmax.hpp"
#include "frozen_arrays.hpp"
#include "frozen_sums.hpp"
#include "row_sums.hpp"

namespace dynoracle {

// Room for the sums of a model.
class SumRoom {
public:
    explicit SumRoom(int stride) : many_(size_t(stride > USUAL ? stride : 0)) {}

    int32_t* get() { return many_.empty() ? few_ : many_.data(); }

private:
    static constexpr int USUAL = 1024;

    std::vector<int32_t> many_;
    // Aligned like cache lines.
    alignas(64) int32_t few_[USUAL];
};

// The scores of one set of features at a time. While the memory arrives that the second
// step needs, another object can do its first step.
class FrozenScores {
public:
    // vectorized: use AVX2. The scores are the same.
    FrozenScores(const FrozenArrays& arrays, bool vectorized)
        : arrays_(arrays), vectorized_(vectorized), found_(arrays), room_(arrays.stride) {}

    // Look up the keys of a set of features.
    void begin(const uint64_t* keys, int n_keys) {
#ifdef DYNORACLE_X86
        if (vectorized_) {
            found_.find_avx2(keys, size_t(n_keys));
            return;
        }
#endif
        found_.find(keys, size_t(n_keys));
    }

    // Set scores to the sums of the weights of all keys, multiplied by unit.
    void write(float unit, float* scores) {
        const int32_t* sums = sums_of_actions();
        for (int a = 0; a < arrays_.n_scores(); ++a) scores[a] = float(sums[a]) * unit;
    }

    // The action with the largest score, the first of equals; -1 if there is none.
    // mask: 0 for the actions that count, and minus infinity for the others. score: set to
    // the largest one.
    int best(const float* mask, float unit, float* score) {
        const int32_t* sums = sums_of_actions();
        int best;
#ifdef DYNORACLE_X86
        if (vectorized_) {
            best = largest_sum_avx2(sums, mask, arrays_.n_scores());
        } else
#endif
        {
            best = largest_sum(sums, mask, arrays_.n_scores());
        }
        // Only one of the sums is multiplied.
        if (best >= 0) *score = float(sums[best]) * unit;
        return best;
    }

private:
    const FrozenArrays& arrays_;
    bool vectorized_;
    FrozenSums found_;
    SumRoom room_;

    const int32_t* sums_of_actions() {
        int32_t* sums = room_.get();
#ifdef DYNORACLE_X86
        if (vectorized_) {
            found_.sum_avx2(sums);
            return sums + FIRST_ACTION;
        }
#endif
        found_.sum(sums);
        return sums + FIRST_ACTION;
    }
};

// Set scores to those of a set of features.
inline void write_scores(
    const FrozenArrays& arrays, const uint64_t* keys, int n_keys, float unit, float* scores,
    bool vectorized) {
    FrozenScores found(arrays, vectorized);
    found.begin(keys, n_keys);
    found.write(unit, scores);
}

}  // namespace dynoracle
