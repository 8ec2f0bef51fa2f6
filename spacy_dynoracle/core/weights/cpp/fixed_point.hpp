// Weights as the fixed-point numbers of a finished model.
//
// They have 16 bits, with one scale for the whole model, so that sums are exact and do
// not depend on their order. Where a feature has more than a few weights, these keep
// their first 7 bits and the sign: each is an 8-bit number times a power of two that is
// the same for all weights of the feature. The largest weight determines this power, so
// small weights beside a large one may become zero.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace dynoracle {

constexpr int LARGEST_SHIFT = 8;
// The largest weight. Rounding to 8 bits makes no weight larger than this.
constexpr int LARGEST_WEIGHT = 127 << LARGEST_SHIFT;

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

// The largest power of two that keeps weights up to `largest` within 16 bits.
inline double fixed_point_scale(double largest) {
    double scale = 1024.0;
    while (scale * largest > LARGEST_WEIGHT) scale /= 2;
    return scale;
}

// value / 2**shift, rounded to the nearest integer; halves are rounded away from zero.
inline int shifted(int value, int shift) {
    const int size = (std::abs(value) + (1 << shift >> 1)) >> shift;
    return value < 0 ? -size : size;
}

// Rounds the weights of one feature after it has seen all of them. Rounding a rounded
// weight again does not change it.
class Rounding {
public:
    // Features with at most this number of weights keep all bits.
    static constexpr int MAX_EXACT = 12;

    void see(int value) {
        count_ += value != 0;
        largest_ = std::max(largest_, std::abs(value));
    }

    // The smallest shift with which all weights fit into 8 bits.
    int shift() const {
        int shift = 0;
        if (count_ <= MAX_EXACT) return shift;
        while (shifted(largest_, shift) > 127) ++shift;
        return shift;
    }

private:
    int count_ = 0;
    int largest_ = 0;
};

inline int rounded(int value, int shift) { return shifted(value, shift) * (1 << shift); }

}  // namespace dynoracle
