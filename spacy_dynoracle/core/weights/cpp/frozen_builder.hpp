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

    // Features none of whose weights is at least this large are dropped.
    void set_smallest(int smallest) { smallest_ = smallest; }

    // Add a weight. All weights of a key must be added one after the other. Weights of
    // zero are dropped.
    void add(uint64_t key, int action, int value) {
        if (value == 0) return;
        if (features_.empty() || features_.back().key != key) {
            drop_small();
            features_.push_back(Feature{key, weights_.size(), 0, 0});
        }
        weights_.push_back(Weight{uint16_t(action), int16_t(value)});
        Feature& feature = features_.back();
        ++feature.count;
        feature.largest = std::max(feature.largest, std::abs(value));
    }

    size_t n_features() const { return features_.size(); }
    size_t n_parameters() const { return n_parameters_; }

    // Make the arrays; returns false if the model is too large for the format, or if
    // weights of a key were not added one after the other.
    bool finish() {
        drop_small();
        for (const Feature& feature : features_) n_parameters_ += size_t(feature.count);
        std::stable_sort(
            features_.begin(), features_.end(),
            [](const Feature& a, const Feature& b) { return a.count > b.count; });
        FrozenRows& f = frozen_;
        f.n_actions = n_actions_;
        f.stride = FrozenRows::stride_for(n_actions_);
        f.wide = FrozenRows::wide_for(n_actions_);
        // Up to this number of weights a list is smaller and not slower than a row.
        const int longest = std::max(8, f.stride / 6);
        n_common_ = size_t(std::count_if(
            features_.begin(), features_.end(),
            [=](const Feature& feature) { return feature.count > longest; }));
        return make_common() && make_entries();
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
        int largest;
    };

    // A table that becomes larger than this does not become any better.
    static constexpr uint64_t MAX_BUCKETS = uint64_t(1) << 22;

    // Drop the last feature if it is small.
    void drop_small() {
        if (features_.empty() || features_.back().largest >= smallest_) return;
        weights_.resize(features_.back().start);
        features_.pop_back();
    }

    // In a larger table keys have other homes. So it is made larger until all keys can be
    // told apart.
    bool make_common() {
        BucketTable& table = frozen_.common;
        for (table.size = 2 * n_common_ / Bucket::USED + 1; !fill_common();) {
            table.size *= 2;
            if (table.size > MAX_BUCKETS) return false;
        }
        return true;
    }

    // Fill the table and the rows; returns false if keys cannot be told apart.
    bool fill_common() {
        BucketTable& table = frozen_.common;
        buckets_.assign(table.size, Bucket{});
        highs_.assign(table.size * Bucket::SIZE, 0);
        table.buckets = buckets_.data();
        rows_.clear();
        others_.clear();
        for (size_t i = 0; i < features_.size(); ++i) {
            // Scoring looks for all keys here first.
            if (table.find(features_[i].key) != 0) return false;
            if (i >= n_common_ || !place(features_[i])) others_.push_back(i);
        }
        frozen_.rows = rows_.data();
        frozen_.n_rows = rows_.size() / size_t(frozen_.stride);
        return true;
    }

    // Put a feature into the table; returns false if there is no room.
    bool place(const Feature& feature) {
        const BucketTable& table = frozen_.common;
        const size_t b = size_t(table.home(feature.key) - table.buckets);
        for (size_t i = 0; i < size_t(Bucket::USED); ++i) {
            if (buckets_[b].values[i] != 0) continue;
            append_row(feature);
            buckets_[b].values[i] = uint32_t(rows_.size() / LANES);
            buckets_[b].fingerprints[i] = uint32_t(feature.key);
            highs_[b * Bucket::SIZE + i] = uint16_t(feature.key >> 32);
            return true;
        }
        return false;
    }

    void append_row(const Feature& feature) {
        const size_t stride = size_t(frozen_.stride), start = rows_.size();
        rows_.resize(start + stride, 0);
        int16_t* row = rows_.data() + start;
        for (int i = 0; i < feature.count; ++i) {
            const Weight& weight = weights_[feature.start + size_t(i)];
            row[weight.action] = weight.value;
        }
        row[stride - 1] = int16_t(FrozenRows::bound_of(row, n_actions_));
    }

    bool make_entries() {
        FrozenRows& f = frozen_;
        std::vector<uint64_t> keys;
        for (size_t i : others_) keys.push_back(features_[i].key);
        std::vector<uint64_t> sorted = keys;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
        hash_.build(keys);
        f.hash = hash_.result();
        entries_.assign(f.hash.n_places, Entry{});
        tags_.assign(f.hash.n_places, 0);
        const size_t n_slots = highs_.size();
        highs_.resize(n_slots + f.hash.n_places);
        for (size_t i : others_) {
            const uint64_t key = features_[i].key, place = f.hash.place(key);
            tags_[place] = Entry::tag_of(key);
            highs_[n_slots + place] = uint16_t(key >> 32);
            if (!fill(entries_[place], features_[i])) return false;
        }
        f.entries = entries_.data();
        f.tags = tags_.data();
        f.lists = lists_.data();
        f.n_list_bytes = lists_.size();
        f.highs = highs_.data();
        return true;
    }

    bool fill(Entry& entry, const Feature& feature) {
        Weight* weights = &weights_[feature.start];
        std::sort(weights, weights + feature.count, [](Weight a, Weight b) {
            return a.action < b.action;
        });
        const bool fits = feature.largest <= Entry::LARGEST_BYTE;
        entry.head = Entry::head_of(feature.key);
        if (!fits || feature.count > Entry::SIZE || frozen_.wide) {
            const uint32_t kind = fits ? Entry::IN_BYTE_LIST : Entry::IN_SHORT_LIST;
            entry.head |= kind << Entry::HEAD_BITS;
            return append_list(entry, feature);
        }
        for (int i = 0; i < feature.count; ++i) {
            entry.columns[i] = uint8_t(weights[i].action);
            entry.weights[i] = int8_t(weights[i].value);
        }
        return true;
    }

    bool append_list(Entry& entry, const Feature& feature) {
        constexpr int UNIT = FrozenRows::LIST_UNIT;
        const size_t start = lists_.size();
        const size_t count = size_t((feature.count + UNIT - 1) / UNIT * UNIT);
        if (start / 4 > 0xFFFFFFFFu || count > 0xFFFF) return false;
        const Weight* weights = &weights_[feature.start];
        const bool of_bytes = entry.kind() == Entry::IN_BYTE_LIST;
        for (size_t i = 0; i < count; ++i) {
            append(i < size_t(feature.count) ? weights[i].action : 0, !frozen_.wide);
        }
        for (size_t i = 0; i < count; ++i) {
            append(i < size_t(feature.count) ? weights[i].value : 0, of_bytes);
        }
        const uint32_t unit = uint32_t(start / 4);
        const uint16_t length = uint16_t(count);
        std::memcpy(entry.columns, &unit, sizeof(unit));
        std::memcpy(entry.weights, &length, sizeof(length));
        return true;
    }

    // Append a number of 8 or 16 bits to the lists.
    void append(int number, bool as_byte) {
        char bytes[2];
        const uint16_t both = uint16_t(number);
        std::memcpy(bytes, &both, sizeof(both));
        lists_.insert(lists_.end(), bytes, bytes + (as_byte ? 1 : 2));
    }

    int n_actions_;
    int smallest_ = 1;
    size_t n_parameters_ = 0;
    // The number of features that are to have rows, which come first.
    size_t n_common_ = 0;
    std::vector<Feature> features_;
    std::vector<Weight> weights_;
    // The numbers of the features without rows.
    std::vector<size_t> others_;
    std::vector<int16_t> rows_;
    std::vector<Bucket> buckets_;
    std::vector<uint16_t> highs_;
    std::vector<uint8_t> tags_;
    std::vector<Entry> entries_;
    std::vector<char> lists_;
    StaticHashBuilder hash_;
    FrozenRows frozen_;
};

}  // namespace dynoracle
