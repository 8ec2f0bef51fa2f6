// Hashes of texts, one character after the other.
#pragma once

#include <cstdint>

#include "hashing.hpp"

namespace dynoracle {

// The hash of a text with one more character, a code point.
constexpr uint64_t next_hash(uint64_t hash, uint64_t character) {
    return mix(hash ^ (0x9E3779B97F4A7C15u * character));
}

}  // namespace dynoracle
