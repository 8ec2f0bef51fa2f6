// Weights in training: for each feature key a row of (action -> Hot, Cold) entries.
//
// Hot is the part of a weight that scoring reads; Cold is the part that only updates
// read. A row starts sparse and becomes dense once about a quarter of the actions have
// an entry. Few features occur often, and those have dense rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "fixed_point.hpp"
#include "frozen_builder.hpp"
#include "growing_table.hpp"

namespace dynoracle {

// Hands out blocks of memory by size class and takes them back for reuse.
class Arena {
public:
    void* allocate(size_t bytes) {
        std::vector<void*>& free = free_[bytes];
        if (!free.empty()) {
            void* block = free.back();
            free.pop_back();
            return block;
        }
        bytes = (bytes + 15) & ~size_t(15);
        if (used_ + bytes > capacity_) {
            capacity_ = bytes > CHUNK ? bytes : CHUNK;
            chunks_.emplace_back(new char[capacity_]);
            used_ = 0;
        }
        void* block = chunks_.back().get() + used_;
        used_ += bytes;
        return block;
    }

    void release(void* block, size_t bytes) { free_[bytes].push_back(block); }

private:
    static constexpr size_t CHUNK = size_t(1) << 20;

    std::vector<std::unique_ptr<char[]>> chunks_;
    // By size, of which there are few.
    std::map<size_t, std::vector<void*>> free_;
    size_t used_ = 0;
    size_t capacity_ = 0;
};

template <class Hot, class Cold>
class TrainingRows {
public:
    struct Entry {
        Hot* hot;
        Cold* cold;
    };

    // min_updates: keys whose entries were asked for less often have no row, as far as one
    // can see from outside.
    TrainingRows(int n_actions, int min_updates)
        : min_updates_(uint8_t(min_updates)), stride_(round_up(n_actions)) {}

    int stride() const { return stride_; }

    // Make room for this number of keys.
    void reserve(size_t n_keys) { index_.reserve(n_keys); }

    // Make room for this number of actions.
    void resize(int n_actions) {
        const int old = stride_;
        if (n_actions <= old) return;
        stride_ = round_up(2 * n_actions);
        for (Row& row : rows_) {
            if (!row.dense) continue;
            const Row before = row;
            make_dense(row);
            std::memcpy(cold(row), cold(before), old * sizeof(Cold));
            std::memcpy(hot(row), hot(before), old * sizeof(Hot));
            arena_.release(before.data, block_bytes(old, true));
        }
    }

    // Set scores[action] to the sum of value(hot, cold) over the given keys.
    template <class Value>
    void set_scores(const uint64_t* keys, int n_keys, float* scores, Value value) const {
        std::fill_n(scores, stride_, 0.0f);
        uint32_t found[MAX_KEYS];
        const int n_found = find(keys, n_keys, found);
        for (int i = 0; i < n_found; ++i) {
            for_entries(rows_[found[i]], [=](int a, Hot h, Cold c) {
                scores[a] += value(h, c);
            });
        }
    }

    // Do the same as frozen weights would (see `for_frozen`).
    template <class Value>
    void set_frozen_scores(
        const uint64_t* keys, int n_keys, int n_actions, Smallest smallest, float* scores,
        Value value) const {
        std::fill_n(scores, stride_, 0.0f);
        const float unit = float(1.0 / value.fine.scale);
        uint32_t found[MAX_KEYS];
        const int n_found = find(keys, n_keys, found);
        for (int i = 0; i < n_found; ++i) {
            for_frozen(rows_[found[i]], value, n_actions, smallest, [&](int a, int weight) {
                scores[a] += weight;
            });
        }
        for (int a = 0; a < n_actions; ++a) scores[a] *= unit;
    }

    // The entry of (key, action). A new entry holds zeros. The reference is valid until
    // the next call.
    Entry entry(uint64_t key, int action) {
        uint32_t& place = index_.insert(key);
        if (place == ABSENT) {
            place = uint32_t(rows_.size());
            rows_.push_back(Row{nullptr, key, 0, 0, false, 0});
        }
        Row& row = rows_[place];
        if (row.n_updates < min_updates_) ++row.n_updates;
        if (row.dense) return Entry{hot(row) + action, cold(row) + action};
        for (int i = 0; i < row.count; ++i) {
            if (actions(row)[i] == action) return Entry{hot(row) + i, cold(row) + i};
        }
        if (row.count == row.capacity) grow(row);
        if (row.dense) return Entry{hot(row) + action, cold(row) + action};
        const int i = row.count++;
        actions(row)[i] = static_cast<uint16_t>(action);
        hot(row)[i] = Hot();
        cold(row)[i] = Cold();
        return Entry{hot(row) + i, cold(row) + i};
    }

    // The largest of value(hot, cold) over all entries, without its sign.
    template <class Value>
    double largest(Value value) const {
        double found = 0;
        for (const Row& row : rows_) {
            if (!can_be_seen(row)) continue;
            for_entries(row, [&](int, Hot h, Cold c) {
                found = std::max(found, std::abs(double(value(h, c))));
            });
        }
        return found;
    }

    // Add the frozen weights of all features to a builder (see `for_frozen`).
    template <class Value>
    void freeze(
        Value value, int n_actions, Smallest smallest, FrozenBuilder& builder) const {
        builder.start(n_actions);
        for (const Row& row : rows_) {
            if (!can_be_seen(row)) continue;
            for_frozen(row, value, n_actions, smallest, [&](int action, int weight) {
                builder.add(row.key, action, weight);
            });
        }
    }

    // Call change(action, hot, cold) for every entry of a key, with references to both
    // parts.
    template <class Change>
    void update(uint64_t key, Change change) {
        const uint32_t row = index_.get(key);
        if (row != ABSENT) for_entries(rows_[row], change);
    }

    // Show all rows, however often they were asked for.
    void show_all() {
        for (Row& row : rows_) row.n_updates = min_updates_;
    }

private:
    static constexpr uint32_t ABSENT = 0xFFFFFFFFu;

    // Rows are in the order of insertion, which makes every walk over them deterministic.
    struct Row {
        char* data;
        uint64_t key;
        uint32_t capacity;
        uint16_t count;
        bool dense;
        uint8_t n_updates;
    };

    bool can_be_seen(const Row& row) const { return row.n_updates >= min_updates_; }
    static int round_up(int n) { return (n + 15) / 16 * 16; }
    // A block holds `capacity` Hot parts, then (in sparse rows) the actions, then
    // the Cold parts. Scoring reads only the beginning.
    static size_t cold_offset(size_t capacity, bool dense) {
        const size_t end = capacity * (sizeof(Hot) + (dense ? 0 : sizeof(uint16_t)));
        return (end + alignof(Cold) - 1) / alignof(Cold) * alignof(Cold);
    }
    static size_t block_bytes(size_t capacity, bool dense) {
        return cold_offset(capacity, dense) + capacity * sizeof(Cold);
    }

    static Hot* hot(const Row& row) { return reinterpret_cast<Hot*>(row.data); }
    static uint16_t* actions(const Row& row) {
        return reinterpret_cast<uint16_t*>(row.data + row.capacity * sizeof(Hot));
    }
    static Cold* cold(const Row& row) {
        return reinterpret_cast<Cold*>(row.data + cold_offset(row.capacity, row.dense));
    }

    // Write the places in rows_ of all keys whose row can be seen; returns their count.
    int find(const uint64_t* keys, int n_keys, uint32_t* found) const {
        int n_found = 0;
        for (int i = 0; i < n_keys; ++i) index_.prefetch_slot(keys[i]);
        for (int i = 0; i < n_keys; ++i) {
            const uint32_t row = index_.get(keys[i]);
            if (row == ABSENT) continue;
            prefetch(&rows_[row]);
            found[n_found++] = row;
        }
        int n_seen = 0;
        for (int i = 0; i < n_found; ++i) {
            const Row& row = rows_[found[i]];
            if (!can_be_seen(row)) continue;
            prefetch(row.data);
            found[n_seen++] = found[i];
        }
        return n_seen;
    }

    // Call use(action, hot, cold) for every entry of a row, with references to both parts.
    template <class Use>
    void for_entries(const Row& row, Use use) const {
        Hot* h = hot(row);
        Cold* c = cold(row);
        // The bound is local, because the compiler cannot know that `use` does not change a
        // member.
        const int n = row.dense ? stride_ : row.count;
        if (row.dense) {
            for (int i = 0; i < n; ++i) use(i, h[i], c[i]);
        } else {
            const uint16_t* a = actions(row);
            for (int i = 0; i < n; ++i) use(int(a[i]), h[i], c[i]);
        }
    }

    // Call use(action, weight) for the weights of a feature that frozen weights have, as
    // they have them: value(hot, cold) is a fine weight, which is left out if it is too
    // small, and rounded. Dense rows have more places than there are actions.
    template <class Value, class Use>
    void for_frozen(
        const Row& row, Value value, int n_actions, Smallest smallest, Use use) const {
        const auto for_kept = [&](auto use_fine) {
            for_entries(row, [&](int action, Hot h, Cold c) {
                const int fine = int(value(h, c));
                if (action < n_actions && smallest.keeps(weight_of(fine))) {
                    use_fine(action, fine);
                }
            });
        };
        FeatureSize size;
        for_kept([&](int, int fine) { size.add(weight_of(fine)); });
        if (size.largest < smallest.feature) return;
        const RowRounding rounded(size, most_without_row(n_actions));
        for_kept([&](int action, int fine) { use(action, rounded(fine)); });
    }

    void make_dense(Row& row) {
        row.data = static_cast<char*>(arena_.allocate(block_bytes(stride_, true)));
        std::memset(row.data, 0, block_bytes(stride_, true));
        row.capacity = static_cast<uint32_t>(stride_);
        row.dense = true;
    }

    void grow(Row& row) {
        const Row before = row;
        const int capacity = before.capacity ? 2 * before.capacity : 1;
        if (4 * capacity > stride_) {
            make_dense(row);
            for (int i = 0; i < before.count; ++i) {
                hot(row)[actions(before)[i]] = hot(before)[i];
                cold(row)[actions(before)[i]] = cold(before)[i];
            }
        } else {
            row.capacity = static_cast<uint32_t>(capacity);
            row.data = static_cast<char*>(arena_.allocate(block_bytes(capacity, false)));
            for (int i = 0; i < before.count; ++i) {
                cold(row)[i] = cold(before)[i];
                hot(row)[i] = hot(before)[i];
                actions(row)[i] = actions(before)[i];
            }
        }
        if (before.data) arena_.release(before.data, block_bytes(before.capacity, false));
    }

    // The place of the row of each key.
    GrowingTable<uint32_t> index_{10, ABSENT};
    std::vector<Row> rows_;
    Arena arena_;
    uint8_t min_updates_;
    int stride_;
};

}  // namespace dynoracle
