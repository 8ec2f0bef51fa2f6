// Sums of dense rows.
//
// A row has a bound and a factor, and then a byte for each action. A weight is such a byte
// times the factor. The bound, times the factor, is summed like a weight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "vectors.hpp"

namespace dynoracle {

// Rows have a multiple of this number of columns.
constexpr int LANES = 32;

// Columns of a row. Those between them are not used: so the sums of actions begin where
// those of a vector do.
constexpr int BOUND = 0, FACTOR = 1, FIRST_ACTION = 8;

// The number of columns of the rows of a model.
inline int stride_for(int n_actions) {
    return (FIRST_ACTION + n_actions + LANES - 1) / LANES * LANES;
}

// Features with up to so many weights have no row. A row is summed in less time than a line
// is found and summed. With a lower limit the model of UD_English-EWT is larger, and no
// faster.
inline int most_without_row(int n_actions) {
    return std::max(8, stride_for(n_actions) / 12);
}

// Sums of 16 bits hold this, and those of a few rows, whatever their weights are.
constexpr int LARGEST_SUM = 32767;
constexpr size_t FEW_ROWS = 6;

// Set sums to the sums of rows, modulo 2**16, or add these to them. stride: number of
// columns.
using SumRows = void (*)(
    const int8_t* const* rows, size_t n_rows, int stride, int32_t* sums, bool adds);

// Set sums to the sums of rows of any size: those of a few rows are added in 32 bits.
inline void sum_large(
    SumRows sum, const int8_t* const* rows, size_t n_rows, int stride, int32_t* sums) {
    size_t i = 0;
    do {
        sum(rows + i, std::min(FEW_ROWS, n_rows - i), stride, sums, i != 0);
    } while ((i += FEW_ROWS) < n_rows);
}

// As SumRows. The sums of LANES columns stay in registers meanwhile.
inline void sum_rows(
    const int8_t* const* rows, size_t n_rows, int stride, int32_t* sums, bool adds) {
    if (!adds) std::memset(sums, 0, sizeof(int32_t) * size_t(stride));
#ifdef DYNORACLE_VECTORS
    // A vector has two bytes in each place of 16 bits, that of an even column and that of
    // the next one. They are summed apart.
    constexpr int VECTORS = 2, WORDS = LANES / 2 / VECTORS;
    using Words = VectorOf<int16_t, WORDS>::type;
    using Sums = VectorOf<uint16_t, WORDS>::type;
    for (int first = 0; first < stride; first += LANES) {
        Sums even[VECTORS] = {}, odd[VECTORS] = {};
        for (size_t i = 0; i < n_rows; ++i) {
            const uint16_t factor = uint16_t(rows[i][FACTOR]);
            for (int v = 0; v < VECTORS; ++v) {
                Sums pairs;
                std::memcpy(&pairs, rows[i] + first + 2 * WORDS * v, sizeof(pairs));
                even[v] += Sums(Words(pairs << 8) >> 8) * factor;
                odd[v] += Sums(Words(pairs) >> 8) * factor;
            }
        }
        for (int w = 0; w < LANES / 2; ++w) {
            sums[first + 2 * w] += int16_t(even[w / WORDS][w % WORDS]);
            sums[first + 2 * w + 1] += int16_t(odd[w / WORDS][w % WORDS]);
        }
    }
#else
    // Larger sums are no worse.
    for (size_t i = 0; i < n_rows; ++i) {
        const int8_t* row = rows[i];
        for (int a = 0; a < stride; ++a) sums[a] += row[FACTOR] * row[a];
    }
#endif
}

#ifdef DYNORACLE_X86

DYNORACLE_AVX2 inline void write_half(__m128i found, int32_t* sums, bool adds) {
    auto* place = reinterpret_cast<__m256i*>(sums);
    const __m256i before = adds ? _mm256_loadu_si256(place) : _mm256_setzero_si256();
    _mm256_storeu_si256(place, _mm256_add_epi32(before, _mm256_cvtepi16_epi32(found)));
}

DYNORACLE_AVX2 inline void write_sums(__m256i found, int32_t* sums, bool adds) {
    write_half(_mm256_castsi256_si128(found), sums, adds);
    write_half(_mm256_extracti128_si256(found, 1), sums + 8, adds);
}

// The same for N * LANES columns from `first` on and an even number of rows. Rows are
// taken in pairs: the bytes of two rows lie beside each other, and one instruction
// multiplies them by their factors and adds the products.
template <int N>
DYNORACLE_AVX2 inline void sum_part_avx2(
    const int8_t* const* rows, size_t n_rows, int first, int32_t* sums, bool adds) {
    __m256i low[N], high[N];
    for (int v = 0; v < N; ++v) low[v] = high[v] = _mm256_setzero_si256();
    for (size_t i = 0; i < n_rows; i += 2) {
        const int8_t *one = rows[i], *other = rows[i + 1];
        const __m256i factors = _mm256_set1_epi16(
            int16_t(uint8_t(one[FACTOR]) | uint8_t(other[FACTOR]) << 8));
        for (int v = 0; v < N; ++v) {
            const __m256i x = _mm256_loadu_si256(
                reinterpret_cast<const __m256i*>(one + first + v * LANES));
            const __m256i y = _mm256_loadu_si256(
                reinterpret_cast<const __m256i*>(other + first + v * LANES));
            low[v] = _mm256_add_epi16(
                low[v], _mm256_maddubs_epi16(factors, _mm256_unpacklo_epi8(x, y)));
            high[v] = _mm256_add_epi16(
                high[v], _mm256_maddubs_epi16(factors, _mm256_unpackhi_epi8(x, y)));
        }
    }
    for (int v = 0; v < N; ++v) {
        // Unpacking takes the halves of a vector one by one.
        int32_t* found = sums + first + v * LANES;
        write_sums(_mm256_permute2x128_si256(low[v], high[v], 0x20), found, adds);
        found += LANES / 2;
        write_sums(_mm256_permute2x128_si256(low[v], high[v], 0x31), found, adds);
    }
}

// The same for whole rows.
DYNORACLE_AVX2 inline void sum_rows_avx2(
    const int8_t* const* rows, size_t n_rows, int stride, int32_t* sums, bool adds) {
    constexpr int MOST = 3;
    for (int first = 0; first < stride; first += MOST * LANES) {
        switch ((stride - first) / LANES) {
            case 1: sum_part_avx2<1>(rows, n_rows, first, sums, adds); break;
            case 2: sum_part_avx2<2>(rows, n_rows, first, sums, adds); break;
            default: sum_part_avx2<MOST>(rows, n_rows, first, sums, adds);
        }
    }
}

#endif

}  // namespace dynoracle
