// Sums of dense rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vectors.hpp"

namespace dynoracle {

// Numbers of a row that are added at once; rows have a multiple of this.
constexpr int LANES = 16;

// Sums of 16 bits hold this.
constexpr int LARGEST_SUM = 32767;

// Set sums to the sums of rows. stride: number of weights of a row.
inline void sum_rows(
    const int16_t* const* rows, size_t n_rows, int stride, int32_t* sums) {
    std::memset(sums, 0, sizeof(int32_t) * size_t(stride));
    for (size_t i = 0; i < n_rows; ++i) {
        const int16_t* row = rows[i];
        for (int a = 0; a < stride; ++a) sums[a] += row[a];
    }
}

#if defined(__GNUC__) || defined(__clang__)
// Where a processor has no vectors, the compiler does without.
typedef uint16_t Eight __attribute__((vector_size(16)));
#else
struct Eight {
    uint16_t numbers[8];

    void operator+=(const Eight& other) {
        for (int i = 0; i < 8; ++i) numbers[i] = uint16_t(numbers[i] + other.numbers[i]);
    }
};
#endif

// Set sums to the sums of N numbers of each row, modulo 2**16. They stay in registers
// meanwhile.
template <int N>
inline void sum_part(
    const int16_t* const* rows, size_t n_rows, int first, int32_t* sums) {
    constexpr int EIGHTS = N / 8;
    Eight total[EIGHTS] = {};
    for (size_t i = 0; i < n_rows; ++i) {
        for (int v = 0; v < EIGHTS; ++v) {
            Eight some;
            std::memcpy(&some, rows[i] + first + 8 * v, sizeof(some));
            total[v] += some;
        }
    }
    int16_t found[N];
    std::memcpy(found, total, sizeof(found));
    for (int a = 0; a < N; ++a) sums[first + a] = found[a];
}

// The same for whole rows. Returns the sum of their last numbers, which are not negative.
inline int sum_rows_modulo(
    const int16_t* const* rows, size_t n_rows, int stride, int32_t* sums) {
    constexpr int MOST = 3 * LANES;
    int first = 0;
    for (; first + MOST <= stride; first += MOST) {
        sum_part<MOST>(rows, n_rows, first, sums);
    }
    for (; first < stride; first += LANES) sum_part<LANES>(rows, n_rows, first, sums);
    return uint16_t(sums[stride - 1]);
}

#ifdef DYNORACLE_X86

DYNORACLE_AVX2 inline void write_sums(__m256i found, int32_t* sums) {
    const __m256i low = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(found));
    const __m256i high = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(found, 1));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + 8), high);
}

// Set sums to the sums of N * LANES numbers of each row, modulo 2**16. They stay in
// registers meanwhile.
template <int N>
DYNORACLE_AVX2 inline void sum_part_vectorized(
    const int16_t* const* rows, size_t n_rows, int first, int32_t* sums) {
    __m256i found[N];
    for (int v = 0; v < N; ++v) found[v] = _mm256_setzero_si256();
    size_t i = 0;
    // Unrolled by hand, because compilers move sums between registers if they do it.
    for (; i + 2 <= n_rows; i += 2) {
        const __m256i* even = reinterpret_cast<const __m256i*>(rows[i] + first);
        const __m256i* odd = reinterpret_cast<const __m256i*>(rows[i + 1] + first);
        for (int v = 0; v < N; ++v) {
            found[v] = _mm256_add_epi16(found[v], _mm256_loadu_si256(even + v));
        }
        for (int v = 0; v < N; ++v) {
            found[v] = _mm256_add_epi16(found[v], _mm256_loadu_si256(odd + v));
        }
    }
    if (i < n_rows) {
        const __m256i* last = reinterpret_cast<const __m256i*>(rows[i] + first);
        for (int v = 0; v < N; ++v) {
            found[v] = _mm256_add_epi16(found[v], _mm256_loadu_si256(last + v));
        }
    }
    for (int v = 0; v < N; ++v) write_sums(found[v], sums + first + v * LANES);
}

// The same for whole rows. Returns the sum of their last numbers, which are not negative.
DYNORACLE_AVX2 inline int sum_rows_vectorized(
    const int16_t* const* rows, size_t n_rows, int stride, int32_t* sums) {
    constexpr int MOST = 6;
    for (int first = 0; first < stride; first += MOST * LANES) {
        switch ((stride - first) / LANES) {
            case 1: sum_part_vectorized<1>(rows, n_rows, first, sums); break;
            case 2: sum_part_vectorized<2>(rows, n_rows, first, sums); break;
            case 3: sum_part_vectorized<3>(rows, n_rows, first, sums); break;
            case 4: sum_part_vectorized<4>(rows, n_rows, first, sums); break;
            case 5: sum_part_vectorized<5>(rows, n_rows, first, sums); break;
            default: sum_part_vectorized<MOST>(rows, n_rows, first, sums);
        }
    }
    return uint16_t(sums[stride - 1]);
}

// Set scores to sums, multiplied by unit.
DYNORACLE_AVX2 inline void scale_vectorized(
    const int32_t* sums, int stride, float unit, float* scores) {
    constexpr int FLOATS = 8;
    const __m256 units = _mm256_set1_ps(unit);
    for (int a = 0; a < stride; a += FLOATS) {
        const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + a));
        _mm256_storeu_ps(scores + a, _mm256_mul_ps(_mm256_cvtepi32_ps(some), units));
    }
}

#endif

}  // namespace dynoracle
