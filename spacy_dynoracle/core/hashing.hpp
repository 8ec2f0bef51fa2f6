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

// The hash of a text with one more character, a code point.
constexpr uint64_t next_hash(uint64_t hash, uint64_t character) {
    return mix(hash ^ (0x9E3779B97F4A7C15u * character));
}

}  // namespace dynoracle
