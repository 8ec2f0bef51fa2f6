// Whether the arrays of frozen weights are what they should be. They come from files, and
// scoring trusts them. The checks look at each byte a few times at most.
#pragma once

#include <algorithm>
#include <cstdint>

#include "frozen_arrays.hpp"

namespace dynoracle {

inline bool is_zero(const int8_t* first, const int8_t* end) {
    return std::all_of(first, end, [](int8_t byte) { return byte == 0; });
}

inline bool is_start_of_row(const FrozenArrays& f, uint32_t value) {
    return value % uint64_t(f.stride) == 0 && value / uint64_t(f.stride) < f.n_rows;
}

inline bool is_sound_row(const FrozenArrays& f, const int8_t* row) {
    constexpr int UNIT = FrozenArrays::BOUND_UNIT;
    const int bound = f.bound_of(row, f.n_actions), factor = row[FACTOR];
    // The bounds of MAX_KEYS rows add up to less than 2**16.
    if (factor < 1 || factor * bound > (LARGEST_WEIGHT + UNIT - 1) / UNIT) return false;
    return row[BOUND] == bound && is_zero(row + FACTOR + 1, row + FIRST_ACTION) &&
           is_zero(row + FIRST_ACTION + f.n_actions, row + f.stride);
}

// overflow_end: where the last cells end.
inline bool is_sound_overflow(
    const FrozenArrays& f, OverflowPlace place, uint64_t& overflow_end) {
    const uint64_t first = uint64_t(place.start) * f.OVERFLOW_UNIT;
    // Cells are in the order of the lines and do not overlap, so that looking at all of
    // them takes no longer than the file.
    if (first < overflow_end) return false;
    overflow_end = first + f.overflow_bytes(place);
    if (overflow_end + f.OVERFLOW_PADDING > f.n_overflow_bytes) return false;
    // Each action has one weight at most, so that no sum becomes too large.
    int last = -1, sum = 0;
    bool is_fine = true;
    f.with_overflow(place, [&](auto cells, int n) {
        for (int i = 0; i < n; ++i) {
            const int column = cells[i].column, weight = cells[i].weight;
            sum = column == last ? sum + weight : weight;
            is_fine &= column >= last && column < f.n_actions;
            is_fine &= sum >= -LARGEST_WEIGHT && sum <= LARGEST_WEIGHT;
            last = column;
        }
    });
    return is_fine;
}

// n_found: number of features so far.
inline bool is_sound_line(
    const FrozenArrays& f, const Line& line, uint64_t& n_found, uint64_t& overflow_end) {
    for (int slot = 0; slot < Line::HEADS; ++slot) {
        const int start = line.start(slot), end = line.end(slot);
        if (start > end || end > Line::CELLS) return false;
        n_found += start < end;
        if (line.is_in_overflow(start, end)) {
            if (end - start != Line::OVERFLOW_CELLS) return false;
            if (!is_sound_overflow(f, line.overflow(start), overflow_end)) return false;
            continue;
        }
        // The weights of so few cells cannot add up to a sum that is too large.
        if (end - start > (f.wide ? 0 : Line::LONGEST)) return false;
        bool is_fine = true;
        for (int i = start; i < end; ++i) is_fine &= line.cells[i].column < f.n_actions;
        if (!is_fine) return false;
    }
    return true;
}

// Whether everything in the arrays lies within them and is as it says.
inline bool are_sound(const FrozenArrays& f) {
    if (f.buckets.size < 1 || f.hash.n_groups < 1 || f.hash.n_lines < 1) return false;
    if (f.n_rows < 1 || !is_zero(f.rows, f.rows + f.stride)) return false;
    for (uint64_t i = 1; i < f.n_rows; ++i) {
        if (!is_sound_row(f, f.rows + i * uint64_t(f.stride))) return false;
    }
    uint64_t n_found = 0;
    for (uint64_t b = 0; b < f.buckets.size; ++b) {
        const Bucket& bucket = f.buckets.buckets[b];
        int n = 0;
        for (; n < Bucket::USED && bucket.values[n] != 0; ++n) {
            if (!is_start_of_row(f, bucket.values[n])) return false;
            // So rows are not looked at more often than there are rows.
            if (++n_found >= f.n_rows) return false;
        }
        // Search looks at all slots.
        for (; n < Bucket::SIZE; ++n) {
            if (bucket.values[n] != 0) return false;
        }
    }
    uint64_t overflow_end = 0;
    for (uint64_t i = 0; i < f.hash.n_lines; ++i) {
        if (!is_sound_line(f, f.lines[i], n_found, overflow_end)) return false;
    }
    return n_found == f.n_features && (f.n_resume_bytes == 0 || f.has_keys());
}

}  // namespace dynoracle
