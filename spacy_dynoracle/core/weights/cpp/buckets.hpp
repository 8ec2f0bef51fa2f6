// A hash table of cache lines, which is used as it lies in a file.
#pragma once

#include <cstdint>
#include <cstring>

#include "hashing.hpp"
#include "vectors.hpp"

namespace dynoracle {

// The slots of a cache line. A slot has a fingerprint, which tells a key from others with
// the same home, and a value. The value 0 is that of an empty slot; the slots of a bucket
// are filled from the first one on. The last slot is always empty, so that a search that
// finds nothing has an end.
struct Bucket {
    static constexpr int SIZE = 8;
    static constexpr int USED = SIZE - 1;

    uint32_t fingerprints[SIZE];
    uint32_t values[SIZE];

    uint32_t find(uint32_t fingerprint) const {
        for (int i = 0; i < USED; ++i) {
            if (fingerprints[i] == fingerprint) return values[i];
        }
        return 0;
    }

#ifdef DYNORACLE_X86
    // The same. All slots are compared at once: in a loop, the processor would have to
    // guess at each slot whether the search ends there.
    DYNORACLE_AVX2 uint32_t find_vectorized(__m256i fingerprint) const {
        const __m256i slots = _mm256_loadu_si256((const __m256i*)fingerprints);
        const __m256i equal = _mm256_cmpeq_epi32(slots, fingerprint);
        const unsigned hits = unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
        return values[_tzcnt_u32(hits | 1u << USED)];
    }
#endif
};
static_assert(sizeof(Bucket) == 64, "a bucket is a cache line");

// A key is in its home or not in the table. The fingerprint of a key is its lower half.
struct BucketTable {
    const Bucket* buckets = nullptr;
    uint64_t size = 0;

    const Bucket* home(uint64_t key) const {
        return buckets + (((key >> (KEY_BITS - 32)) * size) >> 32);
    }

    uint32_t find(uint64_t key) const { return home(key)->find(uint32_t(key)); }

#ifdef DYNORACLE_X86
    DYNORACLE_AVX2 uint32_t find_vectorized(const uint64_t* key) const {
        int32_t fingerprint;
        std::memcpy(&fingerprint, key, sizeof(fingerprint));
        return home(*key)->find_vectorized(_mm256_set1_epi32(fingerprint));
    }
#endif
};

}  // namespace dynoracle
