// The current and the averaged weights of the perceptron, for the scoring loops.
#pragma once

#include <algorithm>
#include <cmath>

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

// The largest averaged weight, without its sign.
inline double largest_average(const PerceptronRows& rows, AveragedWeight average) {
    double largest = 0;
    for (size_t row = 0; row < rows.n_rows(); ++row) {
        rows.for_each(row, [&](int, float w, double u) {
            largest = std::max(largest, std::abs(double(w) - u / average.n_decisions));
        });
    }
    return largest;
}

inline void freeze_rows(
    const PerceptronRows& rows, AveragedWeight average, Smallest smallest,
    FrozenBuilder& builder) {
    builder.set_smallest(smallest);
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
    rows.show_all();
}

}  // namespace dynoracle
