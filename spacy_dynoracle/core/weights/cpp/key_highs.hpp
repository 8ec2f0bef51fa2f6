// The bits of keys that buckets, heads and lines do not tell.
#pragma once

#include <cstdint>

#include "hashing.hpp"
#include "lines.hpp"
#include "static_hash.hpp"

namespace dynoracle {

// A feature in a bucket has the upper 24 bits of its key. So does a feature in a line if
// the model has few lines. Where there are many, the line tells nearly all of these bits,
// and the rest fits into a byte. Its lower five bits are those of the key above the head.
// The upper three are the number of the key; see StaticHash::number_of.
struct KeyHighs {
    static constexpr int LONG_BYTES = 3;

    // Whether features in lines have one byte.
    static bool are_short(uint64_t n_lines) { return n_lines >= MANY_LINES; }

    // The number of bytes of a feature in a line.
    static int bytes_in_lines(uint64_t n_lines) {
        return are_short(n_lines) ? 1 : LONG_BYTES;
    }

    // A key from its lowest bits, at least 24, and the three bytes of a feature.
    static uint64_t long_key(uint64_t low, const uint8_t* high) {
        for (int i = 0; i < LONG_BYTES; ++i) low |= uint64_t(high[i]) << shift_of(i);
        return low;
    }

    // One of the three bytes of a feature.
    static uint8_t long_high(uint64_t key, int i) { return uint8_t(key >> shift_of(i)); }

    // A key from the head of a feature, its byte and the number of its line.
    static uint64_t short_key(
        uint64_t head, uint8_t high, const StaticHash& hash, uint64_t line) {
        constexpr uint8_t MASK = (1u << NUMBER_SHIFT) - 1;
        const uint64_t low = head | uint64_t(high & MASK) << Line::HEAD_BITS;
        return hash.key_of(low, line, high >> NUMBER_SHIFT);
    }

    // The byte of a feature that is in its line.
    static uint8_t short_high(uint64_t key, const StaticHash& hash) {
        const uint64_t between = uint32_t(key) >> Line::HEAD_BITS;
        return uint8_t(hash.number_of(key) << NUMBER_SHIFT | between);
    }

private:
    static constexpr int NUMBER_SHIFT = 32 - Line::HEAD_BITS;
    // With so many lines, the numbers fit into the upper three bits.
    static constexpr uint64_t MANY_LINES =
        uint64_t(1) << (StaticHash::UPPER_BITS + NUMBER_SHIFT - 8);

    static constexpr int shift_of(int i) { return KEY_BITS - 8 * (LONG_BYTES - i); }
};

}  // namespace dynoracle
