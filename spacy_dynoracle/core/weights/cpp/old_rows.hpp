// The weights of models that version 0.1 and 0.2 saved, to be converted.
//
//   slots   one 8-byte slot for each place of two open-addressing tables, one after the
//           other. A slot has a 32-bit fingerprint of the feature key and the place of
//           its row. The first table has the keys with dense rows;
//   highs   the upper 16 bits of the keys of the slots;
//   rows    bytes. A dense row has `stride` 8-bit weights. A sparse row has a count, as
//           many action numbers (8 bits if these suffice for all actions, else 16;
//           padded to an even length) and as many 16-bit weights.
//
// A reference to a dense row is its offset in units of 32 bytes, times 16, plus the shift
// of the row: its weights are multiplied by 2**shift. A reference to a sparse row is its
// offset in pairs of bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fixed_point.hpp"
#include "frozen_builder.hpp"

namespace dynoracle {

struct OldSlot {
    static constexpr uint32_t EMPTY = 0xFFFFFFFFu;

    uint32_t fingerprint;
    uint32_t row;

    bool is_empty() const { return row == EMPTY; }
};

class OldRows {
public:
    static constexpr uint64_t SLOTS_PER_LINE = 8;
    static constexpr int LARGEST_SHIFT = 8;

    const OldSlot* slots = nullptr;
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
        // Rows do not overlap, so that looking at all of them takes no longer than the
        // file.
        uint64_t n_weights = 0;
        for (uint64_t i = 0; i < n_slots; ++i) {
            const uint32_t row = slots[i].row;
            if (i == n_dense_slots) {
                if (!has_empty) return false;
                has_empty = false;
            }
            if (!slots[i].is_empty()) {
                n_weights += i < n_dense_slots ? uint64_t(stride) : n_sparse(row);
                if (n_weights > n_row_bytes) return false;
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
    // The number of weights of a sparse row; 0 if it begins outside of the array.
    uint64_t n_sparse(uint32_t row) const {
        const uint64_t start = sparse_offset(row);
        if (!fits(start, wide ? sizeof(uint16_t) : sizeof(uint8_t))) return 0;
        return uint64_t(
            wide ? count_of<uint16_t>(rows + start) : count_of<uint8_t>(rows + start));
    }

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

// Add the weights of a model of an older format. Returns what they were divided by, so
// that none is too large.
inline int add_old_rows(const OldRows& rows, FrozenRowsBuilder& builder) {
    int largest = 0, divisor = 1;
    rows.for_each([&](uint64_t, int, int value) {
        largest = std::max(largest, std::abs(value));
    });
    while (largest / divisor > LARGEST_WEIGHT) divisor *= 2;
    // Numbers have 16 bits, so the divisor is 8 at most. The quotient of the largest ones
    // is a little too large.
    rows.for_each([&](uint64_t key, int action, int value) {
        constexpr int LARGEST = LARGEST_WEIGHT * FINE;
        const int fine = value * (FINE / divisor);
        builder.add(key, action, std::clamp(fine, -LARGEST, LARGEST));
    });
    return divisor;
}

}  // namespace dynoracle
