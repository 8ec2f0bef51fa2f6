// A hash function without collisions for keys that are known beforehand.
//
// The keys are divided into buckets, and each bucket has a number, its pilot, with which
// its keys have places of their own. So finding the place of a key takes no search. A
// key that is not among those known has a place as well, so whoever asks must compare.
//
// Source: Fox, Chen & Heath 1992; pilots as in Pibiri & Trani 2021, here not compressed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace dynoracle {

struct StaticHash {
    static constexpr uint64_t KEYS_PER_BUCKET = 4;
    static constexpr uint64_t MAX_PILOT = 0xFFFF;

    const uint16_t* pilots = nullptr;
    uint64_t n_buckets = 0;
    uint64_t n_places = 0;

    static uint64_t buckets_for(uint64_t n_keys) { return n_keys / KEYS_PER_BUCKET + 1; }
    // Where 3 % of the places are free, pilots are found soon.
    static uint64_t places_for(uint64_t n_keys) { return n_keys + n_keys / 32 + 1; }

    uint64_t bucket(uint64_t key) const {
        return (((key * 0xC2B2AE3D27D4EB4Fu) >> 32) * n_buckets) >> 32;
    }

    uint64_t place(uint64_t key, uint64_t pilot) const {
        const uint64_t x =
            (key ^ (pilot * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
        return ((x >> 32) * n_places) >> 32;
    }

    uint64_t place(uint64_t key) const { return place(key, pilots[bucket(key)]); }
};

// Finds the pilots for some keys, no two of which are equal.
class StaticHashBuilder {
public:
    void build(const std::vector<uint64_t>& keys) {
        hash_.n_buckets = StaticHash::buckets_for(keys.size());
        hash_.n_places = StaticHash::places_for(keys.size());
        sort(keys);
        // Almost always the first attempt succeeds.
        while (!find_pilots()) hash_.n_places += hash_.n_places / 16 + 1;
    }

    // The function; it is valid as long as the builder exists.
    const StaticHash& result() const { return hash_; }

private:
    // Returns false if a bucket has no pilot.
    bool find_pilots() {
        pilots_.assign(hash_.n_buckets, 0);
        hash_.pilots = pilots_.data();
        // Large buckets are the hardest; they come first.
        std::vector<uint32_t> order(hash_.n_buckets);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return starts_[a + 1] - starts_[a] > starts_[b + 1] - starts_[b];
        });
        taken_.assign(hash_.n_places, 0);
        return std::all_of(
            order.begin(), order.end(), [&](uint32_t b) { return settle(b); });
    }

    // Sort the keys by bucket.
    void sort(const std::vector<uint64_t>& keys) {
        starts_.assign(hash_.n_buckets + 1, 0);
        for (uint64_t key : keys) ++starts_[hash_.bucket(key) + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        sorted_.resize(keys.size());
        std::vector<size_t> next(starts_.begin(), starts_.end() - 1);
        for (uint64_t key : keys) sorted_[next[hash_.bucket(key)]++] = key;
    }

    // Find a pilot for a bucket.
    bool settle(uint32_t bucket) {
        for (uint64_t pilot = 0; pilot <= StaticHash::MAX_PILOT; ++pilot) {
            size_t i = starts_[bucket];
            for (; i < starts_[bucket + 1]; ++i) {
                char& taken = taken_[hash_.place(sorted_[i], pilot)];
                if (taken) break;
                taken = 1;
            }
            if (i == starts_[bucket + 1]) {
                pilots_[bucket] = uint16_t(pilot);
                return true;
            }
            while (i-- > starts_[bucket]) taken_[hash_.place(sorted_[i], pilot)] = 0;
        }
        return false;
    }

    StaticHash hash_;
    std::vector<uint16_t> pilots_;
    std::vector<uint64_t> sorted_;
    std::vector<size_t> starts_;
    std::vector<char> taken_;
};

}  // namespace dynoracle
