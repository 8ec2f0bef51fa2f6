// What the places of features do not say of their keys.
#pragma once

#include <cstdint>

#include "hashing.hpp"
#include "lines.hpp"
#include "static_hash.hpp"

namespace dynoracle {

// The upper bits of keys, one feature behind the other. For features in buckets, and in
// lines if there are few of these, they are the upper 24 bits. Where there are many lines,
// the line of a feature says nearly all of it, and the rest fits into a byte.
struct KeyHighs {
    static constexpr int BYTES = 3;
    static constexpr int SHIFT = KEY_BITS - 8 * BYTES;
    // Keys with the same line and the same lower 32 bits are numbered. The byte has the
    // bits between those of a head and these, and the number.
    static constexpr int NUMBER_SHIFT = 32 - Line::HEAD_BITS;
    static constexpr uint64_t MANY_LINES =
        uint64_t(1) << (StaticHash::UPPER_BITS + NUMBER_SHIFT - 8);

    static int bytes_in_lines(uint64_t n_lines) { return n_lines < MANY_LINES ? BYTES : 1; }

    static uint64_t long_key(uint64_t low, const uint8_t* high) {
        for (int i = 0; i < BYTES; ++i) low |= uint64_t(high[i]) << (SHIFT + 8 * i);
        return low;
    }

    static uint64_t short_key(
        uint64_t head, uint8_t high, const StaticHash& hash, uint64_t line) {
        constexpr uint8_t MASK = (1u << NUMBER_SHIFT) - 1;
        const uint64_t low = head | uint64_t(high & MASK) << Line::HEAD_BITS;
        return hash.key_of(low, line, high >> NUMBER_SHIFT);
    }

    static uint8_t short_high(uint64_t key, const StaticHash& hash) {
        const uint64_t between = uint32_t(key) >> Line::HEAD_BITS;
        return uint8_t(hash.number_of(key) << NUMBER_SHIFT | between);
    }
};

}  // namespace dynoracle
