// Frozen weights: flat arrays that are used as they lie in the file.
//
//   buckets   a hash table of the features with many weights, in buckets of one cache line.
//             Most features of a configuration are of this kind, and they are so few that
//             the table stays in a fast cache. The value of a feature is where its row
//             begins, in bytes. A feature that finds its bucket full is treated like those
//             with few weights;
//   rows      a row of zeros, and the rows of these features (see row_sums.hpp);
//   pilots    the hash function of the other features (see static_hash.hpp), which says in
//             which line they are;
//   lines     these features with their weights (see lines.hpp), and an empty line;
//   overflow  the cells of those of them that have too many for a line, in the order of
//             the lines, and behind them some zeros;
//   resume    the upper 24 bits of the keys of all features, those in buckets first, in
//             their order. Only training that starts from the weights needs them, and a
//             model may lack them. Scoring never reads them.
//
// docs/explanation/memory.md has a picture of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "buckets.hpp"
#include "cell_sums.hpp"
#include "fixed_point.hpp"
#include "lines.hpp"
#include "row_sums.hpp"
#include "static_hash.hpp"

namespace dynoracle {

class FrozenArrays {
public:
    // The cells of a feature begin at multiples of this number of bytes.
    static constexpr int OVERFLOW_UNIT = 4;
    // Behind the last cells there is room for a few.
    static constexpr size_t OVERFLOW_PADDING = sizeof(Cell) * CellRoom::SHORT_OVERFLOW;
    // Bounds on the sizes of weights are stated in units of this.
    static constexpr int BOUND_UNIT = 64;
    // Bytes of a key in `resume`.
    static constexpr int UPPER_BYTES = 3;

    BucketTable buckets;
    const int8_t* rows = nullptr;
    StaticHash hash;
    const Line* lines = nullptr;
    const char* overflow = nullptr;
    const uint8_t* resume = nullptr;
    uint64_t n_rows = 0;
    uint64_t n_features = 0;
    uint64_t n_overflow_bytes = 0;
    uint64_t n_resume_bytes = 0;
    int n_actions = 0;
    int stride = 0;
    bool wide = false;

    void set_actions(int n) {
        n_actions = n;
        stride = stride_for(n);
        wide = n > 256;
    }

    // The number of scores: one for each action, and zeros up to a multiple of 8.
    int n_scores() const { return (n_actions + 7) / 8 * 8; }

    // The bound on the bytes of a row, in units of BOUND_UNIT: at most 2. Without a branch
    // on a byte, because loading looks at all rows.
    static int bound_of(const int8_t* row, int n_actions) {
        uint8_t any = 0, any_larger = 0;
        for (int a = 0; a < n_actions; ++a) {
            const uint8_t byte = uint8_t(row[FIRST_ACTION + a]);
            any |= byte;
            any_larger |= uint8_t(uint8_t(byte + BOUND_UNIT) > 2 * BOUND_UNIT);
        }
        return any == 0 ? 0 : any_larger == 0 ? 1 : 2;
    }

    // Whether the whole keys are there, so that training can start from the weights.
    bool has_keys() const { return n_resume_bytes == UPPER_BYTES * n_features; }

    // Call visit(key, action, value) for every weight. The whole keys must be there.
    template <class Visit>
    void for_each(Visit visit) const {
        const uint8_t* upper = resume;
        for (uint64_t b = 0; b < buckets.size; ++b) {
            const Bucket& bucket = buckets.buckets[b];
            for (int slot = 0; slot < Bucket::USED && bucket.values[slot] != 0; ++slot) {
                const uint64_t key = key_of(bucket.fingerprints[slot], upper);
                upper += UPPER_BYTES;
                const int8_t* found = row(bucket.values[slot]);
                for (int a = 0; a < n_actions; ++a) {
                    const int value = found[FACTOR] * found[FIRST_ACTION + a];
                    if (value != 0) visit(key, a, value);
                }
            }
        }
        for (uint64_t i = 0; i < hash.n_lines; ++i) {
            for (int slot = 0; slot < Line::HEADS; ++slot) {
                if (lines[i].start(slot) == lines[i].end(slot)) continue;
                const uint64_t key = key_of(lines[i].heads[slot], upper);
                upper += UPPER_BYTES;
                for_weights(lines[i], slot, [&](int action, int weight) {
                    visit(key, action, weight);
                });
            }
        }
    }

    // The upper bits of a key, as `resume` has them.
    static uint8_t upper_byte(uint64_t key, int i) {
        return uint8_t(key >> (UPPER_SHIFT + 8 * i));
    }

    // The row of a feature in a bucket; the zeros for value 0, which is that of keys
    // without a row.
    const int8_t* row(uint32_t value) const { return rows + value; }

    const char* overflow_at(OverflowPlace place) const {
        return overflow + size_t(place.start) * OVERFLOW_UNIT;
    }

    uint64_t overflow_bytes(OverflowPlace place) const {
        return uint64_t(place.count) * (wide ? sizeof(WideCell) : sizeof(Cell));
    }

    // Call use(cells, count) with the cells or wide cells at a place.
    template <class Use>
    void with_overflow(OverflowPlace place, Use use) const {
        const char* found = overflow_at(place);
        if (wide) {
            use(reinterpret_cast<const WideCell*>(found), int(place.count));
        } else {
            use(reinterpret_cast<const Cell*>(found), int(place.count));
        }
    }

    // Call visit(action, weight) for all weights of a feature in a line that are not 0.
    template <class Visit>
    void for_weights(const Line& line, int slot, Visit visit) const {
        const auto visit_cells = [&](auto cells, int n) {
            for (int i = 0; i < n;) {
                const int column = cells[i].column;
                int weight = 0;
                for (; i < n && cells[i].column == column; ++i) weight += cells[i].weight;
                if (weight != 0) visit(column, weight);
            }
        };
        const int start = line.start(slot), end = line.end(slot);
        if (line.is_in_overflow(start, end)) {
            with_overflow(line.overflow(start), visit_cells);
        } else {
            visit_cells(line.cells + start, end - start);
        }
    }

private:
    static constexpr int UPPER_SHIFT = KEY_BITS - 8 * UPPER_BYTES;
    static_assert(UPPER_SHIFT <= Line::FINGERPRINT_BITS, "lines have the lower bits");

    // A key from its lower bits and the bytes of the upper ones.
    static uint64_t key_of(uint64_t lower, const uint8_t* upper) {
        uint64_t key = lower & ((uint64_t(1) << UPPER_SHIFT) - 1);
        for (int i = 0; i < UPPER_BYTES; ++i) {
            key |= uint64_t(upper[i]) << (UPPER_SHIFT + 8 * i);
        }
        return key;
    }
};

}  // namespace dynoracle
