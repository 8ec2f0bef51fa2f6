// Features with few weights, packed into cache lines.
#pragma once

#include <cstdint>

#include "fixed_point.hpp"
#include "vectors.hpp"

namespace dynoracle {

// Where the cells of a feature that has no room in its line begin, in units of 4 bytes, and
// how many they are.
struct OverflowPlace {
    uint32_t start;
    uint16_t count;
};

// A weight of a feature for an action, the column. A weight of more than 8 bits is the sum
// of several cells. Cells with weight 0 are not used.
struct Cell {
    uint8_t column;
    int8_t weight;
};

// The same for models with more than 256 actions. None of their cells are in lines.
struct WideCell {
    uint16_t column;
    int16_t weight;
};

// A cache line with up to six features and twenty weights. A feature that is looked up is
// in one line or in none, so it costs one access to slow memory, weights included.
struct Line {
    static constexpr int HEADS = 6;
    static constexpr int CELLS = 20;
    static constexpr int FINGERPRINT_BITS = 27;
    static constexpr uint32_t FINGERPRINT_MASK = (1u << FINGERPRINT_BITS) - 1;
    // Features with more cells have them elsewhere.
    static constexpr int LONGEST = FeatureSize::PARTS_IN_LINE;
    // In place of the first weight: the feature has four cells that say where its cells
    // are. The start is in their columns, and the number in the next two weights.
    static constexpr int8_t IN_OVERFLOW = -128;
    static constexpr int OVERFLOW_CELLS = 4;

    // The lowest 27 bits of the key of each feature, and above them where its cells
    // begin. They end where those of the next feature begin. Behind the last feature
    // there are heads without cells.
    uint32_t heads[HEADS];
    Cell cells[CELLS];

    static Line empty() {
        Line line{};
        for (int slot = 0; slot < HEADS; ++slot) line.set_head(slot, CELLS, 0);
        return line;
    }

    static uint32_t fingerprint_of(uint64_t key) {
        return uint32_t(key) & FINGERPRINT_MASK;
    }

    void set_head(int slot, int start, uint64_t key) {
        heads[slot] = uint32_t(start) << FINGERPRINT_BITS | fingerprint_of(key);
    }

    int start(int slot) const { return int(heads[slot] >> FINGERPRINT_BITS); }

    // Computed without a branch: which slot it is cannot be guessed.
    int end(int slot) const {
        const uint32_t is_last = uint32_t(0) - uint32_t(slot == HEADS - 1);
        // The last slot has itself for the next one.
        const uint32_t next = heads[slot + 1 + int(is_last)] >> FINGERPRINT_BITS;
        return int((next & ~is_last) | (uint32_t(CELLS) & is_last));
    }

    // Whether the cells of the feature whose place in the line is first..end are elsewhere.
    bool is_in_overflow(int first, int end) const {
        return first < end && cells[first].weight == IN_OVERFLOW;
    }

    OverflowPlace overflow(int first) const {
        const Cell* cell = cells + first;
        OverflowPlace place{};
        for (int i = 0; i < OVERFLOW_CELLS; ++i) {
            place.start |= uint32_t(cell[i].column) << (8 * i);
        }
        place.count = uint16_t(uint8_t(cell[1].weight) | uint8_t(cell[2].weight) << 8);
        return place;
    }

    void set_overflow(int first, OverflowPlace place) {
        Cell* cell = cells + first;
        for (int i = 0; i < OVERFLOW_CELLS; ++i) {
            cell[i].column = uint8_t(place.start >> (8 * i));
        }
        cell[0].weight = IN_OVERFLOW;
        cell[1].weight = int8_t(place.count & 0xFF);
        cell[2].weight = int8_t(place.count >> 8);
    }

    // The slot of a feature; HEADS if it is not in the line.
    int find(uint64_t key) const {
        const uint32_t fingerprint = fingerprint_of(key);
        int slot = HEADS;
        for (int i = HEADS; i-- > 0;) {
            if ((heads[i] & FINGERPRINT_MASK) == fingerprint) slot = i;
        }
        return slot;
    }

#ifdef DYNORACLE_X86
    // The same. All heads are looked at at once, and what is behind them in the line.
    DYNORACLE_AVX2 int find_avx2(uint64_t key) const {
        const __m256i mask = _mm256_set1_epi32(int(FINGERPRINT_MASK));
        const __m256i wanted = _mm256_set1_epi32(int32_t(uint32_t(key)));
        const __m256i found = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(heads));
        const __m256i other = _mm256_and_si256(_mm256_xor_si256(found, wanted), mask);
        const __m256i equal = _mm256_cmpeq_epi32(other, _mm256_setzero_si256());
        const unsigned hits = unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
        // A bit behind those of the heads ends the search.
        return int(_tzcnt_u32(hits | 1u << HEADS));
    }
#endif
};
static_assert(sizeof(Line) == 64, "a line is a cache line");

}  // namespace dynoracle
