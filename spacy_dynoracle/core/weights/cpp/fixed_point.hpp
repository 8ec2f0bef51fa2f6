// Frozen weights are whole numbers: the weights of the learner times a scale, rounded.
//
// There is one scale for the whole model, so that sums are exact and do not depend on
// their order. A frozen weight has 13 bits. The sum of a usual decision then fits into 16
// bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dynoracle {

// The largest frozen weight.
constexpr int LARGEST_WEIGHT = 4095;

// A fine weight has 16 bits. Weights of 13 and of 8 bits are both made from it. Rounding to
// 13 bits first would leave many halves to be rounded to 8 bits, all of them away from
// zero.
constexpr int FINE_BITS = 3;
constexpr int FINE = 1 << FINE_BITS;

// A fine weight divided by 2**bits, rounded to the nearest whole number; halves away from
// zero.
inline int rounded_quotient(int fine, int bits) {
    const int size = (std::abs(fine) + (1 << bits >> 1)) >> bits;
    return fine < 0 ? -size : size;
}

// The weight of 13 bits.
inline int weight_of(int fine) { return rounded_quotient(fine, FINE_BITS); }

// Makes the fine weight of a weight, whatever its cold part is (see training_rows.hpp).
struct FineRounding {
    double scale;

    int operator()(double weight, double = 0) const {
        const double largest = LARGEST_WEIGHT * FINE;
        const double value = std::max(-largest, std::min(largest, weight * scale * FINE));
        // Numbers of this size have no fraction, so the addition rounds. std::nearbyint
        // gives the same, but it is a library call for each weight.
        const double no_fraction = 6755399441055744.0;
        return int((value + no_fraction) - no_fraction);
    }
};

// Frozen weights have no weight that is smaller than `weight`, and no feature all of whose
// weights are smaller than `feature`, both with 13 bits.
struct Smallest {
    int weight = 1;
    int feature = 1;

    Smallest() = default;

    // least: the smallest weight, before it is multiplied by the scale.
    Smallest(double least, double scale)
        : weight(at_least(least * scale)), feature(at_least(2 * least * scale)) {}

    bool keeps(int value) const { return std::abs(value) >= weight; }

private:
    static int at_least(double value) {
        return std::clamp(int(std::ceil(std::min(value, LARGEST_WEIGHT + 1.0))), 1,
                          LARGEST_WEIGHT + 1);
    }
};

// The largest part of a weight: parts have 8 bits.
constexpr int LARGEST_BYTE = 127;

// How many parts it takes to add up to a weight.
inline int n_parts(int weight) {
    return (std::abs(weight) + LARGEST_BYTE - 1) / LARGEST_BYTE;
}

// What the place of a feature depends on: how many weights are not zero, of how many parts
// they consist, and how large the largest one is.
struct FeatureSize {
    int n_weights = 0;
    int n_parts = 0;
    int largest = 0;

    void add(int weight) {
        n_weights += weight != 0;
        n_parts += dynoracle::n_parts(weight);
        largest = std::max(largest, std::abs(weight));
    }

    // Whether the weights have all their bits. They are few, and either the feature can
    // have no row or a line has room for them. most_without_row: features with more
    // weights can have a row.
    bool keeps_bits(int most_without_row) const {
        return n_weights <= FEW &&
               (n_weights <= most_without_row || n_parts <= PARTS_IN_LINE);
    }

    // Whether the feature is to have a row. If its weights have all their bits, these must
    // not be more than 8.
    bool has_row(int most_without_row) const {
        return n_weights > most_without_row &&
               (!keeps_bits(most_without_row) || largest <= LARGEST_BYTE);
    }

    static constexpr int FEW = 12, PARTS_IN_LINE = 16;
};

// Rounds the weights of a feature. Unless they keep all bits, they become numbers of 8 bits
// times a power of two, the factor: rows have such numbers.
class RowRounding {
public:
    // size: that of the weights with 13 bits.
    RowRounding(FeatureSize size, int most_without_row) {
        if (size.keeps_bits(most_without_row)) return;
        bits_ = bits_for(size.largest);
        most_ = LARGEST_BYTE;
    }

    // The rounded weight.
    int operator()(int fine) const {
        const int quotient = rounded_quotient(fine, FINE_BITS + bits_);
        return std::clamp(quotient, -most_, most_) * (1 << bits_);
    }

    // The factor of a row. It divides all weights that were rounded.
    static int factor_for(int largest) { return 1 << bits_for(largest); }

private:
    static constexpr int MOST_BITS = 5;
    static_assert(LARGEST_BYTE << MOST_BITS <= LARGEST_WEIGHT, "no larger weight");

    static int bits_for(int largest) {
        int bits = 0;
        while (bits < MOST_BITS && largest > LARGEST_BYTE << bits) ++bits;
        return bits;
    }

    int bits_ = 0;
    int most_ = LARGEST_WEIGHT;
};

// The scale: the largest power of two that makes no weight up to `largest` too large.
inline double fixed_point_scale(double largest) {
    double scale = 1024.0;
    while (scale * largest > LARGEST_WEIGHT) scale /= 2;
    return scale;
}

}  // namespace dynoracle
