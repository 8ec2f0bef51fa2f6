// The weights of a finished model: flat arrays that are used as they lie in the file.
//
//   slots   one 8-byte slot for each place of an open-addressing table: a 32-bit
//           fingerprint of the feature key and where its row is;
//   highs   the upper 16 bits of the keys, for those who want the keys back (training
//           goes on from a saved model); scoring never reads them;
//   rows    bytes. A dense row is `stride` 16-bit weights. A sparse row is a count and
//           as many action numbers (of 8 bits where these suffice for all actions, else
//           16; padded to an even length) and as many 16-bit weights.
//
// Weights are fixed-point numbers with one scale for the whole model, so that sums are
// exact and do not depend on the order of the features.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "key_index.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#define DYNORACLE_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define DYNORACLE_VECTORISED
#endif

namespace dynoracle {

// From a weight to its fixed-point value.
struct FixedPoint {
    double scale;

    int operator()(double weight) const {
        const double value = std::nearbyint(weight * scale);
        return int(std::max(-32767.0, std::min(32767.0, value)));
    }
};

// The largest power of two that keeps weights up to `largest` within 16 bits.
inline double fixed_point_scale(double largest) {
    double scale = 1024.0;
    while (scale * largest > 32767.0) scale /= 2;
    return scale;
}

struct FrozenSlot {
    uint32_t fingerprint;
    uint32_t row;
};

DYNORACLE_VECTORISED
inline void add_dense(const int16_t* row, int stride, int32_t* sums) {
    for (int i = 0; i < stride; ++i) sums[i] += row[i];
}

class FrozenRows {
public:
    static constexpr uint32_t EMPTY = 0xFFFFFFFFu;
    static constexpr int MAX_KEYS = 512;

    const FrozenSlot* slots = nullptr;
    const uint16_t* highs = nullptr;
    const char* rows = nullptr;
    uint64_t n_slots = 0;
    uint64_t n_row_bytes = 0;
    uint32_t multiplier = 0;
    int n_actions = 0;
    int stride = 0;
    bool wide = false;

    static int stride_for(int n_actions) { return (n_actions + 31) / 32 * 32; }
    static bool wide_for(int n_actions) { return n_actions > 256; }

    uint64_t home(uint64_t key) const { return ((key >> (KEY_BITS - 32)) * n_slots) >> 32; }
    uint32_t fingerprint(uint64_t key) const {
        return uint32_t(key) ^ (uint32_t(key >> 32) * multiplier);
    }

    uint32_t find(uint64_t key) const {
        const uint32_t wanted = fingerprint(key);
        for (uint64_t i = home(key);;) {
            if (slots[i].row == EMPTY || slots[i].fingerprint == wanted) {
                return slots[i].row;
            }
            if (++i == n_slots) i = 0;
        }
    }

    // Add the weights of all keys to sums, which has `stride` entries.
    void add_scores(const uint64_t* keys, int n_keys, int32_t* sums) const {
        uint32_t found[MAX_KEYS];
        int n_found = 0;
        for (int i = 0; i < n_keys; ++i) prefetch(&slots[home(keys[i])]);
        for (int i = 0; i < n_keys; ++i) {
            const uint32_t row = find(keys[i]);
            if (row == EMPTY) continue;
            prefetch_row(row);
            found[n_found++] = row;
        }
        for (int i = 0; i < n_found; ++i) {
            if (is_dense(found[i])) {
                add_dense(dense_row(found[i]), stride, sums);
            } else if (wide) {
                add_sparse<uint16_t>(rows + offset(found[i]), sums);
            } else {
                add_sparse<uint8_t>(rows + offset(found[i]), sums);
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
            if (is_dense(slots[i].row)) {
                const int16_t* row = dense_row(slots[i].row);
                for (int a = 0; a < n_actions; ++a) {
                    if (row[a]) visit(key, a, int(row[a]));
                }
            } else if (wide) {
                visit_sparse<uint16_t>(key, rows + offset(slots[i].row), visit);
            } else {
                visit_sparse<uint8_t>(key, rows + offset(slots[i].row), visit);
            }
        }
    }

    // Whether every slot and row lies where it may and names existing actions only.
    bool is_sound() const {
        if (stride != stride_for(n_actions) || wide != wide_for(n_actions)) return false;
        bool has_empty = false;
        for (uint64_t i = 0; i < n_slots; ++i) {
            const uint32_t row = slots[i].row;
            if (row == EMPTY) {
                has_empty = true;
            } else if (is_dense(row)) {
                if (!fits(offset(row), uint64_t(stride) * 2)) return false;
            } else if (!(wide ? is_sound_sparse<uint16_t>(offset(row))
                              : is_sound_sparse<uint8_t>(offset(row)))) {
                return false;
            }
        }
        return has_empty;
    }

private:
    friend class FrozenRowsBuilder;

    // Row references count pairs of bytes; the lowest bit tells dense from sparse.
    static bool is_dense(uint32_t row) { return row & 1; }
    static uint64_t offset(uint32_t row) { return uint64_t(row >> 1) * 2; }

    const int16_t* dense_row(uint32_t row) const {
        return reinterpret_cast<const int16_t*>(rows + offset(row));
    }

    void prefetch_row(uint32_t row) const {
        const char* start = rows + offset(row);
        prefetch(start);
        if (is_dense(row)) {
            for (int i = 64; i < 2 * stride; i += 64) prefetch(start + i);
        }
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

    // One weight; all weights of a key come one after the other. Zeros are dropped.
    void add(uint64_t key, int action, int value) {
        if (value == 0) return;
        if (features_.empty() || features_.back().key != key) {
            features_.push_back(Feature{key, weights_.size(), 0});
        }
        weights_.push_back(Weight{uint16_t(action), int16_t(value)});
        ++features_.back().count;
    }

    size_t n_features() const { return features_.size(); }
    size_t n_parameters() const { return weights_.size(); }

    // Lay out everything; false if the model is too large for the format.
    bool finish() {
        std::stable_sort(
            features_.begin(), features_.end(),
            [](const Feature& a, const Feature& b) { return a.count > b.count; });
        FrozenRows& f = frozen_;
        f.n_actions = n_actions_;
        f.stride = FrozenRows::stride_for(n_actions_);
        f.wide = FrozenRows::wide_for(n_actions_);
        f.n_slots = features_.size() * 7 / 6 + 16;
        for (Feature& feature : features_) {
            feature.row = uint32_t(row_bytes_.size()) & ~1u;
            if (row_bytes_.size() > 0xFFFFFF00u) return false;
            if (3 * feature.count > f.stride) {
                feature.row |= 1;
                append_dense(feature);
            } else if (f.wide) {
                append_sparse<uint16_t>(feature);
            } else {
                append_sparse<uint8_t>(feature);
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

    bool place_all() {
        FrozenRows& f = frozen_;
        slots_.assign(f.n_slots, FrozenSlot{0, FrozenRows::EMPTY});
        highs_.assign(f.n_slots, 0);
        for (const Feature& feature : features_) {
            const uint32_t fingerprint = f.fingerprint(feature.key);
            uint64_t i = f.home(feature.key);
            while (slots_[i].row != FrozenRows::EMPTY) {
                if (slots_[i].fingerprint == fingerprint) return false;
                if (++i == f.n_slots) i = 0;
            }
            slots_[i] = FrozenSlot{fingerprint, feature.row};
            highs_[i] = uint16_t(feature.key >> 32);
        }
        return true;
    }

    void append_dense(const Feature& feature) {
        const size_t start = row_bytes_.size();
        row_bytes_.resize(start + 2 * frozen_.stride, 0);
        int16_t* row = reinterpret_cast<int16_t*>(row_bytes_.data() + start);
        for (int i = 0; i < feature.count; ++i) {
            const Weight& weight = weights_[feature.start + i];
            row[weight.action] = weight.value;
        }
    }

    template <class Action>
    void append_sparse(const Feature& feature) {
        const size_t start = row_bytes_.size();
        const size_t weights = FrozenRows::weights_offset<Action>(feature.count);
        row_bytes_.resize(start + weights + 2 * feature.count, 0);
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
    std::vector<Feature> features_;
    std::vector<Weight> weights_;
    std::vector<char> row_bytes_;
    std::vector<FrozenSlot> slots_;
    std::vector<uint16_t> highs_;
    FrozenRows frozen_;
};

}  // namespace dynoracle
