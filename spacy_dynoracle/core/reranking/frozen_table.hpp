// An open-addressing hash table that is used as it lies in a file.
#pragma once

#include <cstdint>

#include "hashing.hpp"
#include "weights/cpp/prefetch.hpp"

namespace dynoracle {

// Slot: a type with `is_empty()` and a 32-bit `fingerprint`, which tells a key from
// others whose home is near. At least one slot must be empty.
template <class Slot>
struct FrozenTable {
    const Slot* slots = nullptr;
    uint64_t size = 0;

    uint64_t home(uint64_t key) const { return ((key >> (KEY_BITS - 32)) * size) >> 32; }

    void prefetch_slot(uint64_t key) const { prefetch(&slots[home(key)]); }

    // The first slot from the home of the key on that has the fingerprint or is empty.
    uint64_t place(uint64_t key, uint32_t fingerprint) const {
        uint64_t i = home(key);
        while (!slots[i].is_empty() && slots[i].fingerprint != fingerprint) {
            if (++i == size) i = 0;
        }
        return i;
    }

    const Slot& find(uint64_t key, uint32_t fingerprint) const {
        return slots[place(key, fingerprint)];
    }
};

}  // namespace dynoracle
