// An open-addressing hash table that is used as it lies in a file.
#pragma once

#include <cstdint>

#include "hashing.hpp"
#include "prefetch.hpp"

namespace dynoracle {

// The first slot of a line that has the fingerprint or is empty, searched from `start` to
// the end and then from the beginning; SLOTS_PER_LINE if there is none.
template <uint64_t SLOTS_PER_LINE, class Slot>
inline uint64_t place_in_line(const Slot* line, uint64_t start, uint32_t fingerprint) {
    for (uint64_t n_seen = 0, i = start; n_seen < SLOTS_PER_LINE; ++n_seen) {
        if (line[i].is_empty() || line[i].fingerprint == fingerprint) return i;
        i = (i + 1) % SLOTS_PER_LINE;
    }
    return SLOTS_PER_LINE;
}

// Slot: a type with `is_empty()` and a 32-bit `fingerprint`, which tells a key from
// others whose home is near. At least one slot must be empty.
// SLOTS_PER_LINE: number of slots that are searched together: the slots of a cache line,
// or 1 for linear probing. The number of slots is a multiple of it.
template <class Slot, uint64_t SLOTS_PER_LINE = 1>
struct FrozenTable {
    const Slot* slots = nullptr;
    uint64_t size = 0;

    uint64_t home(uint64_t key) const { return ((key >> (KEY_BITS - 32)) * size) >> 32; }

    void prefetch_slot(uint64_t key) const { prefetch(&slots[home(key)]); }

    // The first slot that has the fingerprint or is empty. The search begins at the home
    // of the key, goes around its line, and then around the following lines.
    uint64_t place(uint64_t key, uint32_t fingerprint) const {
        const uint64_t start = home(key) % SLOTS_PER_LINE;
        for (uint64_t line = home(key) - start;;) {
            const uint64_t i =
                place_in_line<SLOTS_PER_LINE>(slots + line, start, fingerprint);
            if (i != SLOTS_PER_LINE) return line + i;
            line += SLOTS_PER_LINE;
            if (line == size) line = 0;
        }
    }

    const Slot& find(uint64_t key, uint32_t fingerprint) const {
        return slots[place(key, fingerprint)];
    }
};

}  // namespace dynoracle
