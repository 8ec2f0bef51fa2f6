// The weights of a finished model: flat arrays that are used as they lie in the file.
//
//   common   a hash table of the features with many weights, in buckets of one cache line.
//            Most features of a configuration are of this kind, and they are so few that
//            the table stays in a fast cache. The value of a feature is where its row
//            ends, in units of 16 weights. A feature that finds its bucket full is treated
//            like those with few weights;
//   rows     the rows of these features: a weight of 16 bits for each action, and a bound
//            on the size of the weights behind the last one (see `bound_of`);
//   pilots   the hash function of the other features (see static_hash.hpp);
//   tags     8 bits of the key of each of them, which tell most keys that the model does
//            not have from those that it has;
//   entries  28 other bits of their keys, and their weights, if they are up to four of up
//            to 8 bits;
//   lists    the weights of the rest: the actions, then the weights, of 8 bits if they
//            fit, else of 16;
//   highs    the upper 16 bits of all keys, for training that starts from a saved model.
//            Scoring never reads them.
//
// Weights are fixed-point numbers with one scale for the whole model, so that sums are
// exact and do not depend on the order of the features; see fixed_point.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "buckets.hpp"
#include "fixed_point.hpp"
#include "prefetch.hpp"
#include "row_sums.hpp"
#include "static_hash.hpp"

namespace dynoracle {

// A feature with few weights.
struct Entry {
    static constexpr int SIZE = 4;
    static constexpr int HEAD_BITS = 28;
    // The upper 4 bits of `head`: where the weights are.
    enum Kind : uint32_t { HERE, IN_SHORT_LIST, IN_BYTE_LIST };
    // Weights that are not larger have 8 bits.
    static constexpr int LARGEST_BYTE = 127;

    // The lowest 28 bits of the key, and the kind.
    uint32_t head;
    // Columns whose weight is 0 are not used.
    uint8_t columns[SIZE];
    int8_t weights[SIZE];

    static uint32_t head_of(uint64_t key) {
        return uint32_t(key) & ((1u << HEAD_BITS) - 1);
    }
    static uint8_t tag_of(uint64_t key) { return uint8_t(key >> HEAD_BITS); }

    uint32_t kind() const { return head >> HEAD_BITS; }
    // Of a list: the place of its first byte in units of 4 bytes, and its length.
    uint32_t start() const {
        uint32_t start;
        std::memcpy(&start, columns, sizeof(start));
        return start;
    }
    int count() const {
        uint16_t count;
        std::memcpy(&count, weights, sizeof(count));
        return count;
    }
};
static_assert(sizeof(Entry) == 12, "entries are used as they lie in a file");

class FrozenRows {
public:
    static constexpr int MAX_KEYS = 512;
    // Lists have a multiple of this number of weights.
    static constexpr int LIST_UNIT = 4;
    // Bounds on the sizes of weights are stated in units of this.
    static constexpr int BOUND_UNIT = 64;

    BucketTable common;
    const int16_t* rows = nullptr;
    StaticHash hash;
    const uint8_t* tags = nullptr;
    const Entry* entries = nullptr;
    const char* lists = nullptr;
    const uint16_t* highs = nullptr;
    uint64_t n_rows = 0;
    uint64_t n_list_bytes = 0;
    int n_actions = 0;
    int stride = 0;
    bool wide = false;

    // Behind the weights of all actions there is room for the bound.
    static int stride_for(int n_actions) { return n_actions / LANES * LANES + LANES; }
    static bool wide_for(int n_actions) { return n_actions > 256; }

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
    // the others are looked up, and the entries of these while the rows are summed.
    void sum_scores(
        const uint64_t* keys, int n_keys, float unit, float* scores, bool vectorized
    ) const {
        constexpr int USUAL = 1024;
        Features features;
        int32_t few[USUAL];
        std::vector<int32_t> many(size_t(stride > USUAL ? stride : 0));
        int32_t* sums = stride > USUAL ? many.data() : few;
        find_common(keys, size_t(n_keys), features, vectorized);
        find_others(features);
        sum_rows(features, sums, vectorized);
        // The sum of the bounds is no score.
        sums[stride - 1] = 0;
        add_others(features, sums);
        for (int a = 0; a < stride; ++a) scores[a] = float(sums[a]) * unit;
    }

    // Call visit(key, action, value) for every weight.
    template <class Visit>
    void for_each(Visit visit) const {
        const uint64_t n_slots = common.size * Bucket::SIZE;
        for (uint64_t i = 0; i < n_slots; ++i) {
            const Bucket& bucket = common.buckets[i / Bucket::SIZE];
            const uint32_t value = bucket.values[i % Bucket::SIZE];
            if (value == 0) continue;
            const uint64_t low = bucket.fingerprints[i % Bucket::SIZE];
            const int16_t* weights = row(value);
            for (int a = 0; a < n_actions; ++a) {
                if (weights[a]) visit(uint64_t(highs[i]) << 32 | low, a, int(weights[a]));
            }
        }
        for (uint64_t i = 0; i < hash.n_places; ++i) {
            const Entry& entry = entries[i];
            const uint64_t low = Entry::head_of(entry.head) |
                                 uint64_t(tags[i] & 15) << Entry::HEAD_BITS;
            const uint64_t key = uint64_t(highs[n_slots + i]) << 32 | low;
            for_weights(entry, [&](int action, int weight) {
                if (weight != 0) visit(key, action, weight);
            });
        }
    }

    // Whether everything in the arrays lies within them and is as it says.
    bool is_sound() const;

private:
    // What is found of a set of features.
    struct Features {
        // The rows of common features.
        size_t n_common = 0;
        const int16_t* common[MAX_KEYS];
        // The keys of the others, and the places of their entries.
        size_t n_others = 0;
        uint64_t others[MAX_KEYS];
        uint32_t places[MAX_KEYS];

        Features() {}
    };

    // Find the rows of those keys that have one, and begin to look up the others.
    void find_common(
        const uint64_t* keys, size_t n_keys, Features& features, bool vectorized) const {
#ifdef DYNORACLE_X86
        if (vectorized) {
            find_rows_vectorized(keys, n_keys, features);
        } else
#endif
        {
            find_rows(keys, n_keys, features);
        }
        for (size_t i = 0; i < features.n_others; ++i) {
            const uint64_t place = hash.place(features.others[i]);
            features.places[i] = uint32_t(place);
            prefetch(tags + place);
        }
    }

    // Find the entries of those of the other keys that have one. Keys that the model does
    // not have are sorted out without branches, because the processor would often guess
    // them wrong.
    void find_others(Features& features) const {
        size_t n = 0;
        for (size_t i = 0; i < features.n_others; ++i) {
            const uint64_t key = features.others[i];
            const uint32_t place = features.places[i];
            features.others[n] = key;
            features.places[n] = place;
            n += tags[place] == Entry::tag_of(key);
        }
        features.n_others = n;
        for (size_t i = 0; i < n; ++i) prefetch(entries + features.places[i]);
    }

    // The row of a feature in the table of common ones. Rows end where the next one
    // begins, so no row ends at 0.
    // Value 0, which is that of keys without a row, gives an address that nobody reads.
    const int16_t* row(size_t value) const {
        const uintptr_t start = uintptr_t(rows) - size_t(stride) * sizeof(int16_t);
        return reinterpret_cast<const int16_t*>(start + value * LANES * sizeof(int16_t));
    }

    // Rows have more lines, but processors fetch those that follow by themselves.
    static void prefetch_row(const int16_t* row) {
        prefetch(row);
        prefetch(reinterpret_cast<const void*>(uintptr_t(row) + 64));
    }

    // Call use(actions, weights, number) with the weights of an entry. There may be zeros
    // among them.
    template <class Use>
    void with_weights(const Entry& entry, Use use) const {
        if (entry.kind() == Entry::HERE) {
            use(entry.columns, entry.weights, int(Entry::SIZE));
        } else if (wide) {
            with_list<uint16_t>(entry, use);
        } else {
            with_list<uint8_t>(entry, use);
        }
    }

    template <class Action, class Use>
    void with_list(const Entry& entry, Use use) const {
        const int n = entry.count();
        const Action* actions =
            reinterpret_cast<const Action*>(lists + size_t(entry.start()) * 4);
        if (entry.kind() == Entry::IN_BYTE_LIST) {
            use(actions, reinterpret_cast<const int8_t*>(actions + n), n);
        } else {
            use(actions, reinterpret_cast<const int16_t*>(actions + n), n);
        }
    }

    // Call add(action, weight) for all weights of an entry; there may be zeros.
    template <class Add>
    void for_weights(const Entry& entry, Add add) const {
        with_weights(entry, [&](auto actions, auto weights, int n) {
            for (int i = 0; i < n; ++i) add(int(actions[i]), int(weights[i]));
        });
    }

    // Bytes of a list.
    uint64_t list_bytes(const Entry& entry) const {
        const uint64_t weight = entry.kind() == Entry::IN_BYTE_LIST ? 1 : 2;
        return uint64_t(entry.count()) * ((wide ? 2 : 1) + weight);
    }

    void add_others(const Features& features, int32_t* sums) const {
        const Entry* found[MAX_KEYS];
        const Entry* listed[MAX_KEYS];
        size_t n_found = 0, n_listed = 0;
        for (size_t i = 0; i < features.n_others; ++i) {
            const Entry* entry = entries + features.places[i];
            const uint32_t rest = entry->head ^ Entry::head_of(features.others[i]);
            const bool is_same = Entry::head_of(rest) == 0;
            found[n_found] = entry;
            n_found += rest == Entry::HERE;
            listed[n_listed] = entry;
            n_listed += is_same && rest != Entry::HERE;
        }
        for (size_t i = 0; i < n_listed; ++i) {
            prefetch(lists + size_t(listed[i]->start()) * 4);
        }
        for (size_t i = 0; i < n_found; ++i) {
            const Entry& entry = *found[i];
            for (int j = 0; j < Entry::SIZE; ++j) sums[entry.columns[j]] += entry.weights[j];
        }
        for (size_t i = 0; i < n_listed; ++i) {
            with_weights(*listed[i], [&](auto actions, auto weights, int n) {
                for (int k = 0; k < n; k += LIST_UNIT) {
                    for (int j = k; j < k + LIST_UNIT; ++j) sums[actions[j]] += weights[j];
                }
            });
        }
    }

    void find_rows(const uint64_t* keys, size_t n_keys, Features& features) const {
        features.n_common = 0;
        features.n_others = 0;
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
    DYNORACLE_AVX2 void find_rows_vectorized(
        const uint64_t* keys, size_t n_keys, Features& features) const {
        size_t n = 0;
        for (size_t i = 0; i < n_keys; ++i) {
            const uint32_t value = common.find_vectorized(keys + i);
            prefetch_row(row(value));
            features.others[i - n] = keys[i];
            features.common[n] = row(value);
            n += value != 0;
        }
        features.n_common = n;
        features.n_others = n_keys - n;
    }
#endif

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

inline bool FrozenRows::is_sound() const {
    if (stride != stride_for(n_actions) || wide != wide_for(n_actions)) return false;
    for (uint64_t i = 0; i < n_rows; ++i) {
        const int16_t* weights = rows + i * uint64_t(stride);
        const int bound = weights[stride - 1];
        // The bounds of MAX_KEYS rows add up to less than 2**16.
        if (bound > (LARGEST_WEIGHT + BOUND_UNIT - 1) / BOUND_UNIT) return false;
        if (bound != bound_of(weights, n_actions)) return false;
        for (int a = n_actions; a < stride - 1; ++a) {
            if (weights[a] != 0) return false;
        }
    }
    if (common.size < 1 || hash.n_buckets < 1 || hash.n_places < 1) return false;
    uint64_t n_found = 0;
    for (uint64_t b = 0; b < common.size; ++b) {
        const Bucket& bucket = common.buckets[b];
        int n = 0;
        for (; n < Bucket::USED && bucket.values[n] != 0; ++n) {
            const uint64_t end = uint64_t(bucket.values[n]) * LANES;
            if (end % uint64_t(stride) != 0 || end > n_rows * uint64_t(stride)) return false;
        }
        n_found += uint64_t(n);
        // Search looks at all slots.
        for (; n < Bucket::SIZE; ++n) {
            if (bucket.values[n] != 0) return false;
        }
    }
    if (n_found > n_rows) return false;
    // Lists do not overlap, so that looking at all of them takes no longer than the file.
    uint64_t n_listed = 0;
    for (uint64_t i = 0; i < hash.n_places; ++i) {
        const Entry& entry = entries[i];
        if (entry.kind() > Entry::IN_BYTE_LIST) return false;
        if (entry.kind() != Entry::HERE) {
            if (entry.count() % LIST_UNIT != 0) return false;
            const uint64_t bytes = list_bytes(entry);
            if (uint64_t(entry.start()) * 4 + bytes > n_list_bytes) return false;
            n_listed += bytes;
            if (n_listed > n_list_bytes) return false;
        }
        // Each action has one weight at most, so that no sum becomes too large.
        int last = -1;
        bool is_fine = true;
        for_weights(entry, [&](int action, int weight) {
            is_fine &= action < stride;
            if (weight == 0) return;
            is_fine &= action > last && action < n_actions;
            is_fine &= weight >= -LARGEST_WEIGHT && weight <= LARGEST_WEIGHT;
            last = action;
        });
        if (!is_fine) return false;
    }
    return true;
}

}  // namespace dynoracle
