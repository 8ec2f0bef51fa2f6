// Sums of dense rows. Their 8-bit weights are multiplied by a power of two of each row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "fixed_point.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DYNORACLE_X86
#include <immintrin.h>
#endif

namespace dynoracle {

// Sums are integers in the memory of the floats that they become. Copying bytes is the
// defined way to read and write them there; compilers make plain loads and stores of it.
inline int32_t read_sum(const float* place) {
    int32_t sum;
    std::memcpy(&sum, place, sizeof(sum));
    return sum;
}
inline void write_sum(float* place, int32_t sum) {
    std::memcpy(place, &sum, sizeof(sum));
}

// The rows that are added to one sum.
class DenseRows {
public:
    static constexpr int MAX_ROWS = 512;

    void add(const int8_t* row, int shift) {
        rows_[n_rows_] = row;
        shifts_[n_rows_++] = uint8_t(shift);
        ++ends_[shift];
    }

    // Set sums to the sums of all rows. stride: number of weights of a row, a multiple of
    // 32. vectorized: use AVX2; the sums are the same.
    void sum(int stride, float* sums, bool vectorized) {
        sort();
#ifdef DYNORACLE_X86
        if (vectorized && has_avx2()) return sum_avx2(stride, sums);
#endif
        sum_plainly(stride, sums);
    }

private:
    // Number of weights whose sum fits into 16 bits.
    static constexpr int MAX_SUMMED = 255;
    // Number of sums that are computed together.
    static constexpr int BLOCK = 32;

    // Sort the rows by their shift.
    void sort() {
        int starts[LARGEST_SHIFT + 1], n = 0;
        for (int s = 0; s <= LARGEST_SHIFT; ++s) {
            starts[s] = n;
            n += ends_[s];
            ends_[s] = n;
        }
        for (int i = 0; i < n_rows_; ++i) sorted_[starts[shifts_[i]]++] = rows_[i];
    }

    void sum_plainly(int stride, float* sums) const {
        for (int first = 0; first < stride; first += BLOCK) {
            int32_t block[BLOCK] = {};
            for (int s = 0, i = 0; s <= LARGEST_SHIFT; ++s) {
                for (; i < ends_[s]; ++i) {
                    const int8_t* row = sorted_[i] + first;
                    for (int a = 0; a < BLOCK; ++a) block[a] += row[a] * (1 << s);
                }
            }
            for (int a = 0; a < BLOCK; ++a) write_sum(sums + first + a, block[a]);
        }
    }

#ifdef DYNORACLE_X86
    static bool has_avx2() {
        static const bool has = __builtin_cpu_supports("avx2");
        return has;
    }

    // Most processors have AVX2. The instructions are written out, because compilers do
    // not keep the sums in registers by themselves.
    __attribute__((target("avx2"))) void sum_avx2(int stride, float* sums) const {
        for (int first = 0; first < stride; first += BLOCK) {
            __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
            for (int s = 0, i = 0; s <= LARGEST_SHIFT; ++s) {
                const __m128i shift = _mm_cvtsi32_si128(s);
                while (i < ends_[s]) {
                    __m256i low = _mm256_setzero_si256(), high = low;
                    const int end = std::min(ends_[s], i + MAX_SUMMED);
                    for (; i < end; ++i) {
                        const int8_t* row = sorted_[i] + first;
                        low = _mm256_add_epi16(low, widened(row));
                        high = _mm256_add_epi16(high, widened(row + 16));
                    }
                    a = _mm256_add_epi32(a, _mm256_sll_epi32(first_half(low), shift));
                    b = _mm256_add_epi32(b, _mm256_sll_epi32(second_half(low), shift));
                    c = _mm256_add_epi32(c, _mm256_sll_epi32(first_half(high), shift));
                    d = _mm256_add_epi32(d, _mm256_sll_epi32(second_half(high), shift));
                }
            }
            _mm256_storeu_si256((__m256i*)(sums + first), a);
            _mm256_storeu_si256((__m256i*)(sums + first + 8), b);
            _mm256_storeu_si256((__m256i*)(sums + first + 16), c);
            _mm256_storeu_si256((__m256i*)(sums + first + 24), d);
        }
    }

    __attribute__((target("avx2"))) static __m256i widened(const int8_t* weights) {
        return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i*)weights));
    }
    __attribute__((target("avx2"))) static __m256i first_half(__m256i sums) {
        return _mm256_cvtepi16_epi32(_mm256_castsi256_si128(sums));
    }
    __attribute__((target("avx2"))) static __m256i second_half(__m256i sums) {
        return _mm256_cvtepi16_epi32(_mm256_extracti128_si256(sums, 1));
    }
#endif

    int n_rows_ = 0;
    // For each shift the number of its rows; after sorting, the place where they end.
    int ends_[LARGEST_SHIFT + 1] = {};
    uint8_t shifts_[MAX_ROWS];
    const int8_t* rows_[MAX_ROWS];
    const int8_t* sorted_[MAX_ROWS];
};

}  // namespace dynoracle
