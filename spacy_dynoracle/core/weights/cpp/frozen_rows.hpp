// The weights of a finished model: flat arrays that are used as they lie in the file.
//
//   common   a hash table of the features with many weights, in buckets of one cache line.
//            Most features of a configuration are of this kind, and they are so few that
//            the table stays in a fast cache. The value of a feature is where its row
//            ends, in bytes. A feature that finds its bucket full is treated like those
//            with few weights;
//   rows     the rows of these features: a weight of 16 bits for each action, and a bound
//            on the size of the weights behind the last one (see `bound_of`);
//   pilots   the hash function of the other features (see static_hash.hpp), which says in
//            which line they are;
//   lines    these features with their weights (see lines.hpp), and an empty line;
//   lists    the weights of those of them that have too many for a line, in the order of
//            the lines, and behind them some zeros;
//   highs    the upper 24 bits of the keys of all features, those of the buckets first, in
//            their order. They are for training that starts from a saved model. Scoring
//            never reads them.
//
// Weights are fixed-point numbers with one scale for the whole model, so that sums are
// exact and do not depend on the order of the features; see fixed_point.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "buckets.hpp"
#include "cell_sums.hpp"
#include "fixed_point.hpp"
#include "lines.hpp"
#include "prefetch.hpp"
#include "row_sums.hpp"
#include "static_hash.hpp"

namespace dynoracle {

class FrozenRows {
public:
    static constexpr int MAX_KEYS = 512;
    // Lists begin at multiples of this number of bytes.
    static constexpr int LIST_UNIT = 4;
    static constexpr int SHORT_LIST = CellsOfFeatures<MAX_KEYS>::SHORT_LIST;
    static constexpr size_t LIST_PADDING = sizeof(Cell) * SHORT_LIST;
    // This number of keys is looked up together.
    static constexpr size_t KEY_GROUP = 24;
    // Bounds on the sizes of weights are stated in units of this.
    static constexpr int BOUND_UNIT = 64;

    BucketTable common;
    const int16_t* rows = nullptr;
    StaticHash hash;
    const Line* lines = nullptr;
    const char* lists = nullptr;
    const uint8_t* highs = nullptr;
    uint64_t n_rows = 0;
    uint64_t n_features = 0;
    uint64_t n_list_bytes = 0;
    int n_actions = 0;
    int stride = 0;
    bool wide = false;

    // Behind the weights of all actions there is room for the bound.
    static int stride_for(int n_actions) { return n_actions / LANES * LANES + LANES; }
    static bool wide_for(int n_actions) { return n_actions > 256; }

    // The upper bits of a key are written behind those of others.
    static constexpr int HIGH_BYTES = 3;
    static constexpr int HIGH_SHIFT = 24;

    // The key of a feature: its lowest bits, at least HIGH_SHIFT, and the others.
    static uint64_t key_of(uint64_t low, const uint8_t* high) {
        for (int i = 0; i < HIGH_BYTES; ++i) {
            low |= uint64_t(high[i]) << (HIGH_SHIFT + 8 * i);
        }
        return low;
    }

    // The bound of a row, in units of BOUND_UNIT. It stands in the last column.
    static int bound_of(const int16_t* row, int n_actions) {
        int largest = 0;
        for (int a = 0; a < n_actions; ++a) {
            const int size = row[a] < 0 ? -row[a] : row[a];
            largest = size > largest ? size : largest;
        }
        return (largest + BOUND_UNIT - 1) / BOUND_UNIT;
    }

    // Set scores, which has `stride` entries, to the sums of the weights of all keys,
    // multiplied by unit. vectorized: use AVX2; the sums are the same.
    //
    // Memory is fetched some time before it is needed: the rows of common features while
    // the others are looked up, and the lines of these while further features are looked up
    // and while the rows are summed.
    void sum_scores(
        const uint64_t* keys, int n_keys, float unit, float* scores, bool vectorized
    ) const {
        constexpr int USUAL = 1024;
        Features features;
        int32_t few[USUAL];
        std::vector<int32_t> many(size_t(stride > USUAL ? stride : 0));
        int32_t* sums = stride > USUAL ? many.data() : few;
        find(keys, size_t(n_keys), features, vectorized);
        sum_rows(features, sums, vectorized);
        // The sum of the bounds is no score.
        sums[stride - 1] = 0;
        find_others(features, vectorized);
        add_others(features, sums);
        scale(sums, unit, scores, vectorized);
    }

    // Call visit(key, action, value) for every weight.
    template <class Visit>
    void for_each(Visit visit) const {
        const uint8_t* high = highs;
        for (uint64_t i = 0; i < common.size * Bucket::SIZE; ++i) {
            const Bucket& bucket = common.buckets[i / Bucket::SIZE];
            const uint32_t value = bucket.values[i % Bucket::SIZE];
            if (value == 0) continue;
            const uint64_t key = key_of(bucket.fingerprints[i % Bucket::SIZE], high);
            high += HIGH_BYTES;
            const int16_t* weights = row(value);
            for (int a = 0; a < n_actions; ++a) {
                if (weights[a]) visit(key, a, int(weights[a]));
            }
        }
        for (uint64_t i = 0; i < hash.n_lines; ++i) {
            for (int slot = 0; slot < Line::HEADS; ++slot) {
                if (lines[i].start(slot) == lines[i].end(slot)) continue;
                const uint64_t key = key_of(Line::head_of(lines[i].heads[slot]), high);
                high += HIGH_BYTES;
                for_weights(lines[i], slot, [&](int action, int weight) {
                    visit(key, action, weight);
                });
            }
        }
    }

    // Whether everything in the arrays lies within them and is as it says; see
    // frozen_checks.hpp.
    bool is_sound() const;

private:
    bool is_sound_row(uint32_t value) const;
    // n_found: number of features so far. list_end: where their last list ends.
    bool is_sound_line(const Line& line, uint64_t& n_found, uint64_t& list_end) const;
    bool is_sound_list(ListPlace place, uint64_t& list_end) const;

    // What is found of a set of features.
    struct Features {
        // The rows of common features. Here and among the others, there is room for what
        // `pack` writes behind them.
        size_t n_common = 0;
        const int16_t* common[MAX_KEYS + PACKED];
        // The keys of the others and their lines.
        size_t n_others = 0;
        uint64_t others[MAX_KEYS + PACKED];
        const Line* lines[MAX_KEYS];
        uint8_t slots[MAX_KEYS];

        Features() {}
    };

    // Find the rows of those keys that have one, and the lines of the others. A processor
    // fetches only so much at a time, so the keys are taken in groups: the lines of one
    // group arrive while the rows of the next one are found.
    void find(
        const uint64_t* keys, size_t n_keys, Features& features, bool vectorized) const {
        for (size_t first = 0; first < n_keys; first += KEY_GROUP) {
            const size_t n_group = std::min(n_keys - first, KEY_GROUP);
            const size_t n_before = features.n_others;
#ifdef DYNORACLE_X86
            if (vectorized) {
                find_rows_vectorized(keys + first, n_group, features);
            } else
#endif
            {
                find_rows(keys + first, n_group, features);
            }
            find_lines(features, n_before);
        }
    }

    // Find the lines of the other keys from one of them on.
    void find_lines(Features& features, size_t first) const {
        // Copies, because the compiler has to assume that writing changes the members.
        const StaticHash hash_here = hash;
        const Line* lines_here = lines;
        for (size_t i = first; i < features.n_others; ++i) {
            const Line* line = lines_here + hash_here.line(features.others[i]);
            features.lines[i] = line;
            prefetch(line);
        }
    }

    // Find the lines and slots of those of the other keys that have one. Keys that the
    // model does not have are sorted out without branches, because the processor would
    // often guess them wrong.
    void find_others(Features& features, bool vectorized) const {
#ifdef DYNORACLE_X86
        if (vectorized) {
            find_slots_vectorized(features);
            return;
        }
#endif
        size_t n = 0;
        for (size_t i = 0; i < features.n_others; ++i) {
            const Line* line = features.lines[i];
            const int slot = line->find(features.others[i]);
            features.lines[n] = line;
            features.slots[n] = uint8_t(slot);
            n += slot != Line::HEADS;
        }
        features.n_others = n;
    }

#ifdef DYNORACLE_X86
    // A loop of its own, because only functions for AVX2 can contain code for it.
    DYNORACLE_AVX2 static void find_slots_vectorized(Features& features) {
        const size_t n_others = features.n_others;
        size_t n = 0;
        for (size_t i = 0; i < n_others; ++i) {
            const Line* line = features.lines[i];
            const int slot = line->find_vectorized(features.others[i]);
            features.lines[n] = line;
            features.slots[n] = uint8_t(slot);
            n += slot != Line::HEADS;
        }
        features.n_others = n;
    }
#endif

    // The row of a feature in the table of common ones. Rows end where the next one
    // begins, so no row ends at 0. Value 0, which is that of keys without a row, gives an
    // address that nobody reads.
    const int16_t* row(size_t value) const {
        const uintptr_t start = uintptr_t(rows) - size_t(stride) * sizeof(int16_t);
        return reinterpret_cast<const int16_t*>(start + value);
    }

    // Longer rows have more lines, but processors fetch those that follow by themselves.
    static void prefetch_row(const int16_t* row) {
        constexpr uintptr_t LINE_BYTES = 64, LINES = 3;
        for (uintptr_t i = 0; i < LINES; ++i) {
            prefetch(reinterpret_cast<const void*>(uintptr_t(row) + i * LINE_BYTES));
        }
    }

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

    // Add the weights of the features that are in lines to sums.
    void add_others(const Features& features, int32_t* sums) const {
        CellsOfFeatures<MAX_KEYS> cells;
        ListPlace listed[MAX_KEYS];
        size_t n_listed = 0;
        for (size_t i = 0; i < features.n_others; ++i) {
            const Line& line = *features.lines[i];
            const int slot = features.slots[i];
            const int start = line.start(slot), end = line.end(slot);
            if (line.is_in_list(start, end)) {
                listed[n_listed] = line.list(start);
                prefetch(list(listed[n_listed++]));
                continue;
            }
            cells.put_in_front(line, start, end);
        }
        for (size_t i = 0; i < n_listed; ++i) {
            const ListPlace place = listed[i];
            if (wide) {
                const auto* first = reinterpret_cast<const WideCell*>(list(place));
                add_cells(first, place.count, sums);
            } else if (place.count > SHORT_LIST) {
                const auto* first = reinterpret_cast<const Cell*>(list(place));
                add_cells(first, place.count, sums);
            } else {
                cells.put_behind(reinterpret_cast<const Cell*>(list(place)), place.count);
            }
        }
        cells.add_to(sums);
    }

    void find_rows(const uint64_t* keys, size_t n_keys, Features& features) const {
        for (size_t i = 0; i < n_keys; ++i) {
            const uint64_t key = keys[i];
            const uint32_t value = common.find(key);
            if (value != 0) {
                features.common[features.n_common++] = row(value);
                prefetch_row(row(value));
            } else {
                features.others[features.n_others++] = key;
            }
        }
    }

#ifdef DYNORACLE_X86
    // n_keys: at most KEY_GROUP.
    DYNORACLE_AVX2 void find_rows_vectorized(
        const uint64_t* keys, size_t n_keys, Features& features) const {
        uint64_t homes[KEY_GROUP];
        const size_t n_grouped = n_keys / PACKED * PACKED;
        common.find_homes_vectorized(keys, n_grouped, homes);
        // A copy, because the compiler has to assume that writing changes what it reads.
        const char* buckets = reinterpret_cast<const char*>(common.buckets);
        const uintptr_t start = uintptr_t(row(0));
        const __m256i starts = _mm256_set1_epi64x(int64_t(start));
        size_t n_common = features.n_common, n_others = features.n_others;
        for (size_t i = 0; i < n_grouped; i += PACKED) {
            uint32_t values[PACKED];
            for (size_t j = 0; j < PACKED; ++j) {
                const auto* bucket =
                    reinterpret_cast<const Bucket*>(buckets + homes[i + j]);
                values[j] = bucket->find_vectorized(keys[i + j]);
                prefetch_row(reinterpret_cast<const int16_t*>(start + values[j]));
            }
            const __m256i found = _mm256_cvtepu32_epi64(
                _mm_set_epi32(
                    int(values[3]), int(values[2]), int(values[1]), int(values[0])));
            const __m256i is_missing = _mm256_cmpeq_epi64(found, _mm256_setzero_si256());
            const unsigned missing =
                unsigned(_mm256_movemask_pd(_mm256_castsi256_pd(is_missing)));
            const __m256i some = _mm256_loadu_si256((const __m256i*)(keys + i));
            pack(some, missing, features.others + n_others);
            pack(
                _mm256_add_epi64(found, starts),
                ~missing & 15,
                features.common + n_common);
            const size_t n_missing = size_t(_mm_popcnt_u32(missing));
            n_others += n_missing;
            n_common += PACKED - n_missing;
        }
        features.n_common = n_common;
        features.n_others = n_others;
        find_rows(keys + n_grouped, n_keys - n_grouped, features);
    }
#endif

    // Write what the sums stand for.
    void scale(const int32_t* sums, float unit, float* scores, bool vectorized) const {
#ifdef DYNORACLE_X86
        if (vectorized) {
            scale_vectorized(sums, stride, unit, scores);
            return;
        }
#endif
        for (int a = 0; a < stride; ++a) scores[a] = float(sums[a]) * unit;
    }

    // Set sums to the sums of all rows.
    void sum_rows(const Features& features, int32_t* sums, bool vectorized) const {
#ifdef DYNORACLE_X86
        if (vectorized) {
            const int bound =
                sum_rows_vectorized(features.common, features.n_common, stride, sums);
            if (bound <= LARGEST_SUM / BOUND_UNIT) return;
        }
#endif
        std::memset(sums, 0, sizeof(int32_t) * size_t(stride));
        add_rows(features.common, features.n_common, stride, sums);
    }
};

}  // namespace dynoracle
