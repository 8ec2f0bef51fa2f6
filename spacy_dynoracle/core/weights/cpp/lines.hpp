// Features with few weights, packed into cache lines.
#pragma once

#include <cstdint>

#include "fixed_point.hpp"
#include "vectors.hpp"

namespace dynoracle {

// Where a list of weights begins, in units of 4 bytes, and its length.
struct ListPlace {
    uint32_t start;
    uint16_t count;
};

// A weight of a feature. A larger one is that of several cells with the same column. Cells
// with weight 0 are not used.
struct Cell {
    uint8_t column;
    int8_t weight;
};

// The same for models with more columns. These have lists of them, and no cells.
struct WideCell {
    uint16_t column;
    int16_t weight;
};

// A cache line with up to six features and twenty weights. A feature that is looked up is
// in one line or in none, so it costs one access to slow memory, weights included.
struct Line {
    static constexpr int HEADS = 6;
    static constexpr int CELLS = 20;
    static constexpr int HEAD_BITS = 27;
    static constexpr uint32_t HEAD_MASK = (1u << HEAD_BITS) - 1;
    // Features with more cells have a list.
    static constexpr int LONGEST = FeatureSize::PARTS_IN_LINE;
    // In place of the first weight: the feature has four cells that say where its list is.
    // The start of the list is in their columns, and its length in the next two weights.
    static constexpr int8_t IN_LIST = -128;
    static constexpr int LIST_CELLS = 4;

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

    static uint32_t head_of(uint64_t key) { return uint32_t(key) & HEAD_MASK; }

    void set_head(int slot, int start, uint64_t key) {
        heads[slot] = uint32_t(start) << HEAD_BITS | head_of(key);
    }

    int start(int slot) const { return int(heads[slot] >> HEAD_BITS); }

    // Computed without a branch: which slot it is cannot be guessed.
    int end(int slot) const {
        const uint32_t is_last = uint32_t(0) - uint32_t(slot == HEADS - 1);
        // The last slot has itself for the next one.
        const uint32_t next = heads[slot + 1 + int(is_last)] >> HEAD_BITS;
        return int((next & ~is_last) | (uint32_t(CELLS) & is_last));
    }

    // Whether the weights of the feature whose cells begin at `first` are in a list.
    bool is_in_list(int first, int end) const {
        return first < end && cells[first].weight == IN_LIST;
    }

    ListPlace list(int first) const {
        const Cell* cell = cells + first;
        ListPlace place{};
        for (int i = 0; i < LIST_CELLS; ++i) {
            place.start |= uint32_t(cell[i].column) << (8 * i);
        }
        place.count = uint16_t(uint8_t(cell[1].weight) | uint8_t(cell[2].weight) << 8);
        return place;
    }

    void set_list(int first, ListPlace place) {
        Cell* cell = cells + first;
        for (int i = 0; i < LIST_CELLS; ++i) {
            cell[i].column = uint8_t(place.start >> (8 * i));
        }
        cell[0].weight = IN_LIST;
        cell[1].weight = int8_t(place.count & 0xFF);
        cell[2].weight = int8_t(place.count >> 8);
    }

    // The slot of a feature; HEADS if it is not in the line.
    int find(uint64_t key) const {
        const uint32_t head = head_of(key);
        int slot = HEADS;
        for (int i = HEADS; i-- > 0;) {
            if ((heads[i] & HEAD_MASK) == head) slot = i;
        }
        return slot;
    }

#ifdef DYNORACLE_X86
    // The same. All heads are looked at at once, and what is behind them in the line.
    DYNORACLE_AVX2 int find_vectorized(uint64_t key) const {
        const __m256i mask = _mm256_set1_epi32(int(HEAD_MASK));
        const __m256i head = _mm256_set1_epi32(int32_t(uint32_t(key)));
        const __m256i found = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(heads));
        const __m256i other = _mm256_and_si256(_mm256_xor_si256(found, head), mask);
        const __m256i equal = _mm256_cmpeq_epi32(other, _mm256_setzero_si256());
        const unsigned hits = unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
        // A bit behind those of the heads ends the search.
        return int(_tzcnt_u32(hits | 1u << HEADS));
    }
#endif
};
static_assert(sizeof(Line) == 64, "a line is a cache line");

}  // namespace dynoracle
