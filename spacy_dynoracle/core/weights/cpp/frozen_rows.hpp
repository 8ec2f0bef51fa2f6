// The weights of a finished model: flat arrays that are used as they lie in the file.
//
//   common   a hash table of the features with many weights, in buckets of one cache line.
//            Most features of a configuration are of this kind, and they are so few that
//            the table stays in a fast cache. The value of a feature is where its row
//            begins, in bytes. A feature that finds its bucket full is treated like those
//            with few weights;
//   rows     a row of zeros, and the rows of these features (see row_sums.hpp);
//   pilots   the hash function of the other features (see static_hash.hpp), which says in
//            which line they are;
//   lines    these features with their weights (see lines.hpp), and an empty line;
//   lists    the weights of those of them that have too many for a line, in the order of
//            the lines, and behind them some zeros;
//   highs    the bits of keys that buckets, heads and lines do not tell; see
//            key_highs.hpp. Those of features in buckets come first, in their order. They
//            are for training that starts from a saved model. Scoring never reads them.
//
// Weights are fixed-point numbers with one scale for the whole model, so that sums are
// exact and do not depend on the order of the features; see fixed_point.hpp. Features with
// more than a few weights have numbers of 8 bits times a power of two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "buckets.hpp"
#include "cell_sums.hpp"
#include "fixed_point.hpp"
#include "key_highs.hpp"
#include "lines.hpp"
#include "row_sums.hpp"
#include "static_hash.hpp"

namespace dynoracle {

class FrozenRows {
public:
    static constexpr int MAX_KEYS = 512;
    // Lists begin at multiples of this number of bytes.
    static constexpr int LIST_UNIT = 4;
    // Behind the last list there is room for a short one.
    static constexpr size_t LIST_PADDING = sizeof(Cell) * CellRoom<MAX_KEYS>::SHORT_LIST;
    // Bounds on the sizes of weights are stated in units of this.
    static constexpr int BOUND_UNIT = 64;

    BucketTable common;
    const int8_t* rows = nullptr;
    StaticHash hash;
    const Line* lines = nullptr;
    const char* lists = nullptr;
    const uint8_t* highs = nullptr;
    uint64_t n_rows = 0;
    uint64_t n_features = 0;
    uint64_t n_list_bytes = 0;
    uint64_t n_high_bytes = 0;
    int n_actions = 0;
    int stride = 0;
    bool wide = false;

    static bool wide_for(int n_actions) { return n_actions > 256; }

    // The number of scores: one for each action, and zeros up to a multiple of 8.
    int n_scores() const { return (n_actions + 7) / 8 * 8; }

    // The bound on the numbers of a row, in units of BOUND_UNIT: at most 2. Without a branch
    // on a number, because loading looks at all rows.
    static int bound_of(const int8_t* row, int n_actions) {
        uint8_t any = 0, any_larger = 0;
        for (int a = 0; a < n_actions; ++a) {
            const uint8_t number = uint8_t(row[FIRST_ACTION + a]);
            any |= number;
            any_larger |= uint8_t(uint8_t(number + BOUND_UNIT) > 2 * BOUND_UNIT);
        }
        return any == 0 ? 0 : any_larger == 0 ? 1 : 2;
    }

    // Call visit(key, action, value) for every weight.
    template <class Visit>
    void for_each(Visit visit) const {
        const uint8_t* high = highs;
        for (uint64_t i = 0; i < common.size * Bucket::SIZE; ++i) {
            const Bucket& bucket = common.buckets[i / Bucket::SIZE];
            const uint32_t value = bucket.values[i % Bucket::SIZE];
            if (value == 0) continue;
            const uint64_t key =
                KeyHighs::long_key(bucket.fingerprints[i % Bucket::SIZE], high);
            high += KeyHighs::LONG_BYTES;
            const int8_t* numbers = row(value) + FIRST_ACTION;
            const int factor = row(value)[FACTOR];
            for (int a = 0; a < n_actions; ++a) {
                if (numbers[a]) visit(key, a, factor * numbers[a]);
            }
        }
        const bool is_short = KeyHighs::are_short(hash.n_lines);
        const int n_bytes = KeyHighs::bytes_in_lines(hash.n_lines);
        for (uint64_t i = 0; i < hash.n_lines; ++i) {
            for (int slot = 0; slot < Line::HEADS; ++slot) {
                if (lines[i].start(slot) == lines[i].end(slot)) continue;
                const uint64_t head = Line::head_of(lines[i].heads[slot]);
                const uint64_t key = is_short
                                         ? KeyHighs::short_key(head, *high, hash, i)
                                         : KeyHighs::long_key(head, high);
                high += n_bytes;
                for_weights(lines[i], slot, [&](int action, int weight) {
                    visit(key, action, weight);
                });
            }
        }
    }

    // Whether everything in the arrays lies within them and is as it says; see
    // frozen_checks.hpp.
    bool is_sound() const;

    // The row of a feature in the table of common ones; the zeros for value 0, which is
    // that of keys without a row.
    const int8_t* row(uint32_t value) const { return rows + value; }

    const char* list(ListPlace place) const {
        return lists + size_t(place.start) * LIST_UNIT;
    }

    // Bytes of a list.
    uint64_t list_bytes(ListPlace place) const {
        return uint64_t(place.count) * (wide ? sizeof(WideCell) : sizeof(Cell));
    }

    // Call use(cells, number) with the cells or wide cells of a feature in a line.
    template <class Use>
    void with_cells(const Line& line, int slot, Use use) const {
        const int start = line.start(slot), end = line.end(slot);
        if (!line.is_in_list(start, end)) {
            use(line.cells + start, end - start);
            return;
        }
        with_list(line.list(start), use);
    }

    // Call use(cells, number) with the cells or wide cells of a list.
    template <class Use>
    void with_list(ListPlace place, Use use) const {
        if (wide) {
            use(reinterpret_cast<const WideCell*>(list(place)), int(place.count));
        } else {
            use(reinterpret_cast<const Cell*>(list(place)), int(place.count));
        }
    }

    // Call visit(action, weight) for all weights of a feature in a line that are not 0.
    template <class Visit>
    void for_weights(const Line& line, int slot, Visit visit) const {
        with_cells(line, slot, [&](auto cells, int n) {
            for (int i = 0; i < n;) {
                const int column = cells[i].column;
                int weight = 0;
                for (; i < n && cells[i].column == column; ++i) weight += cells[i].weight;
                if (weight != 0) visit(column, weight);
            }
        });
    }

private:
    static bool is_zero(const int8_t* first, const int8_t* end);
    bool is_start_of_row(uint32_t value) const;
    bool is_sound_row(const int8_t* numbers) const;
    // n_found: number of features so far. list_end: where their last list ends.
    bool is_sound_line(const Line& line, uint64_t& n_found, uint64_t& list_end) const;
    bool is_sound_list(ListPlace place, uint64_t& list_end) const;
};

}  // namespace dynoracle
