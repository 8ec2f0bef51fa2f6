// The best of some scores.
#pragma once

#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dynoracle {

// The place of the largest scores[a] + mask[a], the first of equals; -1 if none is larger
// than minus infinity, as where mask[a] is. n: a multiple of 4.
inline int argmax(const float* scores, const float* mask, int n) {
    const float nothing = -std::numeric_limits<float>::infinity();
#if defined(__SSE2__)
    // Compilers do not use vectors here, because to them the order of floats matters.
    __m128 largest = _mm_set1_ps(nothing);
    for (int a = 0; a < n; a += 4) {
        const __m128 sum = _mm_add_ps(_mm_loadu_ps(scores + a), _mm_loadu_ps(mask + a));
        largest = _mm_max_ps(largest, sum);
    }
    largest = _mm_max_ps(largest, _mm_movehl_ps(largest, largest));
    largest = _mm_max_ps(largest, _mm_shuffle_ps(largest, largest, 0x55));
    const float best = _mm_cvtss_f32(largest);
    if (best == nothing) return -1;
    const __m128 wanted = _mm_set1_ps(best);
    for (int a = 0; a < n; a += 4) {
        const __m128 sum = _mm_add_ps(_mm_loadu_ps(scores + a), _mm_loadu_ps(mask + a));
        const int equal = _mm_movemask_ps(_mm_cmpeq_ps(sum, wanted));
        if (equal == 0) continue;
        for (int i = 0;; ++i) {
            if (equal >> i & 1) return a + i;
        }
    }
    return -1;
#else
    int best = -1;
    float largest = nothing;
    for (int a = 0; a < n; ++a) {
        const float sum = scores[a] + mask[a];
        if (sum > largest) {
            largest = sum;
            best = a;
        }
    }
    return best;
#endif
}

}  // namespace dynoracle
