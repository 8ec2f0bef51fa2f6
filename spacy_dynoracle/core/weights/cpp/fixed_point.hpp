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

// A fine number is a weight that is not rounded yet, in units of a 16th of the last bit.
// So each weight is rounded only once, whatever number of bits it gets.
constexpr int FINE = 16;

// The quotient, rounded to the nearest number; halves away from zero.
inline int rounded_quotient(int number, int divisor) {
    const int size = (std::abs(number) + divisor / 2) / divisor;
    return number < 0 ? -size : size;
}

// A fine number as the fixed-point number of a weight that gets all bits.
inline int fixed_point_of(int fine) { return rounded_quotient(fine, FINE); }

// Converts a weight to its fine number.
struct FixedPoint {
    double scale;

    int operator()(double weight) const {
        const double largest = LARGEST_WEIGHT * FINE;
        const double value = std::max(-largest, std::min(largest, weight * scale * FINE));
        // Numbers of this size have no fraction, so the addition rounds. std::nearbyint
        // gives the same, but it is a library call for each weight.
        const double no_fraction = 6755399441055744.0;
        return int((value + no_fraction) - no_fraction);
    }
};

// The fixed-point numbers of a feature. If it has more than a few weights, these are
// numbers of 8 bits times a power of two, the factor: rows have such numbers.
class RowRounding {
public:
    static constexpr int FEW_WEIGHTS = 8;

    // n_weights: number of weights whose fixed-point number with all bits is not zero.
    // largest: the largest size of such a number.
    RowRounding(int n_weights, int largest) {
        if (n_weights <= FEW_WEIGHTS) return;
        factor_ = factor_for(largest);
        most_ = LARGEST_NUMBER;
    }

    int operator()(int fine) const {
        const int number = rounded_quotient(fine, FINE * factor_);
        return factor_ * std::clamp(number, -most_, most_);
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
    int most_ = LARGEST_WEIGHT;
};

// The largest power of two that makes no weight up to `largest` too large.
inline double fixed_point_scale(double largest) {
    double scale = 1024.0;
    while (scale * largest > LARGEST_WEIGHT) scale /= 2;
    return scale;
}

}  // namespace dynoracle
