// The keys of the features of trees.
#pragma once

#include <cstdint>

#include "hashing.hpp"

namespace dynoracle {

// The key of a feature: a hash of some of the atoms of a context, seeded by the salt of
// its template.
//
// places: the places of the atoms in the context, at most MAX_ATOMS. Each atom is
// multiplied by its factor.
inline uint64_t feature_key(
    uint64_t salt, const int* places, int n_atoms, const uint64_t* context) {
    uint64_t sum = salt;
    // Most features have two or three atoms, so a loop would cost more than its body.
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC unroll 6
#endif
    for (int i = 0; i < MAX_ATOMS; ++i) {
        if (i == n_atoms) break;
        sum += atom_factor(i) * context[places[i]];
    }
    return sum >> (64 - KEY_BITS);
}

}  // namespace dynoracle
