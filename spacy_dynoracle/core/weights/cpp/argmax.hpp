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
// larger than `nothing`. mask: has the type of the scores. n: a multiple of 8.
template <class Number>
DYNORACLE_INLINE int place_of_largest(
    const Number* scores, const void* mask, int n, Number nothing) {
    constexpr int AT_ONCE = 8;
    static_assert(sizeof(Number) == sizeof(int32_t), "numbers are as long as places");
#ifdef DYNORACLE_VECTORS
    typedef Number Numbers __attribute__((vector_size(AT_ONCE * sizeof(Number))));
    typedef int32_t Places __attribute__((vector_size(AT_ONCE * sizeof(int32_t))));
    Numbers largest = Numbers{} + nothing;
    Places best = Places{} - 1, places = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int a = 0; a < n; a += AT_ONCE) {
        Numbers sums, masks;
        std::memcpy(&sums, scores + a, sizeof(sums));
        std::memcpy(&masks, static_cast<const Number*>(mask) + a, sizeof(masks));
        sums += masks;
        const Places is_larger = sums > largest;
        largest = is_larger ? sums : largest;
        best = is_larger ? places : best;
        places += AT_ONCE;
    }
    // Each lane has the first of its largest sums.
    int found = -1;
    for (int i = 0; i < AT_ONCE; ++i) {
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

// The place of the largest of some sums of weights, the first of equals; -1 if there is
// none. mask: 0 for the places that count, and minus infinity for the others. As an integer
// this is so small that a sum to which it is added is less than any other sum.
inline int largest_sum(const int32_t* sums, const float* mask, int n) {
    return place_of_largest(sums, mask, n, -LARGEST_OF_SUMS - 1);
}

// The place of the largest scores[a] + mask[a], the first of equals; -1 if none is larger
// than minus infinity, as where mask[a] is. Scores are never NaN.
inline int portable_argmax(const float* scores, const float* mask, int n) {
    return place_of_largest(scores, mask, n, -std::numeric_limits<float>::infinity());
}

#ifdef DYNORACLE_X86
DYNORACLE_AVX2 inline int largest_sum_avx2(const int32_t* sums, const float* mask, int n) {
    return place_of_largest(sums, mask, n, -LARGEST_OF_SUMS - 1);
}

DYNORACLE_AVX2 inline int argmax_avx2(const float* scores, const float* mask, int n) {
    return place_of_largest(scores, mask, n, -std::numeric_limits<float>::infinity());
}
#endif

// `portable_argmax`, with AVX2 where the processor has it.
inline int argmax(const float* scores, const float* mask, int n) {
#ifdef DYNORACLE_X86
    if (has_vectors()) return argmax_avx2(scores, mask, n);
#endif
    return portable_argmax(scores, mask, n);
}

}  // namespace dynoracle
