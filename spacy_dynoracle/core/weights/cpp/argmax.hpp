// The best of some scores.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "vectors.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dynoracle {

// Sums of weights are not larger than this, nor is what they are without the sign.
constexpr int32_t LARGEST_OF_SUMS = 1 << 21;

// The place of the largest of some sums, the first of equals; -1 if there is none.
// mask: 0 for the places that count, and minus infinity for the others. As an integer this
// is so small that a sum to which it is added is less than any other sum.
inline int largest_sum(const int32_t* sums, const float* mask, int n) {
    int best = -1;
    int32_t largest = -LARGEST_OF_SUMS - 1;
    for (int a = 0; a < n; ++a) {
        int32_t bits;
        std::memcpy(&bits, mask + a, sizeof(bits));
        if (sums[a] + bits > largest) {
            largest = sums[a] + bits;
            best = a;
        }
    }
    return best;
}

#ifdef DYNORACLE_X86

// The same as `argmax` for a multiple of 8 scores. Two maxima are kept, because each step
// has to wait for the one before it.
DYNORACLE_AVX2 inline int argmax_vectorized(const float* scores, const float* mask, int n) {
    constexpr int FLOATS = 8;
    const float nothing = -std::numeric_limits<float>::infinity();
    __m256 even = _mm256_set1_ps(nothing), odd = even;
    int a = 0;
    for (; a + 2 * FLOATS <= n; a += 2 * FLOATS) {
        const float *more = scores + a + FLOATS, *more_mask = mask + a + FLOATS;
        even = _mm256_max_ps(
            even, _mm256_add_ps(_mm256_loadu_ps(scores + a), _mm256_loadu_ps(mask + a)));
        odd = _mm256_max_ps(
            odd, _mm256_add_ps(_mm256_loadu_ps(more), _mm256_loadu_ps(more_mask)));
    }
    if (a < n) {
        even = _mm256_max_ps(
            even, _mm256_add_ps(_mm256_loadu_ps(scores + a), _mm256_loadu_ps(mask + a)));
    }
    even = _mm256_max_ps(even, odd);
    __m128 largest =
        _mm_max_ps(_mm256_castps256_ps128(even), _mm256_extractf128_ps(even, 1));
    largest = _mm_max_ps(largest, _mm_movehl_ps(largest, largest));
    largest = _mm_max_ps(largest, _mm_shuffle_ps(largest, largest, 0x55));
    const float best = _mm_cvtss_f32(largest);
    if (best == nothing) return -1;
    const __m256 wanted = _mm256_set1_ps(best);
    for (a = 0; a < n; a += FLOATS) {
        const __m256 sum =
            _mm256_add_ps(_mm256_loadu_ps(scores + a), _mm256_loadu_ps(mask + a));
        const int equal = _mm256_movemask_ps(_mm256_cmp_ps(sum, wanted, _CMP_EQ_OQ));
        if (equal != 0) return a + int(_tzcnt_u32(unsigned(equal)));
    }
    return -1;
}

// Eight sums and their mask as integers.
DYNORACLE_AVX2 inline __m256i masked_sums(const int32_t* sums, const float* mask) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
    const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums));
    return _mm256_add_epi32(some, bits);
}

// The same as `largest_sum` for a multiple of 8 sums.
DYNORACLE_AVX2 inline int largest_sum_vectorized(
    const int32_t* sums, const float* mask, int n) {
    constexpr int INTEGERS = 8;
    __m256i all = _mm256_set1_epi32(INT32_MIN);
    for (int a = 0; a < n; a += INTEGERS) {
        all = _mm256_max_epi32(all, masked_sums(sums + a, mask + a));
    }
    __m128i largest =
        _mm_max_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    largest = _mm_max_epi32(largest, _mm_shuffle_epi32(largest, 0x4E));
    largest = _mm_max_epi32(largest, _mm_shuffle_epi32(largest, 0xB1));
    const int best = _mm_cvtsi128_si32(largest);
    if (best < -LARGEST_OF_SUMS) return -1;
    const __m256i wanted = _mm256_set1_epi32(best);
    for (int a = 0; a < n; a += INTEGERS) {
        const __m256i equal = _mm256_cmpeq_epi32(masked_sums(sums + a, mask + a), wanted);
        const int found = _mm256_movemask_ps(_mm256_castsi256_ps(equal));
        if (found != 0) return a + int(_tzcnt_u32(unsigned(found)));
    }
    return -1;
}

#endif

// The place of the largest scores[a] + mask[a], the first of equals; -1 if none is larger
// than minus infinity, as where mask[a] is. n: a multiple of 4. Scores are never NaN.
inline int argmax(const float* scores, const float* mask, int n) {
    const float nothing = -std::numeric_limits<float>::infinity();
#ifdef DYNORACLE_X86
    if (n % 8 == 0 && has_vectors()) return argmax_vectorized(scores, mask, n);
#endif
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
