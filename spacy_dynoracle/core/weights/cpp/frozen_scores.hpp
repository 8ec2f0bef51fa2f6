// The scores of all actions for a set of features, the innermost part of scoring.
//
// Features with rows are found in buckets, and the others in lines. Memory is fetched some
// time before it is needed.
//
// With AVX2, no step branches on whether a model has a feature. Processors guess such
// branches wrong half of the time, and then they have to begin again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "argmax.hpp"
#include "cell_sums.hpp"
#include "frozen_arrays.hpp"
#include "row_sums.hpp"

namespace dynoracle {

// The scores of one set of features at a time. While the memory arrives that the second
// step needs, another object can do its first step.
class FrozenScores {
public:
    explicit FrozenScores(const FrozenArrays& arrays)
        : arrays_(arrays), room_(size_t(arrays.stride) + SUMS_IN_LINE) {}

    // Look up the keys of a set of features.
    void begin(const uint64_t* keys, int n_keys) {
#ifdef DYNORACLE_X86
        if (has_vectors()) return find_avx2(keys, size_t(n_keys));
#endif
        find(keys, size_t(n_keys));
    }

    // Set scores to the sums of the weights of all keys, multiplied by unit.
    void write(float unit, float* scores) {
        const int32_t* sums = sums_of_actions();
        for (int a = 0; a < arrays_.n_scores(); ++a) scores[a] = float(sums[a]) * unit;
    }

    // The action with the largest score, the first of equals; -1 if there is none.
    // mask: 0 for the actions that count, and minus infinity for the others. score: set to
    // the largest one.
    int best(const float* mask, float unit, float* score) {
        const int32_t* sums = sums_of_actions();
        const int best = largest_sum(sums, mask, arrays_.n_scores());
        // Only one of the sums is multiplied.
        if (best >= 0) *score = float(sums[best]) * unit;
        return best;
    }

private:
    static constexpr size_t LINE_BYTES = 64, SUMS_IN_LINE = LINE_BYTES / sizeof(int32_t);
    // What `pack` and others write behind the last item. It is more than they need, so
    // that the arrays do not all begin at the same place of a page: these would share a
    // few lines of the cache.
    static constexpr int PADDING = 96;

    const FrozenArrays& arrays_;
    std::vector<int32_t> room_;
    // Whether the last sums needed 32 bits: then the next ones mostly do, too.
    bool is_large_ = false;
    // The rows of the features that have one.
    size_t n_rows_ = 0;
    const int8_t* rows_[MAX_KEYS + PADDING];
    // The keys of the other features and the lines they would be in.
    size_t n_others_ = 0;
    uint64_t others_[MAX_KEYS + PADDING];
    const Line* lines_[MAX_KEYS + PADDING];
    // The lines of those that are there, and their slots.
    const Line* found_[MAX_KEYS + PADDING];
    int slots_[MAX_KEYS + PADDING];

    const int32_t* sums_of_actions() {
        // They begin where a cache line does.
        const size_t place = reinterpret_cast<uintptr_t>(room_.data()) / sizeof(int32_t);
        int32_t* sums = room_.data() + (0 - place) % SUMS_IN_LINE;
        sum(sums);
        return sums + FIRST_ACTION;
    }

    // Look up some keys.
    void find(const uint64_t* keys, size_t n_keys) {
        n_rows_ = n_others_ = 0;
        for (size_t i = 0; i < n_keys; ++i) {
            const uint64_t key = keys[i];
            const uint32_t value = arrays_.buckets.find(key);
            if (value != 0) {
                rows_[n_rows_++] = arrays_.row(value);
                prefetch_row(arrays_.row(value));
            } else {
                others_[n_others_++] = key;
            }
        }
        for (size_t i = 0; i < n_others_; ++i) {
            lines_[i] = arrays_.lines + arrays_.hash.line(others_[i]);
            prefetch(lines_[i]);
        }
    }

    // Set sums, which have the columns of rows, to the sums of the weights of all keys.
    void sum(int32_t* sums) {
#ifdef DYNORACLE_X86
        if (has_vectors()) return sum_avx2(sums);
#endif
        sum_rows_by(sum_rows, sums);
        size_t n_found = 0;
        for (size_t i = 0; i < n_others_; ++i) {
            const int slot = lines_[i]->find(others_[i]);
            if (slot != Line::HEADS) add_found(n_found++, lines_[i], slot);
        }
        add_cells_of(n_found, sums);
    }

#ifdef DYNORACLE_X86
    DYNORACLE_AVX2 void find_avx2(const uint64_t* keys, size_t n_keys) {
        // Copies, because the compiler has to assume that writing changes the members.
        const BucketTable table = arrays_.buckets;
        const int8_t* rows = arrays_.rows;
        size_t n_rows = 0, n_others = 0;
        // All homes come first, so that the look-ups do not wait for them.
        uint64_t homes[MAX_KEYS];
        const size_t n_whole = n_keys / PACKED * PACKED, n_last = n_keys - n_whole;
        for (size_t i = 0; i < n_whole; i += PACKED) {
            const auto* some = reinterpret_cast<const __m256i*>(keys + i);
            table.find_homes_avx2(_mm256_loadu_si256(some), homes + i);
        }
        for (size_t i = 0; i < n_whole; i += PACKED) {
            find_some_avx2(table, rows, keys + i, homes + i, PACKED, n_rows, n_others);
        }
        if (n_last != 0) {
            // Nothing behind the last key may be read.
            const __m256i is_key = _mm256_cmpgt_epi64(
                _mm256_set1_epi64x(int64_t(n_last)), _mm256_set_epi64x(3, 2, 1, 0));
            const __m256i some = _mm256_maskload_epi64(
                reinterpret_cast<const long long*>(keys + n_whole), is_key);
            uint64_t last[PACKED];
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(last), some);
            table.find_homes_avx2(some, homes);
            find_some_avx2(table, rows, last, homes, n_last, n_rows, n_others);
        }
        n_rows_ = n_rows;
        n_others_ = n_others;
        const Line* lines = arrays_.lines;
        const StaticHash hash = arrays_.hash;
        for (size_t i = 0; i < n_others; i += PACKED) {
            uint64_t places[PACKED];
            hash.find_lines_avx2(others_ + i, places);
            for (size_t j = 0; j < PACKED; ++j) {
                lines_[i + j] = lines + places[j];
                prefetch(lines + places[j]);
            }
        }
    }

    DYNORACLE_AVX2 void sum_avx2(int32_t* sums) {
        // Rows are summed in pairs.
        rows_[n_rows_] = arrays_.row(0);
        sum_rows_by(sum_rows_avx2, sums);
        const size_t n = n_others_;
        size_t n_found = 0;
        for (size_t i = 0; i < n; ++i) {
            const Line* line = lines_[i];
            const int slot = line->find_avx2(others_[i]);
            add_found(n_found, line, slot);
            n_found += slot != Line::HEADS;
        }
        add_cells_of(n_found, sums);
    }

    // Find the rows of the first n of PACKED keys. homes: in bytes. Writes and counts the
    // rows, and the keys that have none.
    DYNORACLE_AVX2 void find_some_avx2(
        const BucketTable& table, const int8_t* rows, const uint64_t* keys,
        const uint64_t* homes, size_t n, size_t& n_rows, size_t& n_others) {
        const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
        uint32_t start[PACKED];
        for (size_t i = 0; i < PACKED; ++i) {
            start[i] = table.at(homes[i])->find_avx2(keys[i]);
            prefetch_row(rows + start[i]);
        }
        // Loading all of `start` would wait until it is written.
        const __m256i starts = _mm256_cvtepu32_epi64(
            _mm_set_epi32(int(start[3]), int(start[2]), int(start[1]), int(start[0])));
        const __m256i is_missing = _mm256_cmpeq_epi64(starts, _mm256_setzero_si256());
        const unsigned all = (1u << n) - 1;
        const unsigned missing =
            unsigned(_mm256_movemask_pd(_mm256_castsi256_pd(is_missing))) & all;
        pack(some, missing, others_ + n_others);
        pack(
            _mm256_add_epi64(starts, _mm256_set1_epi64x(int64_t(uintptr_t(rows)))),
            ~missing & all, rows_ + n_rows);
        const size_t n_missing = size_t(_mm_popcnt_u32(missing));
        n_rows += n - n_missing;
        n_others += n_missing;
    }
#endif

    // Set sums to the sums of rows.
    void sum_rows_by(SumRows sum, int32_t* sums) {
        if (!is_large_) {
            sum(rows_, n_rows_, arrays_.stride, sums, false);
            is_large_ = is_too_large(sums);
        }
        if (is_large_) {
            sum_large(sum, rows_, n_rows_, arrays_.stride, sums);
            is_large_ = is_too_large(sums);
        }
    }

    // Whether the sums of rows may be too large for 16 bits.
    static bool is_too_large(const int32_t* sums) {
        return uint16_t(sums[BOUND]) > LARGEST_SUM / FrozenArrays::BOUND_UNIT;
    }

    // Longer rows have more lines, but processors fetch those that follow by themselves.
    static void prefetch_row(const int8_t* row) {
        prefetch(row);
        prefetch(row + LINE_BYTES);
    }

    void add_found(size_t i, const Line* line, int slot) {
        found_[i] = line;
        slots_[i] = slot;
    }

    // Add the weights of the first n features that are in lines to sums.
    void add_cells_of(size_t n, int32_t* sums) const {
        CellRoom room;
        Cell *first = room.middle(), *last = first;
        OverflowPlace places[MAX_KEYS];
        size_t n_places = 0;
        int32_t* of_actions = sums + FIRST_ACTION;
        for (size_t i = 0; i < n; ++i) {
            const Line& line = *found_[i];
            const int start = line.start(slots_[i]), end = line.end(slots_[i]);
            if (line.is_in_overflow(start, end)) {
                places[n_places] = line.overflow(start);
                prefetch(arrays_.overflow_at(places[n_places++]));
            } else {
                first = CellRoom::put_in_front(first, line, start, end);
            }
        }
        for (size_t i = 0; i < n_places; ++i) {
            last = add_overflow(places[i], last, of_actions);
        }
        CellRoom::add_to(first, last, of_actions);
    }

    // Add the cells at a place, or put them behind the last cell. Returns where the cells
    // end then.
    Cell* add_overflow(OverflowPlace place, Cell* last, int32_t* of_actions) const {
        if (!arrays_.wide && place.count <= CellRoom::SHORT_OVERFLOW) {
            return CellRoom::put_behind(last, arrays_.overflow_at(place), place.count);
        }
        arrays_.with_overflow(place, [&](auto cells, int n) {
            add_cells(cells, n, of_actions);
        });
        return last;
    }
};

}  // namespace dynoracle
