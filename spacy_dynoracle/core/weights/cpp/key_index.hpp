// An open-addressing hash index from feature keys to row numbers.
//
// Keys have 48 bits and are already well mixed, so that their high bits serve as the
// home slot. Rows are numbered in the order of insertion, which makes every walk over
// them deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynoracle {

#if defined(__GNUC__) || defined(__clang__)
inline void prefetch(const void* address) { __builtin_prefetch(address); }
#else
inline void prefetch(const void*) {}
#endif

constexpr int KEY_BITS = 48;

class KeyIndex {
public:
    static constexpr uint32_t ABSENT = 0xFFFFFFFFu;

    KeyIndex() : slots_(1024, Slot{0, ABSENT}), shift_(KEY_BITS - 10) {}

    size_t size() const { return size_; }

    void prefetch_slot(uint64_t key) const { prefetch(&slots_[key >> shift_]); }

    uint32_t find(uint64_t key) const {
        for (size_t i = key >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i].row == ABSENT || slots_[i].key == key) return slots_[i].row;
        }
    }

    // Make room for so many keys. Without it, keys that come in the order of their homes
    // would all gather in the first part of a table that is still small.
    void reserve(size_t n_keys) {
        while (2 * n_keys > slots_.size()) grow();
    }

    // The row of a key; a new key gets the next row number.
    uint32_t insert(uint64_t key) {
        const uint32_t row = find(key);
        if (row != ABSENT) return row;
        if (2 * (size_ + 1) > slots_.size()) grow();
        place(slots_, shift_, key, static_cast<uint32_t>(size_));
        return static_cast<uint32_t>(size_++);
    }

private:
    struct Slot {
        uint64_t key;
        uint32_t row;
    };

    static void place(std::vector<Slot>& slots, int shift, uint64_t key, uint32_t row) {
        size_t i = key >> shift;
        while (slots[i].row != ABSENT) i = (i + 1) & (slots.size() - 1);
        slots[i] = Slot{key, row};
    }

    void grow() {
        std::vector<Slot> larger(2 * slots_.size(), Slot{0, ABSENT});
        for (const Slot& slot : slots_) {
            if (slot.row != ABSENT) place(larger, shift_ - 1, slot.key, slot.row);
        }
        slots_.swap(larger);
        --shift_;
    }

    std::vector<Slot> slots_;
    size_t size_ = 0;
    int shift_;
};

}  // namespace dynoracle
