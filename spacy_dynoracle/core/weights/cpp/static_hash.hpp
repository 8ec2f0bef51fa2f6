// A hash function that fills lines evenly, for keys that are known beforehand.
//
// The keys are divided into groups, and each group has a number, its pilot, with which each
// of its keys has a line with enough room. So finding the line of a key takes no
// search. A key that is not among those known has a line as well, so whoever asks must
// compare.
//
// Source: Fox, Chen & Heath 1992; pilots and groups of different sizes as in Pibiri &
// Trani 2021, here for lines with several keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "hashing.hpp"
#include "lines.hpp"
#include "vectors.hpp"

namespace dynoracle {

struct StaticHash {
    static constexpr uint64_t KEYS_PER_GROUP = 9;
    static constexpr uint64_t MAX_PILOT = 0xFFFF;

    const uint16_t* pilots = nullptr;
    uint64_t n_groups = 0;
    uint64_t n_lines = 0;

    // The square makes the first groups the largest. These have their lines while there
    // is much room, and for a small group some is always found.
    uint64_t group(uint64_t key) const {
        const uint64_t x = uint32_t(key);
        return ((x * x >> 32) * n_groups) >> 32;
    }

    uint64_t line(uint64_t key, uint64_t pilot) const {
        return (mixed(key, pilot) * n_lines) >> 32;
    }

    uint64_t line(uint64_t key) const { return line(key, pilots[group(key)]); }

#ifdef DYNORACLE_X86
    // The lines of PACKED keys.
    DYNORACLE_AVX2 void find_lines_avx2(const uint64_t* keys, uint64_t* found) const {
        const __m256i key = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
        const __m256i square = _mm256_srli_epi64(_mm256_mul_epu32(key, key), 32);
        const __m256i group =
            _mm256_mul_epu32(square, _mm256_set1_epi64x(int64_t(n_groups)));
        uint64_t at[PACKED];
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(at), _mm256_srli_epi64(group, 32));
        const __m256i pilot = _mm256_cvtepu32_epi64(_mm_set_epi32(
            pilots[at[3]], pilots[at[2]], pilots[at[1]], pilots[at[0]]));
        const __m256i folded =
            _mm256_xor_si256(key, _mm256_srli_epi64(key, UPPER_BITS));
        const __m256i salted = _mm256_xor_si256(
            folded, _mm256_mul_epu32(pilot, _mm256_set1_epi64x(PILOT_FACTOR)));
        const __m256i x = _mm256_mul_epu32(salted, _mm256_set1_epi64x(KEY_FACTOR));
        const __m256i line = _mm256_mul_epu32(x, _mm256_set1_epi64x(int64_t(n_lines)));
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(found), _mm256_srli_epi64(line, 32));
    }
#endif

private:
    // Factors have 32 bits, because vectors multiply no longer numbers.
    static constexpr uint32_t PILOT_FACTOR = 0x9E3779B1u;
    static constexpr uint32_t KEY_FACTOR = 0x85EBCA77u;
    // The bits of a key above the lower 32.
    static constexpr int UPPER_BITS = KEY_BITS - 32;

    // Folding brings all bits of a key into 32.
    static uint64_t mixed(uint64_t key, uint64_t pilot) {
        const uint32_t folded = uint32_t(key ^ (key >> UPPER_BITS));
        return uint32_t((folded ^ uint32_t(pilot * PILOT_FACTOR)) * KEY_FACTOR);
    }
};

// Finds the pilots for some keys.
class StaticHashBuilder {
public:
    // A key and how many cells it needs.
    struct Item {
        uint64_t key;
        int n_cells;
    };

    // items: no two of their keys are equal. Returns false if no function is found in time,
    // which only happens for keys that were made for it.
    bool build(std::vector<Item> items) {
        hash_.n_groups = items.size() / StaticHash::KEYS_PER_GROUP + 1;
        const uint64_t least = least_lines(items), most = MOST_LINES * (items.size() + 1);
        items_ = std::move(items);
        sort();
        // Where one cell in twenty is free, pilots are found soon for most sizes of items.
        // For others there is more room each time.
        const uint64_t step = least / 18 + 1;
        uint64_t more = step;
        do {
            hash_.n_lines = least + more;
            if (hash_.n_lines > most) return false;
            attempts_left_ = FEWEST_ATTEMPTS + ATTEMPTS_PER_KEY * items_.size();
            more += std::max(step, more / 4);
        } while (!find_pilots());
        return true;
    }

    // The function; it is valid as long as the builder exists.
    const StaticHash& result() const { return hash_; }

private:
    // How many lines there are for each key at most, and how often keys are put into the
    // lines of one size, so that time and memory are linear whatever the keys are.
    static constexpr uint64_t MOST_LINES = 4;
    static constexpr uint64_t ATTEMPTS_PER_KEY = 64;
    static constexpr uint64_t FEWEST_ATTEMPTS = 1 << 24;

    // What a line has so far.
    struct Load {
        int n_keys;
        int n_cells;
        uint32_t fingerprints[Line::HEADS];
    };

    // As many lines as have room for all cells and heads, and more if these run out at the
    // same time, because then most lines have only one of the two left.
    static uint64_t least_lines(const std::vector<Item>& items) {
        uint64_t n_cells = 0, n_large = 0;
        for (const Item& item : items) {
            n_cells += uint64_t(item.n_cells);
            n_large += 2 * item.n_cells > Line::CELLS;
        }
        const uint64_t for_cells = n_cells / Line::CELLS;
        const uint64_t for_heads = items.size() / Line::HEADS;
        const uint64_t most = std::max(for_cells, for_heads);
        const uint64_t least = std::min(for_cells, for_heads);
        // No two large items share a line.
        return std::max(
            n_large, most + (4 * least > 3 * most ? (4 * least - 3 * most) / 12 : 0));
    }

    // Returns false if a group has no pilot.
    bool find_pilots() {
        pilots_.assign(hash_.n_groups, 0);
        hash_.pilots = pilots_.data();
        // Groups that need much room are the hardest; they come first.
        std::vector<uint32_t> order(hash_.n_groups);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return needs_[a] > needs_[b];
        });
        loads_.assign(hash_.n_lines, Load{});
        return std::all_of(
            order.begin(), order.end(), [&](uint32_t b) { return settle(b); });
    }

    // Sort the keys by group. Those with many cells come first in theirs.
    void sort() {
        std::sort(items_.begin(), items_.end(), [&](const Item& a, const Item& b) {
            const uint64_t group_a = hash_.group(a.key), group_b = hash_.group(b.key);
            if (group_a != group_b) return group_a < group_b;
            return a.n_cells != b.n_cells ? a.n_cells > b.n_cells : a.key < b.key;
        });
        starts_.assign(hash_.n_groups + 1, 0);
        needs_.assign(hash_.n_groups, 0);
        for (const Item& item : items_) {
            const uint64_t group = hash_.group(item.key);
            ++starts_[group + 1];
            // A head takes the room of two cells.
            needs_[group] += item.n_cells + 2;
        }
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    }

    // Find a pilot for a group.
    bool settle(uint32_t group) {
        for (uint64_t pilot = 0; pilot <= StaticHash::MAX_PILOT; ++pilot) {
            size_t i = starts_[group];
            while (i < starts_[group + 1] && add(items_[i], pilot)) ++i;
            attempts_left_ -= std::min<uint64_t>(attempts_left_, i - starts_[group] + 1);
            if (attempts_left_ == 0) return false;
            if (i == starts_[group + 1]) {
                pilots_[group] = uint16_t(pilot);
                return true;
            }
            while (i-- > starts_[group]) {
                Load& load = loads_[hash_.line(items_[i].key, pilot)];
                --load.n_keys;
                load.n_cells -= items_[i].n_cells;
            }
        }
        return false;
    }

    // Put a key into its line; returns false if there is no room, or if the line has a
    // key with the same fingerprint.
    bool add(const Item& item, uint64_t pilot) {
        Load& load = loads_[hash_.line(item.key, pilot)];
        if (load.n_keys == Line::HEADS || load.n_cells + item.n_cells > Line::CELLS) {
            return false;
        }
        const uint32_t fingerprint = Line::fingerprint_of(item.key);
        for (int i = 0; i < load.n_keys; ++i) {
            if (load.fingerprints[i] == fingerprint) return false;
        }
        load.fingerprints[load.n_keys++] = fingerprint;
        load.n_cells += item.n_cells;
        return true;
    }

    StaticHash hash_;
    uint64_t attempts_left_ = 0;
    std::vector<Item> items_;
    std::vector<uint16_t> pilots_;
    std::vector<int> needs_;
    std::vector<size_t> starts_;
    std::vector<Load> loads_;
};

}  // namespace dynoracle
