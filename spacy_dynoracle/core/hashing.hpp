// Hash functions: the keys of features are hashes of their atoms.
#pragma once

#include <cstdint>

namespace dynoracle {

// Feature keys keep the upper bits of a sum, which are the best mixed ones.
constexpr int KEY_BITS = 48;
constexpr int MAX_ATOMS = 6;

// A bijection whose output bits depend on all input bits (splitmix64 finaliser, Steele,
// Lea & Flood 2014). It maps only 0 to 0.
constexpr uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBu;
    x ^= x >> 31;
    return x;
}

// The odd number that the atom at a place in a template is multiplied by, so that S0w.N0w
// is not N0w.S0w.
constexpr uint64_t atom_factor(int place) {
    constexpr uint64_t FACTORS[MAX_ATOMS] = {
        0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u,
        0xD6E8FEB86659FD93u, 0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu,
    };
    return FACTORS[place];
}

// The key of a feature: a hash of some of the atoms of a context, seeded by the salt of
// its template.
//
// places: the places of the atoms in the context, at most MAX_ATOMS. Each atom is
// multiplied by its factor.
// any_atom: set to 0 if all atoms are 0, else to another number.
inline uint64_t feature_key(
    uint64_t salt, const int* places, int n_atoms, const uint64_t* context,
    uint64_t* any_atom) {
    uint64_t sum = salt, any = 0;
    // Most features have two or three atoms, so a loop would cost more than its body.
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC unroll 6
#endif
    for (int i = 0; i < MAX_ATOMS; ++i) {
        if (i == n_atoms) break;
        const uint64_t atom = context[places[i]];
        any |= atom;
        sum += atom_factor(i) * atom;
    }
    *any_atom = any;
    return sum >> (64 - KEY_BITS);
}

}  // namespace dynoracle
