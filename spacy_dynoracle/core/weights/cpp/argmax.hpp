// The best of some scores.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "vectors.hpp"

namespace dynoracle {

// Sums of weights are not larger than this, nor is what they are without the sign.
constexpr int32_t LARGEST_OF_SUMS = 1 << 21;

// The place of the largest sum of a score and its mask, the first of equals; -1 if none is
// larger than `nothing`. mask: has the type of the scores. n: a multiple of LANES.
// LANES: numbers in a vector. Compilers do badly with vectors that are longer than those of
// the processor.
template <int LANES, class Number>
DYNORACLE_INLINE int place_in_lanes(
    const Number* scores, const void* mask, int n, Number nothing) {
    static_assert(sizeof(Number) == sizeof(int32_t), "places are as long as numbers");
#ifdef DYNORACLE_VECTORS
    using Numbers = typename VectorOf<Number, LANES>::type;
    using Places = typename VectorOf<int32_t, LANES>::type;
    Numbers largest = Numbers{} + nothing;
    Places best = Places{} - 1, places{};
    for (int i = 0; i < LANES; ++i) places[i] = i;
    for (int a = 0; a < n; a += LANES) {
        Numbers sums, masks;
        std::memcpy(&sums, scores + a, sizeof(sums));
        std::memcpy(&masks, static_cast<const Number*>(mask) + a, sizeof(masks));
        sums += masks;
        const Places is_larger = sums > largest;
        largest = is_larger ? sums : largest;
        best = is_larger ? places : best;
        places += LANES;
    }
    // Each lane has the first of its largest sums.
    int found = -1;
    for (int i = 0; i < LANES; ++i) {
        if (largest[i] > nothing || (largest[i] == nothing && best[i] < found)) {
            nothing = largest[i];
            found = best[i];
        }
    }
    return found;
#else
    int best = -1;
    for (int a = 0; a < n; ++a) {
        const Number sum = scores[a] + static_cast<const Number*>(mask)[a];
        if (sum > nothing) {
            nothing = sum;
            best = a;
        }
    }
    return best;
#endif
}

#ifdef DYNORACLE_X86
template <class Number>
DYNORACLE_AVX2 inline int place_of_largest_avx2(
    const Number* scores, const void* mask, int n, Number nothing) {
    return place_in_lanes<8>(scores, mask, n, nothing);
}
#endif

// The same, with as many lanes as the processor has.
template <class Number>
inline int place_of_largest(
    const Number* scores, const void* mask, int n, Number nothing) {
#ifdef DYNORACLE_X86
    if (has_vectors()) return place_of_largest_avx2(scores, mask, n, nothing);
#endif
    return place_in_lanes<4>(scores, mask, n, nothing);
}

constexpr int32_t NO_SUM = -LARGEST_OF_SUMS - 1;
constexpr float NO_SCORE = -std::numeric_limits<float>::infinity();

// The place of the largest of some sums of weights, the first of equals; -1 if there is
// none. mask: 0 for the places that count, and minus infinity for the others. As an integer
// this is so small that a sum to which it is added is less than any other sum.
inline int largest_sum(const int32_t* sums, const float* mask, int n) {
    return place_of_largest(sums, mask, n, NO_SUM);
}

// The place of the largest scores[a] + mask[a], the first of equals; -1 if none is larger
// than minus infinity, as where mask[a] is. n: a multiple of 8. Scores are never NaN.
inline int argmax(const float* scores, const float* mask, int n) {
    return place_of_largest(scores, mask, n, NO_SCORE);
}

}  // namespace dynoracle
