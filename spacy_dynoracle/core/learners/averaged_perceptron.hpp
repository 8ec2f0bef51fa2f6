// The current and the averaged weights of the perceptron, for the scoring loops.
#pragma once

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

    double average(float w, double u) const { return double(w) - u / n_decisions; }

    int operator()(float w, double u) const { return fine(average(w, u)); }
};

// The largest averaged weight, without its sign.
inline double largest_average(const PerceptronRows& rows, const AveragedWeight& weight) {
    return rows.largest([&](float w, double u) { return weight.average(w, u); });
}

inline void thaw_rows(const FrozenArrays& frozen, double scale, PerceptronRows& rows) {
    rows.reserve(frozen.n_features);
    frozen.for_each([&](uint64_t key, int action, int value) {
        *rows.entry(key, action).hot = float(value / scale);
    });
    rows.show_all();
}

}  // namespace dynoracle
