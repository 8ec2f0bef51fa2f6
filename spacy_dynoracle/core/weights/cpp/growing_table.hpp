// An open-addressing hash table that grows; it maps keys to small values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hashing.hpp"
#include "vectors.hpp"

namespace dynoracle {

// N_BITS: number of bits of a key. Keys are already well mixed, so their high bits serve
// as the home slot. No key has all 64 bits set.
// MAX_LOAD: percentage of the slots that may be in use before the table doubles.
template <class Value, int N_BITS = KEY_BITS, int MAX_LOAD = 50>
class GrowingTable {
public:
    // log_slots: binary logarithm of the number of slots at the start. nothing: value of
    // keys that are not in the table.
    GrowingTable(int log_slots, Value nothing)
        : nothing_{NO_KEY, nothing}, log_slots_(log_slots) {
        clear();
    }

    // The number of keys.
    size_t size() const { return size_; }

    // Forget all keys. The table becomes as small as it was at the start: a large table
    // takes longer to empty than a small one takes to grow.
    void clear() {
        slots_.assign(size_t(1) << log_slots_, nothing_);
        shift_ = N_BITS - log_slots_;
        size_ = 0;
    }

    // Make room for this number of keys. Without it, keys that come in the order of their
    // homes would all gather in the first part of a table that is still small.
    void reserve(size_t n_keys) {
        int doublings = 0;
        while (100 * n_keys > MAX_LOAD * (slots_.size() << doublings)) ++doublings;
        if (doublings > 0) grow(doublings);
    }

    void prefetch_slot(uint64_t key) const { prefetch(&slots_[key >> shift_]); }

    // The value of a key, or `nothing`.
    const Value& get(uint64_t key) const { return slots_[place(key)].value; }

    // A reference to the value of a key, which starts as `nothing`. It is valid until the
    // next call.
    Value& insert(uint64_t key) {
        size_t i = place(key);
        if (slots_[i].key == NO_KEY) {
            if (100 * (size_ + 1) > MAX_LOAD * slots_.size()) {
                grow(1);
                i = place(key);
            }
            slots_[i].key = key;
            ++size_;
        }
        return slots_[i].value;
    }

    // Call visit(key, value) for every key, in the order of the slots.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const Slot& slot : slots_) {
            if (slot.key != NO_KEY) visit(slot.key, slot.value);
        }
    }

private:
    static constexpr uint64_t NO_KEY = ~uint64_t(0);

    struct Slot {
        uint64_t key;
        Value value;
    };

    // The slot of a key, or the empty slot where it would be.
    size_t place(uint64_t key) const {
        size_t i = key >> shift_;
        while (slots_[i].key != key && slots_[i].key != NO_KEY) {
            i = (i + 1) & (slots_.size() - 1);
        }
        return i;
    }

    void grow(int doublings) {
        std::vector<Slot> before(slots_.size() << doublings, nothing_);
        before.swap(slots_);
        shift_ -= doublings;
        for (const Slot& slot : before) {
            if (slot.key != NO_KEY) slots_[place(slot.key)] = slot;
        }
    }

    std::vector<Slot> slots_;
    Slot nothing_;
    size_t size_ = 0;
    int log_slots_;
    int shift_;
};

}  // namespace dynoracle
