// Makes the flat arrays of a finished model from weights; see frozen_rows.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fixed_point.hpp"
#include "frozen_rows.hpp"

namespace dynoracle {

// Makes the arrays of a FrozenRows. Rows with many weights come first, so that the rows
// that are read most lie together.
class FrozenRowsBuilder {
public:
    explicit FrozenRowsBuilder(int n_actions) : n_actions_(n_actions) {}

    // Add a weight. All weights of a key must be added one after the other. Weights of
    // zero are dropped, also those that rounding makes zero.
    void add(uint64_t key, int action, int value) {
        if (value == 0) return;
        if (features_.empty() || features_.back().key != key) {
            features_.push_back(Feature{key, weights_.size(), 0});
        }
        weights_.push_back(Weight{uint16_t(action), int16_t(value)});
        ++features_.back().count;
    }

    size_t n_features() const { return features_.size(); }
    // The number of weights that are not zero, after `finish`.
    size_t n_parameters() const { return n_parameters_; }

    // Make the arrays; returns false if the model is too large for the format.
    bool finish() {
        std::stable_sort(
            features_.begin(), features_.end(),
            [](const Feature& a, const Feature& b) { return a.count > b.count; });
        FrozenRows& f = frozen_;
        f.n_actions = n_actions_;
        f.stride = FrozenRows::stride_for(n_actions_);
        f.wide = FrozenRows::wide_for(n_actions_);
        // Rows with up to this number of weights are faster and smaller when sparse.
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
        // If two keys cannot be told apart, all keys get other fingerprints.
        while (!place_all()) f.multiplier = f.multiplier * 2 + 0x9E3779B1u;
        f.slots = slots_.data();
        f.highs = highs_.data();
        return true;
    }

    // The finished weights. They are valid as long as the builder exists.
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
        slots_.assign(f.n_slots, FrozenSlot{0, FrozenSlot::EMPTY});
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

    // Put a feature into one of the tables; returns false if its key cannot be told from
    // another.
    bool place(FrozenRows::Table table, const Feature& feature) {
        const uint32_t fingerprint = frozen_.fingerprint(feature.key);
        // Scoring searches for every key in the first table.
        if (!frozen_.dense_table().find(feature.key, fingerprint).is_empty()) return false;
        uint64_t i = table.place(feature.key, fingerprint);
        if (!table.slots[i].is_empty()) return false;
        i += uint64_t(table.slots - slots_.data());
        slots_[i] = FrozenSlot{fingerprint, feature.row};
        highs_[i] = uint16_t(feature.key >> 32);
        return true;
    }

    // Round the weights of a feature; returns the shift.
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
