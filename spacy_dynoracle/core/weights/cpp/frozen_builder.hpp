// Makes the arrays of frozen weights; see frozen_arrays.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fixed_point.hpp"
#include "frozen_arrays.hpp"

namespace dynoracle {

// Rows with many weights come first, so that the rows that are read most lie together.
class FrozenBuilder {
public:
    // Begin a model for some actions.
    void start(int n_actions) { frozen_.set_actions(n_actions); }

    // Add a rounded weight, unless it is 0. All weights of a key must be added one after
    // the other.
    void add(uint64_t key, int action, int weight) {
        if (weight == 0) return;
        if (features_.empty() || features_.back().key != key) {
            features_.push_back(Feature{key, weights_.size(), {}, false, 0});
        }
        weights_.push_back(Weight{uint16_t(action), int16_t(weight)});
        features_.back().size.add(weight);
    }

    size_t n_features() const { return features_.size(); }
    size_t n_parameters() const { return weights_.size(); }

    // Make the arrays; returns false if the model is too large for the format, or if
    // weights of a key were not added one after the other.
    bool finish() {
        for (Feature& feature : features_) {
            feature.has_row = feature.size.has_row(most_without_row(frozen_.n_actions));
            n_rows_ += feature.has_row;
        }
        std::stable_sort(
            features_.begin(), features_.end(),
            [](const Feature& a, const Feature& b) {
                return a.size.n_weights > b.size.n_weights;
            });
        return make_buckets() && make_lines();
    }

    // The arrays. They are valid as long as the builder exists.
    const FrozenArrays& result() const { return frozen_; }

private:
    struct Weight {
        uint16_t action;
        int16_t value;
    };
    struct Feature {
        uint64_t key;
        size_t start;
        FeatureSize size;
        // Whether it is to have a row.
        bool has_row;
        // Its slot, counted through all buckets and then through all lines.
        size_t slot;
    };
    // A table that becomes larger than this does not become any better.
    static constexpr uint64_t MAX_BUCKETS = uint64_t(1) << 22;

    // In a larger table keys have other homes. So it is made larger until all keys can be
    // told apart.
    bool make_buckets() {
        BucketTable& table = frozen_.buckets;
        // A few features find their bucket full, but the table stays in the cache.
        for (table.size = 3 * n_rows_ / 2 / Bucket::USED + 1; !fill_buckets();) {
            table.size *= 2;
            if (table.size > MAX_BUCKETS) return false;
        }
        return true;
    }

    // Fill the table and the rows; returns false if keys cannot be told apart.
    bool fill_buckets() {
        BucketTable& table = frozen_.buckets;
        buckets_.assign(table.size, Bucket{});
        table.buckets = buckets_.data();
        rows_.assign(size_t(frozen_.stride), 0);
        others_.clear();
        for (size_t i = 0; i < features_.size(); ++i) {
            // Scoring looks for all keys here first.
            if (table.find(features_[i].key) != 0) return false;
            if (!features_[i].has_row || !place(features_[i])) others_.push_back(i);
        }
        if (rows_.size() > 0xFFFFFFFFu) return false;
        frozen_.rows = rows_.data();
        frozen_.n_rows = rows_.size() / size_t(frozen_.stride);
        return true;
    }

    // Put a feature into the table; returns false if there is no room.
    bool place(Feature& feature) {
        const BucketTable& table = frozen_.buckets;
        const size_t b = size_t(table.home(feature.key) - table.buckets);
        for (size_t i = 0; i < size_t(Bucket::USED); ++i) {
            if (buckets_[b].values[i] != 0) continue;
            buckets_[b].values[i] = uint32_t(rows_.size());
            append_row(feature);
            buckets_[b].fingerprints[i] = uint32_t(feature.key);
            feature.slot = b * Bucket::SIZE + i;
            return true;
        }
        return false;
    }

    void append_row(const Feature& feature) {
        const size_t start = rows_.size();
        rows_.resize(start + size_t(frozen_.stride), 0);
        int8_t* row = rows_.data() + start;
        const int factor = RowRounding::factor_for(feature.size.largest);
        for (int i = 0; i < feature.size.n_weights; ++i) {
            const Weight& weight = weights_[feature.start + size_t(i)];
            row[FIRST_ACTION + weight.action] = int8_t(weight.value / factor);
        }
        row[FACTOR] = int8_t(factor);
        row[BOUND] = int8_t(FrozenArrays::bound_of(row, frozen_.n_actions));
    }

    bool make_lines() {
        FrozenArrays& f = frozen_;
        std::vector<StaticHashBuilder::Item> items;
        std::vector<uint64_t> sorted;
        for (size_t i : others_) {
            items.push_back({features_[i].key, n_line_cells(features_[i])});
            sorted.push_back(features_[i].key);
        }
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
        if (!hash_.build(std::move(items))) return false;
        f.hash = hash_.result();
        // Cells in the overflow lie in the order of the lines, so that whoever looks at all
        // of them does not jump in memory.
        std::stable_sort(others_.begin(), others_.end(), [&](size_t a, size_t b) {
            return f.hash.line(features_[a].key) < f.hash.line(features_[b].key);
        });
        lines_.assign(f.hash.n_lines + 1, Line::empty());
        // The cells that a line has in front are free.
        std::vector<int> next(f.hash.n_lines, Line::CELLS);
        for (size_t i : others_) {
            next[f.hash.line(features_[i].key)] -= n_line_cells(features_[i]);
        }
        std::vector<uint8_t> slots(f.hash.n_lines, 0);
        const size_t first = f.buckets.size * Bucket::SIZE;
        for (size_t i : others_) {
            const uint64_t key = features_[i].key, line = f.hash.line(key);
            const int slot = slots[line]++, start = next[line];
            next[line] += n_line_cells(features_[i]);
            lines_[line].set_head(slot, start, key);
            features_[i].slot = first + line * Line::HEADS + uint64_t(slot);
            if (!fill(lines_[line], start, features_[i])) return false;
        }
        overflow_.resize(overflow_.size() + FrozenArrays::OVERFLOW_PADDING, 0);
        append_upper_bits();
        f.lines = lines_.data();
        f.overflow = overflow_.data();
        f.n_overflow_bytes = overflow_.size();
        f.resume = resume_.data();
        f.n_resume_bytes = resume_.size();
        f.n_features = features_.size();
        return true;
    }

    // The number of cells that a feature has in its line.
    int n_line_cells(const Feature& feature) const {
        const bool fits = !frozen_.wide && feature.size.n_parts <= Line::LONGEST;
        return fits ? feature.size.n_parts : Line::OVERFLOW_CELLS;
    }

    bool fill(Line& line, int start, const Feature& feature) {
        Weight* weights = &weights_[feature.start];
        std::sort(weights, weights + feature.size.n_weights, [](Weight a, Weight b) {
            return a.action < b.action;
        });
        const size_t n = size_t(feature.size.n_parts);
        if (!frozen_.wide && n <= size_t(Line::LONGEST)) {
            write_cells(feature, line.cells + start);
            return true;
        }
        const size_t count = frozen_.wide ? size_t(feature.size.n_weights) : n;
        const size_t first = overflow_.size() / FrozenArrays::OVERFLOW_UNIT;
        if (first > 0xFFFFFFFFu || count > 0xFFFF) return false;
        line.set_overflow(start, {uint32_t(first), uint16_t(count)});
        if (frozen_.wide) {
            std::vector<WideCell> cells;
            for (int i = 0; i < feature.size.n_weights; ++i) {
                cells.push_back({weights[i].action, weights[i].value});
            }
            append_overflow(cells);
        } else {
            std::vector<Cell> cells(n);
            write_cells(feature, cells.data());
            append_overflow(cells);
        }
        return true;
    }

    void write_cells(const Feature& feature, Cell* cells) const {
        for (int i = 0; i < feature.size.n_weights; ++i) {
            const Weight& weight = weights_[feature.start + size_t(i)];
            int rest = weight.value;
            for (int n = n_parts(rest); n > 0; --n) {
                const int part = std::clamp(rest, -LARGEST_BYTE, LARGEST_BYTE);
                *cells++ = {uint8_t(weight.action), int8_t(part)};
                rest -= part;
            }
        }
    }

    template <class AnyCell>
    void append_overflow(const std::vector<AnyCell>& cells) {
        const size_t start = overflow_.size(), n_bytes = sizeof(AnyCell) * cells.size();
        constexpr size_t UNIT = FrozenArrays::OVERFLOW_UNIT;
        overflow_.resize(start + (n_bytes + UNIT - 1) / UNIT * UNIT, 0);
        std::memcpy(overflow_.data() + start, cells.data(), n_bytes);
    }

    // The upper bits of all keys, in the order of the slots. Puts the features in it.
    void append_upper_bits() {
        std::sort(
            features_.begin(), features_.end(),
            [](const Feature& a, const Feature& b) { return a.slot < b.slot; });
        for (const Feature& feature : features_) {
            for (int i = 0; i < FrozenArrays::UPPER_BYTES; ++i) {
                resume_.push_back(FrozenArrays::upper_byte(feature.key, i));
            }
        }
    }

    // The number of features that are to have rows.
    size_t n_rows_ = 0;
    std::vector<Feature> features_;
    std::vector<Weight> weights_;
    // The features without rows, as places in features_.
    std::vector<size_t> others_;
    std::vector<int8_t> rows_;
    std::vector<Bucket> buckets_;
    std::vector<uint8_t> resume_;
    std::vector<Line> lines_;
    std::vector<char> overflow_;
    StaticHashBuilder hash_;
    FrozenArrays frozen_;
};

}  // namespace dynoracle
