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

// The largest power of two that makes no weight up to `largest` too large.
inline double fixed_point_scale(double largest) {
    double scale = 1024.0;
    while (scale * largest > LARGEST_WEIGHT) scale /= 2;
    return scale;
}

}  // namespace dynoracle
