// A hash table of cache lines, which is used as it lies in a file.
#pragma once

#include <cstdint>

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
    // The same for the lower half of a key. All slots are compared at once: in a loop, the
    // processor would have to guess at each slot whether the search ends there.
    DYNORACLE_AVX2 uint32_t find_avx2(uint64_t key) const {
        const __m256i fingerprint = _mm256_set1_epi32(int32_t(uint32_t(key)));
        const __m256i slots = _mm256_loadu_si256((const __m256i*)fingerprints);
        const __m256i equal = _mm256_cmpeq_epi32(slots, fingerprint);
        const unsigned hits = unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
        return values[_tzcnt_u64(hits | 1u << USED)];
    }
#endif
};
static_assert(sizeof(Bucket) == 64, "a bucket is a cache line");

// A key is in its home or not in the table. The fingerprint of a key is its lower half.
struct BucketTable {
    static constexpr int HOME_SHIFT = KEY_BITS - 32;
    static constexpr int BUCKET_SHIFT = 6;

    const Bucket* buckets = nullptr;
    uint64_t size = 0;

    const Bucket* home(uint64_t key) const {
        return buckets + ((uint64_t(uint32_t(key >> HOME_SHIFT)) * size) >> 32);
    }

    uint32_t find(uint64_t key) const { return home(key)->find(uint32_t(key)); }

#ifdef DYNORACLE_X86
    // Where the homes of PACKED keys are in the table, in bytes.
    DYNORACLE_AVX2 void find_homes_avx2(__m256i keys, uint64_t* homes) const {
        const __m256i upper = _mm256_srli_epi64(keys, HOME_SHIFT);
        const __m256i factor = _mm256_set1_epi64x(int64_t(size));
        const __m256i home = _mm256_srli_epi64(_mm256_mul_epu32(upper, factor), 32);
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(homes), _mm256_slli_epi64(home, BUCKET_SHIFT));
    }

    const Bucket* at(uint64_t bytes) const {
        return reinterpret_cast<const Bucket*>(
            reinterpret_cast<const char*>(buckets) + bytes);
    }
#endif
};

}  // namespace dynoracle
