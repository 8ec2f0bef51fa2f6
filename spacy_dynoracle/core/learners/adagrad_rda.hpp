// The weights of AdaGrad-RDA: how they follow from the sums in training, and updates.
#pragma once

#include <cmath>

#include "weights/cpp/training_rows.hpp"

namespace dynoracle {

// Each coordinate has the sum of its gradients and the sum of their squares.
using RdaRows = TrainingRows<float, float>;

// The current weight: alpha / sqrt(G + rho) * shrink(g, threshold).
struct RdaWeight {
    float alpha;
    float rho;
    float threshold;

    float operator()(float g, float squares) const {
        const float rest = std::fabs(g) - threshold;
        const float shrunk = rest > 0 ? rest : 0;
        return std::copysign(alpha * shrunk / std::sqrt(squares + rho), g);
    }
};

// The current weight as a fine weight.
struct FineRdaWeight {
    RdaWeight weight;
    FineRounding fine;

    int operator()(float g, float squares) const {
        return fine(weight(g, squares));
    }
};

// Set the sums from saved weights. The sum g of the gradients is chosen so that it gives
// the saved weight if the threshold is 0 and the sum of the squares is |g|.
inline void thaw_rda(
    const FrozenArrays& frozen, double scale, RdaWeight weight, RdaRows& rows) {
    rows.reserve(frozen.n_features);
    frozen.for_each([&](uint64_t key, int action, int value) {
        const double w = value / (weight.alpha * scale);
        const double g = (w * w + std::sqrt(w * w * (w * w + 4 * weight.rho))) / 2;
        RdaRows::Entry entry = rows.entry(key, action);
        *entry.hot = float(std::copysign(g, w));
        *entry.cold = float(g);
    });
}

// Add the gradient of one feature, gradient[action], to its coordinates. Actions
// in `large` get a coordinate if they have none.
inline void add_gradient(
    RdaRows& rows, uint64_t key, const float* gradient, const int* large, int n_large) {
    for (int i = 0; i < n_large; ++i) rows.entry(key, large[i]);
    rows.update(key, [&](int action, float& g, float& squares) {
        g += gradient[action];
        squares += gradient[action] * gradient[action];
    });
}

}  // namespace dynoracle
