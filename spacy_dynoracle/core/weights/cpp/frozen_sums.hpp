// The sums of the weights of a set of features, the innermost part of scoring.
//
// Common features are found in their table, and the others in the lines. Memory is fetched
// some time before it is needed.
//
// With AVX2, no step branches on whether a model has a feature. Processors guess such
// branches wrong half of the time, and then they have to begin again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cell_sums.hpp"
#include "frozen_rows.hpp"
#include "prefetch.hpp"
#include "row_sums.hpp"

namespace dynoracle {

// Sums are made in two steps, `find` and then `sum`. In between, the memory that the second
// one needs arrives. Either both of them are vectorized or none is.
class FrozenSums {
public:
    explicit FrozenSums(const FrozenRows& model) : model_(model) {}

    // Look up some keys.
    void find(const uint64_t* keys, size_t n_keys) {
        n_common_ = n_others_ = 0;
        for (size_t i = 0; i < n_keys; ++i) {
            const uint64_t key = keys[i];
            const uint32_t value = model_.common.find(key);
            if (value != 0) {
                common_[n_common_++] = model_.row(value);
                prefetch_row(model_.row(value));
            } else {
                others_[n_others_++] = key;
            }
        }
        for (size_t i = 0; i < n_others_; ++i) {
            lines_[i] = model_.lines + model_.hash.line(others_[i]);
            prefetch(lines_[i]);
        }
    }

    // Set sums, which have the columns of rows, to the sums of the weights of all keys.
    void sum(int32_t* sums) {
        sum_rows_modulo(common_, n_common_, model_.stride, sums);
        if (is_too_large(sums)) sum_rows(common_, n_common_, model_.stride, sums);
        size_t n_found = 0;
        for (size_t i = 0; i < n_others_; ++i) {
            const int slot = lines_[i]->find(others_[i]);
            if (slot != Line::HEADS) add_found(n_found++, lines_[i], slot);
        }
        add_cells_of(n_found, sums);
    }

#ifdef DYNORACLE_X86
    DYNORACLE_AVX2 void find_vectorized(const uint64_t* keys, size_t n_keys) {
        n_common_ = n_others_ = 0;
        find_rows_vectorized(keys, n_keys);
        const size_t n = n_others_;
        const Line* lines = model_.lines;
        const StaticHash hash = model_.hash;
        for (size_t i = 0; i < n; i += PACKED) {
            uint64_t places[PACKED];
            hash.find_lines_vectorized(others_ + i, places);
            for (size_t j = 0; j < PACKED; ++j) {
                lines_[i + j] = lines + places[j];
                prefetch(lines + places[j]);
            }
        }
    }

    DYNORACLE_AVX2 void sum_vectorized(int32_t* sums) {
        // Rows are summed in pairs.
        common_[n_common_] = model_.row(0);
        sum_rows_vectorized(common_, n_common_, model_.stride, sums);
        if (is_too_large(sums)) sum_rows(common_, n_common_, model_.stride, sums);
        const size_t n = n_others_;
        size_t n_found = 0;
        for (size_t i = 0; i < n; ++i) {
            const Line* line = lines_[i];
            const int slot = line->find_vectorized(others_[i]);
            add_found(n_found, line, slot);
            n_found += slot != Line::HEADS;
        }
        add_cells_of(n_found, sums);
    }
#endif

private:
    static constexpr int MAX_KEYS = FrozenRows::MAX_KEYS;
    // What `pack` and others write behind the last number. It is more than they need, so
    // that the arrays do not all begin at the same place of a page: these would share a
    // few lines of the cache.
    static constexpr int PADDING = 96;

    const FrozenRows& model_;
    // The rows of common features.
    size_t n_common_ = 0;
    const int8_t* common_[MAX_KEYS + PADDING];
    // The keys of the other features and the lines they would be in.
    size_t n_others_ = 0;
    uint64_t others_[MAX_KEYS + PADDING];
    const Line* lines_[MAX_KEYS + PADDING];
    // The lines of those that are there, and their slots.
    const Line* found_[MAX_KEYS + PADDING];
    int slots_[MAX_KEYS + PADDING];

    // Whether the sums of rows may be too large for 16 bits.
    static bool is_too_large(const int32_t* sums) {
        return uint16_t(sums[BOUND]) > LARGEST_SUM / FrozenRows::BOUND_UNIT;
    }

    // Longer rows have more lines, but processors fetch those that follow by themselves.
    static void prefetch_row(const int8_t* row) {
        constexpr int LINE_BYTES = 64;
        prefetch(row);
        prefetch(row + LINE_BYTES);
    }

    void add_found(size_t number, const Line* line, int slot) {
        found_[number] = line;
        slots_[number] = slot;
    }

#ifdef DYNORACLE_X86
    DYNORACLE_AVX2 void find_rows_vectorized(const uint64_t* keys, size_t n_keys) {
        uint64_t homes[MAX_KEYS];
        // Copies, because the compiler has to assume that writing changes the members.
        const BucketTable common = model_.common;
        const int8_t* rows = model_.rows;
        size_t n_common = 0, n_others = 0;
        const size_t n_packed = n_keys / PACKED * PACKED;
        common.find_homes_vectorized(keys, n_packed, homes);
        for (size_t i = 0; i < n_packed; i += PACKED) {
            const size_t n_found = find_some_vectorized(
                common, rows, keys + i, homes + i, PACKED, common_ + n_common,
                others_ + n_others);
            n_common += n_found;
            n_others += PACKED - n_found;
        }
        const size_t n_last = n_keys - n_packed;
        if (n_last != 0) {
            // Nothing behind the last key may be read.
            const __m256i is_key = _mm256_cmpgt_epi64(
                _mm256_set1_epi64x(int64_t(n_last)), _mm256_set_epi64x(3, 2, 1, 0));
            const auto* rest = reinterpret_cast<const long long*>(keys + n_packed);
            uint64_t last[PACKED];
            _mm256_storeu_si256(
                reinterpret_cast<__m256i*>(last), _mm256_maskload_epi64(rest, is_key));
            common.find_homes_vectorized(last, PACKED, homes);
            const size_t n_found = find_some_vectorized(
                common, rows, last, homes, n_last, common_ + n_common,
                others_ + n_others);
            n_common += n_found;
            n_others += n_last - n_found;
        }
        n_common_ = n_common;
        n_others_ = n_others;
    }

    // Find the rows of the first n of PACKED keys. homes: in bytes. found, others: where to
    // write the rows, and the keys that have none. Returns how many rows there are.
    DYNORACLE_AVX2 static size_t find_some_vectorized(
        const BucketTable& common, const int8_t* rows, const uint64_t* keys,
        const uint64_t* homes, size_t n, const int8_t** found, uint64_t* others) {
        const char* buckets = reinterpret_cast<const char*>(common.buckets);
        uint32_t values[PACKED];
        for (size_t j = 0; j < PACKED; ++j) {
            const auto* bucket = reinterpret_cast<const Bucket*>(buckets + homes[j]);
            values[j] = bucket->find_vectorized(keys[j]);
            prefetch_row(rows + values[j]);
        }
        const __m256i starts = _mm256_cvtepu32_epi64(_mm_set_epi32(
            int(values[3]), int(values[2]), int(values[1]), int(values[0])));
        const __m256i is_missing = _mm256_cmpeq_epi64(starts, _mm256_setzero_si256());
        const unsigned all = (1u << n) - 1;
        const unsigned missing =
            unsigned(_mm256_movemask_pd(_mm256_castsi256_pd(is_missing))) & all;
        const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
        pack(some, missing, others);
        pack(
            _mm256_add_epi64(starts, _mm256_set1_epi64x(int64_t(uintptr_t(rows)))),
            ~missing & all, found);
        return n - size_t(_mm_popcnt_u32(missing));
    }
#endif

    // Add the weights of the first n features that are in lines to sums.
    void add_cells_of(size_t n, int32_t* sums) const {
        using Room = CellRoom<MAX_KEYS>;
        Room room;
        Cell *first = room.middle(), *last = first;
        ListPlace listed[MAX_KEYS];
        size_t n_listed = 0;
        int32_t* of_actions = sums + FIRST_ACTION;
        for (size_t i = 0; i < n; ++i) {
            const Line& line = *found_[i];
            const int start = line.start(slots_[i]), end = line.end(slots_[i]);
            if (line.is_in_list(start, end)) {
                listed[n_listed] = line.list(start);
                prefetch(model_.list(listed[n_listed++]));
            } else {
                first = Room::put_in_front(first, line, start, end);
            }
        }
        for (size_t i = 0; i < n_listed; ++i) last = add_list(listed[i], last, of_actions);
        Room::add_to(first, last, of_actions);
    }

    // Add the weights of a list, or put them behind the last cell. Returns where the cells
    // end then.
    Cell* add_list(ListPlace place, Cell* last, int32_t* of_actions) const {
        const char* list = model_.list(place);
        if (model_.wide) {
            add_cells(reinterpret_cast<const WideCell*>(list), place.count, of_actions);
            return last;
        }
        const auto* cells = reinterpret_cast<const Cell*>(list);
        if (place.count <= CellRoom<MAX_KEYS>::SHORT_LIST) {
            return CellRoom<MAX_KEYS>::put_behind(last, cells, place.count);
        }
        add_cells(cells, place.count, of_actions);
        return last;
    }
};

}  // namespace dynoracle
