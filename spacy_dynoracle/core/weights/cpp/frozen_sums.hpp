// The sums of the weights of a set of features, the innermost part of scoring.
//
// Common features are found in their table, and the others in the lines. Memory is fetched
// some time before it is needed: the rows of common features while further features are
// looked up, and the lines of the others until all rows are summed.
//
// With AVX2, no step branches on whether a model has a feature. Processors guess such
// branches wrong half of the time, and then they have to begin again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "argmax.hpp"
#include "cell_sums.hpp"
#include "frozen_rows.hpp"
#include "prefetch.hpp"
#include "row_sums.hpp"

namespace dynoracle {

class FrozenSums {
public:
    explicit FrozenSums(const FrozenRows& model) : model_(model) {}

    // Set sums, which has `stride` entries, to the sums of the weights of all keys. One of
    // these is called once for each object.
    void write(const uint64_t* keys, size_t n_keys, int32_t* sums) {
        find_rows(keys, n_keys);
        find_lines(0);
        sum_rows_with(sum_rows_modulo, sums);
        for (size_t i = 0; i < n_others_; ++i) {
            slots_[i] = uint8_t(lines_[i]->find(others_[i], starts_[i]));
        }
        add_others(sums);
    }

#ifdef DYNORACLE_X86
    // The same. A processor fetches only so much at a time, so the keys are taken in groups:
    // the lines of one group arrive while the rows of the next one are found.
    DYNORACLE_AVX2 void write_vectorized(
        const uint64_t* keys, size_t n_keys, int32_t* sums) {
        for (size_t first = 0; first < n_keys; first += KEY_GROUP) {
            const size_t n_before = n_others_;
            find_rows_vectorized(keys + first, std::min(n_keys - first, KEY_GROUP));
            find_lines(n_before);
        }
        sum_rows_with(sum_rows_vectorized, sums);
        const size_t n = n_others_;
        for (size_t i = 0; i < n; ++i) {
            slots_[i] = uint8_t(lines_[i]->find_vectorized(others_[i], starts_[i]));
        }
        add_others(sums);
    }
#endif

private:
    static constexpr int MAX_KEYS = FrozenRows::MAX_KEYS;
    // This number of keys is looked up together, a multiple of PACKED.
    static constexpr size_t KEY_GROUP = 48;

    const FrozenRows& model_;
    // The rows of common features. Here and among the others, there is room for what
    // `pack` writes behind them.
    size_t n_common_ = 0;
    const int16_t* common_[MAX_KEYS + PACKED];
    // The keys of the other features and the lines they would be in.
    size_t n_others_ = 0;
    uint64_t others_[MAX_KEYS + PACKED];
    const Line* lines_[MAX_KEYS];
    // What `Line::find` says of them.
    uint32_t starts_[MAX_KEYS][Line::STARTS];
    uint8_t slots_[MAX_KEYS];

    // Longer rows have more lines, but processors fetch those that follow by themselves.
    static void prefetch_row(const int16_t* row) {
        constexpr uintptr_t LINE_BYTES = 64, LINES = 3;
        for (uintptr_t i = 0; i < LINES; ++i) {
            prefetch(reinterpret_cast<const void*>(uintptr_t(row) + i * LINE_BYTES));
        }
    }

    void find_rows(const uint64_t* keys, size_t n_keys) {
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
    }

#ifdef DYNORACLE_X86
    // n_keys: at most KEY_GROUP.
    DYNORACLE_AVX2 void find_rows_vectorized(const uint64_t* keys, size_t n_keys) {
        uint64_t homes[KEY_GROUP];
        // Copies, because the compiler has to assume that writing changes the members.
        const BucketTable common = model_.common;
        const uintptr_t start = uintptr_t(model_.row(0));
        size_t n_common = n_common_, n_others = n_others_;
        const size_t n_packed = n_keys / PACKED * PACKED;
        common.find_homes_vectorized(keys, n_packed, homes);
        for (size_t i = 0; i < n_packed; i += PACKED) {
            const size_t n_found = find_some_vectorized(
                common, start, keys + i, homes + i, PACKED, common_ + n_common,
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
                common, start, last, homes, n_last, common_ + n_common,
                others_ + n_others);
            n_common += n_found;
            n_others += n_last - n_found;
        }
        n_common_ = n_common;
        n_others_ = n_others;
    }

    // Find the rows of the first n of PACKED keys. start: where row 0 would be. homes: in
    // bytes. found, others: where to write the rows, and the keys that have none. Returns
    // how many rows there are.
    DYNORACLE_AVX2 static size_t find_some_vectorized(
        const BucketTable& common, uintptr_t start, const uint64_t* keys,
        const uint64_t* homes, size_t n, const int16_t** found, uint64_t* others) {
        const char* buckets = reinterpret_cast<const char*>(common.buckets);
        uint32_t values[PACKED];
        for (size_t j = 0; j < PACKED; ++j) {
            const auto* bucket = reinterpret_cast<const Bucket*>(buckets + homes[j]);
            values[j] = bucket->find_vectorized(keys[j]);
            prefetch_row(reinterpret_cast<const int16_t*>(start + values[j]));
        }
        const __m256i ends = _mm256_cvtepu32_epi64(_mm_set_epi32(
            int(values[3]), int(values[2]), int(values[1]), int(values[0])));
        const __m256i is_missing = _mm256_cmpeq_epi64(ends, _mm256_setzero_si256());
        const unsigned all = (1u << n) - 1;
        const unsigned missing =
            unsigned(_mm256_movemask_pd(_mm256_castsi256_pd(is_missing))) & all;
        const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
        pack(some, missing, others);
        pack(
            _mm256_add_epi64(ends, _mm256_set1_epi64x(int64_t(start))), ~missing & all,
            found);
        return n - size_t(_mm_popcnt_u32(missing));
    }
#endif

    // Find the lines of the other keys from one of them on.
    void find_lines(size_t first) {
        // Copies, because the compiler has to assume that writing changes the members.
        const StaticHash hash = model_.hash;
        const Line* lines = model_.lines;
        const size_t n = n_others_;
        for (size_t i = first; i < n; ++i) {
            const Line* line = lines + hash.line(others_[i]);
            lines_[i] = line;
            prefetch(line);
        }
    }

    // Set sums to the sums of all rows, with sums of 16 bits if the bounds say that these
    // hold them. The sum of the bounds, in the last column, is no score.
    // Sum: one of the functions of row_sums.hpp.
    template <class Sum>
    void sum_rows_with(Sum sum, int32_t* sums) const {
        const int stride = model_.stride;
        const int bound = sum(common_, n_common_, stride, sums);
        if (bound > LARGEST_SUM / FrozenRows::BOUND_UNIT) {
            sum_rows(common_, n_common_, stride, sums);
        }
        sums[stride - 1] = 0;
    }

    // Add the weights of the features that are in lines to sums.
    void add_others(int32_t* sums) const {
        using Room = CellRoom<MAX_KEYS>;
        Room room;
        Cell *first = room.middle(), *last = first;
        ListPlace listed[MAX_KEYS];
        size_t n_listed = 0;
        for (size_t i = 0; i < n_others_; ++i) {
            const int start = int(starts_[i][slots_[i]]);
            const int end = int(starts_[i][slots_[i] + 1]);
            Cell* added = Room::put_in_front(first, *lines_[i], start, end);
            // A feature that is not in its line adds no cell, and that of another one, which
            // is here in its place, is not the beginning of a list.
            if (added->weight == Line::IN_LIST) {
                listed[n_listed] = lines_[i]->list(start);
                prefetch(model_.list(listed[n_listed++]));
            } else {
                first = added;
            }
        }
        for (size_t i = 0; i < n_listed; ++i) last = add_list(listed[i], last, sums);
        Room::add_to(first, last, sums);
    }

    // Add the weights of a list to sums, or put them behind the last cell. Returns where
    // the cells end then.
    Cell* add_list(ListPlace place, Cell* last, int32_t* sums) const {
        const char* list = model_.list(place);
        if (model_.wide) {
            add_cells(reinterpret_cast<const WideCell*>(list), place.count, sums);
            return last;
        }
        const auto* cells = reinterpret_cast<const Cell*>(list);
        if (place.count <= CellRoom<MAX_KEYS>::SHORT_LIST) {
            return CellRoom<MAX_KEYS>::put_behind(last, cells, place.count);
        }
        add_cells(cells, place.count, sums);
        return last;
    }
};

// Room for the sums of a model.
class SumRoom {
public:
    explicit SumRoom(int stride) : many_(size_t(stride > USUAL ? stride : 0)) {}

    int32_t* get() { return many_.empty() ? few_ : many_.data(); }

private:
    static constexpr int USUAL = 1024;

    std::vector<int32_t> many_;
    int32_t few_[USUAL];
};

// Set scores, which has `stride` entries, to the sums of the weights of all keys,
// multiplied by unit. vectorized: use AVX2; the sums are the same.
inline void sum_scores(
    const FrozenRows& model, const uint64_t* keys, int n_keys, float unit, float* scores,
    bool vectorized) {
    SumRoom room(model.stride);
    int32_t* sums = room.get();
#ifdef DYNORACLE_X86
    if (vectorized) {
        FrozenSums(model).write_vectorized(keys, size_t(n_keys), sums);
        scale_vectorized(sums, model.stride, unit, scores);
        return;
    }
#endif
    FrozenSums(model).write(keys, size_t(n_keys), sums);
    for (int a = 0; a < model.stride; ++a) scores[a] = float(sums[a]) * unit;
}

// The place of the largest of these scores, the first of equals; -1 if there is none.
// mask: 0 for the places that count, and minus infinity for the others. scores: room for
// all of them. score: set to the largest one.
inline int best_score(
    const FrozenRows& model, const uint64_t* keys, int n_keys, float unit,
    const float* mask, float* scores, float* score, bool vectorized) {
    int best;
#ifdef DYNORACLE_X86
    if (vectorized) {
        // Only one of the sums is multiplied.
        SumRoom room(model.stride);
        int32_t* sums = room.get();
        FrozenSums(model).write_vectorized(keys, size_t(n_keys), sums);
        best = largest_sum_vectorized(sums, mask, model.stride);
        if (best >= 0) *score = float(sums[best]) * unit;
        return best;
    }
#endif
    sum_scores(model, keys, n_keys, unit, scores, vectorized);
    best = argmax(scores, mask, model.stride);
    if (best >= 0) *score = scores[best];
    return best;
}

}  // namespace dynoracle
