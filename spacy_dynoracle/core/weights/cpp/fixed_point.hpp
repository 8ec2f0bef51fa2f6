// Weights as the fixed-point numbers of a finished model.
//
// There is one scale for the whole model, so that sums are exact and do not depend on
// their order. A weight has 13 bits. The sum of a usual decision then fits into 16 bits.
//
// A feature none of whose weights reaches a limit is dropped. Training makes many such
// features from the few mistakes that they occurred in. Without them, parses hardly
// change.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace dynoracle {

// The largest weight.
constexpr int LARGEST_WEIGHT = 4095;

// Converts a weight to its fixed-point number.
struct FixedPoint {
    double scale;

    int operator()(double weight) const {
        const double largest = LARGEST_WEIGHT;
        const double value = std::max(-largest, std::min(largest, weight * scale));
        // Numbers of this size have no fraction, so the addition rounds. std::nearbyint
        // gives the same, but it is a library call for each weight.
        const double no_fraction = 6755399441055744.0;
        return int((value + no_fraction) - no_fraction);
    }
};

// The weights of a feature that has more than a few are rounded once more, to a number of
// 8 bits times a power of two, the factor: rows have such numbers.
class RowRounding {
public:
    static constexpr int FEW_WEIGHTS = 8;

    // n_weights: number of weights that are not zero. largest: the largest size of one.
    RowRounding(int n_weights, int largest) {
        if (n_weights > FEW_WEIGHTS) factor_ = factor_for(largest);
    }

    int operator()(int weight) const {
        if (factor_ == 1) return weight;
        const int size = (std::abs(weight) + factor_ / 2) / factor_;
        const int rounded = std::min(size, LARGEST_NUMBER) * factor_;
        return weight < 0 ? -rounded : rounded;
    }

    // The factor of a row. It divides all weights that were rounded.
    static int factor_for(int largest) {
        int factor = 1;
        while (factor < LARGEST_FACTOR && largest > LARGEST_NUMBER * factor) factor *= 2;
        return factor;
    }

private:
    static constexpr int LARGEST_NUMBER = 127, LARGEST_FACTOR = 32;
    static_assert(LARGEST_NUMBER * LARGEST_FACTOR <= LARGEST_WEIGHT, "no larger weight");

    int factor_ = 1;
};

// The largest power of two that makes no weight up to `largest` too large.
inline double fixed_point_scale(double largest) {
    double scale = 1024.0;
    while (scale * largest > LARGEST_WEIGHT) scale /= 2;
    return scale;
}

}  // namespace dynoracle
