// The weights of a finished model: flat arrays that are used as they lie in the file.
//
//   slots   one 8-byte slot for each place of two open-addressing tables, one after the
//           other. A slot has a 32-bit fingerprint of the feature key and the place of
//           its row. The first table has the keys with dense rows. Most keys in use are
//           of this kind, and the table is so small that it stays in the cache. Both
//           tables consist of whole cache lines, and half of their places are empty, so
//           that a search seldom needs a second line;
//   highs   the upper 16 bits of the keys, for training that starts from a saved model
//           and needs the keys again. Scoring never reads them;
//   rows    bytes. A dense row has `stride` 8-bit weights. A sparse row has a count, as
//           many action numbers (8 bits if these suffice for all actions, else 16;
//           padded to an even length) and as many 16-bit weights. It crosses the border
//           of a cache line only if it must.
//
// A reference to a dense row is its offset in units of 32 bytes, times 16, plus the shift
// of the row: its weights are multiplied by 2**shift. A reference to a sparse row is its
// offset in pairs of bytes.
//
// Weights are fixed-point numbers with one scale for the whole model, so that sums are
// exact and do not depend on the order of the features; see fixed_point.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dense_rows.hpp"
#include "fixed_point.hpp"
#include "frozen_table.hpp"

namespace dynoracle {

struct FrozenSlot {
    static constexpr uint32_t EMPTY = 0xFFFFFFFFu;

    uint32_t fingerprint;
    uint32_t row;

    bool is_empty() const { return row == EMPTY; }
};

#ifdef DYNORACLE_X86
// Compare all slots of a cache line at once, with instructions that every processor of
// this architecture has. In a loop, the processor would have to guess at each slot
// whether the search ends there.
template <>
inline uint64_t place_in_line<8>(
    const FrozenSlot* line, uint64_t start, uint32_t fingerprint) {
    const __m128i wanted =
        _mm_set1_epi64x(int64_t(uint64_t(FrozenSlot::EMPTY) << 32 | fingerprint));
    const auto two_slots = [&](int i) {
        const __m128i slots = _mm_loadu_si128((const __m128i*)(line + i));
        return _mm_cmpeq_epi32(slots, wanted);
    };
    const __m128i low = _mm_packs_epi32(two_slots(0), two_slots(2));
    const __m128i high = _mm_packs_epi32(two_slots(4), two_slots(6));
    // Each slot has two bits: its fingerprint is the wanted one, and it is empty.
    const uint32_t hits = uint32_t(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
    if (hits == 0) return 8;
    const uint32_t from_start = (hits | hits << 16) >> (2 * start);
    return (start + uint64_t(__builtin_ctz(from_start)) / 2) % 8;
}
#endif

class FrozenRows {
public:
    static constexpr uint64_t LINE = 64;
    static constexpr uint64_t SLOTS_PER_LINE = LINE / sizeof(FrozenSlot);
    static constexpr int MAX_KEYS = DenseRows::MAX_ROWS;

    const FrozenSlot* slots = nullptr;
    const uint16_t* highs = nullptr;
    const char* rows = nullptr;
    uint64_t n_slots = 0;
    // The number of slots of the first table.
    uint64_t n_dense_slots = 0;
    uint64_t n_row_bytes = 0;
    uint32_t multiplier = 0;
    int n_actions = 0;
    int stride = 0;
    bool wide = false;

    static int stride_for(int n_actions) { return (n_actions + 31) / 32 * 32; }
    static bool wide_for(int n_actions) { return n_actions > 256; }

    uint32_t fingerprint(uint64_t key) const {
        return uint32_t(key) ^ (uint32_t(key >> 32) * multiplier);
    }

    // One of the two tables.
    using Table = FrozenTable<FrozenSlot, SLOTS_PER_LINE>;

    Table dense_table() const { return Table{slots, n_dense_slots}; }
    Table sparse_table() const {
        return Table{slots + n_dense_slots, n_slots - n_dense_slots};
    }

    // Set scores, which has `stride` entries, to the sums of the weights of all keys,
    // multiplied by unit. vectorized: use AVX2 if the processor has it; the sums are the
    // same.
    //
    // Memory is prefetched some time before it is needed: first the places in the first
    // table, then dense rows or places in the second table, then sparse rows. Keys are
    // sorted into these groups without branches, because the processor would often guess
    // them wrong.
    void sum_scores(
        const uint64_t* keys, int n_keys, float unit, float* scores,
        bool vectorized = true
    ) const {
        DenseRows dense;
        uint64_t others[MAX_KEYS];
        uint32_t found[MAX_KEYS];
        int n_others = 0, n_sparse = 0;
        const Table first = dense_table(), second = sparse_table();
        for (int i = 0; i < n_keys; ++i) first.prefetch_slot(keys[i]);
        for (int i = 0; i < n_keys; ++i) {
            const FrozenSlot slot = first.find(keys[i], fingerprint(keys[i]));
            others[n_others] = keys[i];
            found[i - n_others] = slot.row;
            n_others += slot.is_empty();
        }
        const int n_dense = n_keys - n_others;
        for (int i = 0; i < n_others; ++i) second.prefetch_slot(others[i]);
        for (int i = 0; i < n_dense; ++i) {
            const int8_t* row = dense_row(found[i]);
            for (int a = 0; a < stride; a += 64) prefetch(row + a);
            prefetch(row + stride - 1);
            dense.add(row, shift_of(found[i]));
        }
        for (int i = 0; i < n_others; ++i) {
            const FrozenSlot slot = second.find(others[i], fingerprint(others[i]));
            found[n_sparse] = slot.row;
            n_sparse += !slot.is_empty();
        }
        for (int i = 0; i < n_sparse; ++i) prefetch(rows + sparse_offset(found[i]));
        dense.sum(stride, scores, vectorized);
        for (int i = 0; i < n_sparse; ++i) {
            const char* row = rows + sparse_offset(found[i]);
            if (wide) {
                add_sparse<uint16_t>(row, scores);
            } else {
                add_sparse<uint8_t>(row, scores);
            }
        }
        for (int a = 0; a < stride; ++a) scores[a] = float(read_sum(scores + a)) * unit;
    }

    // Call visit(key, action, value) for every weight.
    template <class Visit>
    void for_each(Visit visit) const {
        for (uint64_t i = 0; i < n_slots; ++i) {
            if (slots[i].is_empty()) continue;
            const uint32_t low = slots[i].fingerprint ^ (uint32_t(highs[i]) * multiplier);
            const uint64_t key = (uint64_t(highs[i]) << 32) | low;
            const uint32_t row = slots[i].row;
            if (i < n_dense_slots) {
                const int8_t* dense = dense_row(row);
                for (int a = 0; a < n_actions; ++a) {
                    if (dense[a]) visit(key, a, dense[a] * (1 << shift_of(row)));
                }
            } else if (wide) {
                visit_sparse<uint16_t>(key, rows + sparse_offset(row), visit);
            } else {
                visit_sparse<uint8_t>(key, rows + sparse_offset(row), visit);
            }
        }
    }

    // Whether every slot and row lies within its array and has only existing actions.
    bool is_sound() const {
        if (stride != stride_for(n_actions) || wide != wide_for(n_actions)) return false;
        if (n_dense_slots < 1 || n_dense_slots >= n_slots) return false;
        if (n_dense_slots % SLOTS_PER_LINE || n_slots % SLOTS_PER_LINE) return false;
        bool has_empty = false;
        for (uint64_t i = 0; i < n_slots; ++i) {
            const uint32_t row = slots[i].row;
            if (i == n_dense_slots) {
                if (!has_empty) return false;
                has_empty = false;
            }
            if (slots[i].is_empty()) {
                has_empty = true;
            } else if (i < n_dense_slots) {
                if (!is_sound_dense(row)) return false;
            } else if (!(wide ? is_sound_sparse<uint16_t>(sparse_offset(row))
                              : is_sound_sparse<uint8_t>(sparse_offset(row)))) {
                return false;
            }
        }
        return has_empty;
    }

private:
    friend class FrozenRowsBuilder;

    // Reading and writing references to rows.
    static uint64_t sparse_offset(uint32_t row) { return uint64_t(row) * 2; }
    static uint64_t dense_offset(uint32_t row) { return uint64_t(row >> 4) * 32; }
    static int shift_of(uint32_t row) { return int(row & 15); }

    const int8_t* dense_row(uint32_t row) const {
        return reinterpret_cast<const int8_t*>(rows + dense_offset(row));
    }

    // A sparse row begins with its count, which has the type of the action numbers.
    template <class Action>
    static size_t weights_offset(int count) {
        return ((count + 1) * sizeof(Action) + 1) / 2 * 2;
    }

    template <class Action>
    static int count_of(const char* row) {
        return *reinterpret_cast<const Action*>(row);
    }

    template <class Action>
    static void add_sparse(const char* row, float* sums) {
        const int count = count_of<Action>(row);
        const Action* actions = reinterpret_cast<const Action*>(row) + 1;
        const int16_t* weights =
            reinterpret_cast<const int16_t*>(row + weights_offset<Action>(count));
        for (int i = 0; i < count; ++i) {
            float* place = sums + actions[i];
            write_sum(place, read_sum(place) + weights[i]);
        }
    }

    template <class Action, class Visit>
    static void visit_sparse(uint64_t key, const char* row, Visit visit) {
        const int count = count_of<Action>(row);
        const Action* actions = reinterpret_cast<const Action*>(row) + 1;
        const int16_t* weights =
            reinterpret_cast<const int16_t*>(row + weights_offset<Action>(count));
        for (int i = 0; i < count; ++i) visit(key, int(actions[i]), int(weights[i]));
    }

    bool fits(uint64_t start, uint64_t bytes) const {
        return start <= n_row_bytes && bytes <= n_row_bytes - start;
    }

    bool is_sound_dense(uint32_t row) const {
        return shift_of(row) <= LARGEST_SHIFT && fits(dense_offset(row), uint64_t(stride));
    }

    template <class Action>
    bool is_sound_sparse(uint64_t start) const {
        if (!fits(start, sizeof(Action))) return false;
        const int count = count_of<Action>(rows + start);
        if (!fits(start, weights_offset<Action>(count) + 2 * size_t(count))) return false;
        const Action* actions = reinterpret_cast<const Action*>(rows + start) + 1;
        for (int i = 0; i < count; ++i) {
            if (actions[i] >= n_actions) return false;
        }
        return true;
    }
};

}  // namespace dynoracle
