// The current and the averaged weights of the perceptron, for the scoring loops.
#pragma once

#include "weights/cpp/frozen_builder.hpp"
#include "weights/cpp/training_rows.hpp"

namespace dynoracle {

using PerceptronRows = TrainingRows<float, double>;

struct CurrentWeight {
    float operator()(float w, double) const { return w; }
};

// The averaged weight w - u/M as a fine weight.
struct AveragedWeight {
    double n_decisions;
    FineRounding fine;

    int operator()(float w, double u) const {
        return fine(double(w) - u / n_decisions);
    }
};

// Frozen weights have no feature all of whose weights, with 13 bits, are smaller than this.
// Where a weight has become larger than 127, the scale is so small that the frozen weights
// of features from one or two mistakes are mostly rounding. There are many such features,
// and parses hardly change without them. With a larger scale every feature is kept.
inline int smallest_weight(double scale) {
    constexpr double SMALL_SCALE = 16;
    return scale <= SMALL_SCALE ? 16 : 1;
}

inline void freeze_rows(
    const PerceptronRows& rows, AveragedWeight average, FrozenBuilder& builder) {
    builder.set_smallest(smallest_weight(average.fine.scale));
    for (size_t row = 0; row < rows.n_rows(); ++row) {
        const uint64_t key = rows.key(row);
        rows.for_each(row, [&](int action, float w, double u) {
            builder.add(key, action, average(w, u));
        });
    }
}

inline void thaw_rows(const FrozenArrays& frozen, double scale, PerceptronRows& rows) {
    rows.reserve(frozen.n_features);
    frozen.for_each([&](uint64_t key, int action, int value) {
        *rows.entry(key, action).hot = float(value / scale);
    });
}

}  // namespace dynoracle
