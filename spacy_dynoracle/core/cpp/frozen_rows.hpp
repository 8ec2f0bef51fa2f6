// The weights of a finished model: flat arrays that are used as they lie in the file.
//
//   slots   one 8-byte slot for each place of two open-addressing tables, one after the
//           other: a 32-bit fingerprint of the feature key and where its row is. The
//           first table has the keys with dense rows, which are most of those that are
//           met in use; it is so small that it stays in the cache. Both have whole cache
//           lines, and half of their places are empty, so that it seldom takes a second
//           line to find a key or to see that there is none;
//   highs   the upper 16 bits of the keys, for those who want the keys back (training
//           goes on from a saved model); scoring never reads them;
//   rows    bytes. A dense row is `stride` 8-bit weights. A sparse row is a count and as
//           many action numbers (of 8 bits where these suffice for all actions, else 16;
//           padded to an even length) and as many 16-bit weights; it does not cross the
//           border of a cache line without need.
//
// A reference to a dense row counts units of 32 bytes, times 16, and has in its lowest 4
// bits the shift of the row: its weights are to be multiplied by 2**shift. A reference to
// a sparse row counts pairs of bytes.
//
// Weights are fixed-point numbers with one scale for the whole model, so that sums are
// exact and do not depend on the order of the features; see fixed_point.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "dense_rows.hpp"
#include "fixed_point.hpp"
#include "key_index.hpp"

namespace dynoracle {

struct FrozenSlot {
    uint32_t fingerprint;
    uint32_t row;
};

class FrozenRows {
public:
    static constexpr uint32_t EMPTY = 0xFFFFFFFFu;
    static constexpr uint64_t LINE = 64;
    static constexpr uint64_t SLOTS_PER_LINE = LINE / sizeof(FrozenSlot);
    static constexpr int MAX_KEYS = DenseRows::MAX_ROWS;

    const FrozenSlot* slots = nullptr;
    const uint16_t* highs = nullptr;
    const char* rows = nullptr;
    uint64_t n_slots = 0;
    // Of the first table.
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

    // One of the two tables. Their sizes are multiples of SLOTS_PER_LINE.
    struct Table {
        const FrozenSlot* slots;
        uint64_t size;

        uint64_t home(uint64_t key) const {
            return ((key >> (KEY_BITS - 32)) * size) >> 32;
        }
        // The first place in which there is `wanted` or nothing: from the home of the key
        // around its cache line, then around those that follow.
        uint64_t place(uint64_t key, uint32_t wanted) const {
            uint64_t i = home(key), line = i - i % SLOTS_PER_LINE;
            for (uint64_t n_seen = 1;; ++n_seen) {
                if (slots[i].row == EMPTY || slots[i].fingerprint == wanted) return i;
                if (n_seen % SLOTS_PER_LINE == 0) {
                    line += SLOTS_PER_LINE;
                    if (line == size) line = 0;
                }
                i = line + (i + 1) % SLOTS_PER_LINE;
            }
        }
        uint32_t find(uint64_t key, uint32_t wanted) const {
            return slots[place(key, wanted)].row;
        }
    };

    Table dense_table() const { return Table{slots, n_dense_slots}; }
    Table sparse_table() const {
        return Table{slots + n_dense_slots, n_slots - n_dense_slots};
    }

    // Set sums, which has `stride` entries, to the sum of the weights of all keys.
    // vectorized: use AVX2 where the processor has it, which changes no sum.
    //
    // Memory is asked for some time before it is needed: the places in the first table,
    // then what they lead to, rows or places in the second table, then sparse rows.
    void sum_scores(
        const uint64_t* keys, int n_keys, int32_t* sums, bool vectorized = true
    ) const {
        DenseRows dense;
        uint64_t others[MAX_KEYS];
        const char* sparse[MAX_KEYS];
        int n_others = 0, n_sparse = 0;
        const Table first = dense_table(), second = sparse_table();
        for (int i = 0; i < n_keys; ++i) prefetch(&first.slots[first.home(keys[i])]);
        for (int i = 0; i < n_keys; ++i) {
            const uint32_t row = first.find(keys[i], fingerprint(keys[i]));
            if (row != EMPTY) {
                const int8_t* found = dense_row(row);
                for (int a = 0; a < stride; a += 64) prefetch(found + a);
                prefetch(found + stride - 1);
                dense.add(found, shift_of(row));
            } else {
                prefetch(&second.slots[second.home(keys[i])]);
                others[n_others++] = keys[i];
            }
        }
        for (int i = 0; i < n_others; ++i) {
            const uint32_t row = second.find(others[i], fingerprint(others[i]));
            if (row != EMPTY) {
                const char* found = rows + sparse_offset(row);
                prefetch(found);
                sparse[n_sparse++] = found;
            }
        }
        dense.sum(stride, sums, vectorized);
        for (int i = 0; i < n_sparse; ++i) {
            if (wide) {
                add_sparse<uint16_t>(sparse[i], sums);
            } else {
                add_sparse<uint8_t>(sparse[i], sums);
            }
        }
    }

    // Call visit(key, action, value) for every weight.
    template <class Visit>
    void for_each(Visit visit) const {
        for (uint64_t i = 0; i < n_slots; ++i) {
            if (slots[i].row == EMPTY) continue;
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

    // Whether every slot and row lies where it may and names existing actions only.
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
            if (row == EMPTY) {
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

    // Parts of references to rows.
    static uint64_t sparse_offset(uint32_t row) { return uint64_t(row) * 2; }
    static uint64_t dense_offset(uint32_t row) { return uint64_t(row >> 4) * 32; }
    static int shift_of(uint32_t row) { return int(row & 15); }

    const int8_t* dense_row(uint32_t row) const {
        return reinterpret_cast<const int8_t*>(rows + dense_offset(row));
    }

    // A sparse row begins with its count, in the type of the action numbers.
    template <class Action>
    static size_t weights_offset(int count) {
        return ((count + 1) * sizeof(Action) + 1) / 2 * 2;
    }

    template <class Action>
    static int count_of(const char* row) {
        return *reinterpret_cast<const Action*>(row);
    }

    template <class Action>
    static void add_sparse(const char* row, int32_t* sums) {
        const int count = count_of<Action>(row);
        const Action* actions = reinterpret_cast<const Action*>(row) + 1;
        const int16_t* weights =
            reinterpret_cast<const int16_t*>(row + weights_offset<Action>(count));
        for (int i = 0; i < count; ++i) sums[actions[i]] += weights[i];
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

// Lays out the arrays of a FrozenRows. Rows with many weights come first: they are hit
// most, and lie together then.
class FrozenRowsBuilder {
public:
    explicit FrozenRowsBuilder(int n_actions) : n_actions_(n_actions) {}

    // One weight; all weights of a key come one after the other. Zeros are dropped, and
    // rounding may make more of them.
    void add(uint64_t key, int action, int value) {
        if (value == 0) return;
        if (features_.empty() || features_.back().key != key) {
            features_.push_back(Feature{key, weights_.size(), 0});
        }
        weights_.push_back(Weight{uint16_t(action), int16_t(value)});
        ++features_.back().count;
    }

    size_t n_features() const { return features_.size(); }
    // Once it is finished.
    size_t n_parameters() const { return n_parameters_; }

    // Lay out everything; false if the model is too large for the format.
    bool finish() {
        std::stable_sort(
            features_.begin(), features_.end(),
            [](const Feature& a, const Feature& b) { return a.count > b.count; });
        FrozenRows& f = frozen_;
        f.n_actions = n_actions_;
        f.stride = FrozenRows::stride_for(n_actions_);
        f.wide = FrozenRows::wide_for(n_actions_);
        // Up to so many weights are added faster one by one, and need less memory.
        const int max_sparse = std::max(Rounding::MAX_EXACT, f.stride / 12);
        n_dense_ = size_t(std::count_if(
            features_.begin(), features_.end(),
            [=](const Feature& feature) { return feature.count > max_sparse; }));
        f.n_dense_slots = slots_for(n_dense_);
        f.n_slots = f.n_dense_slots + slots_for(features_.size() - n_dense_);
        for (size_t i = 0; i < features_.size(); ++i) {
            if (row_bytes_.size() > 0xFFFFFF00u) return false;
            const int shift = round_weights(features_[i]);
            if (i < n_dense_) {
                append_dense(features_[i], shift);
            } else if (f.wide) {
                append_sparse<uint16_t>(features_[i]);
            } else {
                append_sparse<uint8_t>(features_[i]);
            }
        }
        f.n_row_bytes = row_bytes_.size();
        f.rows = row_bytes_.data();
        // Two keys that would be taken for one another get other fingerprints.
        while (!place_all()) f.multiplier = f.multiplier * 2 + 0x9E3779B1u;
        f.slots = slots_.data();
        f.highs = highs_.data();
        return true;
    }

    // Valid as long as the builder is.
    const FrozenRows& result() const { return frozen_; }

private:
    struct Weight {
        uint16_t action;
        int16_t value;
    };
    struct Feature {
        uint64_t key;
        size_t start;
        int count;
        uint32_t row = 0;
        Feature(uint64_t k, size_t s, int n) : key(k), start(s), count(n) {}
    };

    static uint64_t slots_for(size_t n_features) {
        const uint64_t n_lines = 2 * n_features / FrozenRows::SLOTS_PER_LINE + 1;
        return n_lines * FrozenRows::SLOTS_PER_LINE;
    }

    bool place_all() {
        FrozenRows& f = frozen_;
        slots_.assign(f.n_slots, FrozenSlot{0, FrozenRows::EMPTY});
        highs_.assign(f.n_slots, 0);
        f.slots = slots_.data();
        for (size_t i = 0; i < features_.size(); ++i) {
            const bool is_dense = i < n_dense_;
            if (!place(is_dense ? f.dense_table() : f.sparse_table(), features_[i])) {
                return false;
            }
        }
        return true;
    }

    // Put a feature into one of the tables; false if it would be taken for another.
    bool place(FrozenRows::Table table, const Feature& feature) {
        const uint32_t fingerprint = frozen_.fingerprint(feature.key);
        // The first table is asked for all keys.
        if (frozen_.dense_table().find(feature.key, fingerprint) != FrozenRows::EMPTY) {
            return false;
        }
        uint64_t i = table.place(feature.key, fingerprint);
        if (table.slots[i].row != FrozenRows::EMPTY) return false;
        i += uint64_t(table.slots - slots_.data());
        slots_[i] = FrozenSlot{fingerprint, feature.row};
        highs_[i] = uint16_t(feature.key >> 32);
        return true;
    }

    // Returns the shift.
    int round_weights(const Feature& feature) {
        Weight* weights = &weights_[feature.start];
        Rounding rounding;
        for (int i = 0; i < feature.count; ++i) rounding.see(weights[i].value);
        const int shift = rounding.shift();
        for (int i = 0; i < feature.count; ++i) {
            weights[i].value = int16_t(rounded(weights[i].value, shift));
            n_parameters_ += weights[i].value != 0;
        }
        return shift;
    }

    void append_dense(Feature& feature, int shift) {
        const size_t start = row_bytes_.size();
        feature.row = uint32_t(start / 32 << 4) | uint32_t(shift);
        row_bytes_.resize(start + frozen_.stride, 0);
        for (int i = 0; i < feature.count; ++i) {
            const Weight& weight = weights_[feature.start + i];
            row_bytes_[start + weight.action] = char(weight.value / (1 << shift));
        }
    }

    template <class Action>
    void append_sparse(Feature& feature) {
        const size_t weights = FrozenRows::weights_offset<Action>(feature.count);
        const size_t length = weights + 2 * feature.count;
        size_t start = row_bytes_.size();
        const size_t left = FrozenRows::LINE - start % FrozenRows::LINE;
        if (left < length && length <= FrozenRows::LINE) start += left;
        feature.row = uint32_t(start / 2);
        row_bytes_.resize(start + length, 0);
        char* row = row_bytes_.data() + start;
        const Action count = Action(feature.count);
        std::memcpy(row, &count, sizeof(Action));
        for (int i = 0; i < feature.count; ++i) {
            const Weight& weight = weights_[feature.start + i];
            const Action action = Action(weight.action);
            std::memcpy(row + (i + 1) * sizeof(Action), &action, sizeof(Action));
            std::memcpy(row + weights + 2 * i, &weight.value, 2);
        }
    }

    int n_actions_;
    size_t n_dense_ = 0;
    size_t n_parameters_ = 0;
    std::vector<Feature> features_;
    std::vector<Weight> weights_;
    std::vector<char> row_bytes_;
    std::vector<FrozenSlot> slots_;
    std::vector<uint16_t> highs_;
    FrozenRows frozen_;
};

}  // namespace dynoracle
