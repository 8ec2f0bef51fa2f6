// The values of atoms that describe the tree built so far, and what keys are made of.
//
// The null atom, of a node that is not there, is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "hashing.hpp"
#include "weights/cpp/vectors.hpp"

namespace dynoracle {

constexpr uint64_t TEMPLATE_SALT = 0x243F6A8885A308D3u;
constexpr uint64_t LABEL_SALT = 0x13198A2E03707344u;
constexpr uint64_t VALENCY_SALT = 0xA4093822299F31D0u;
constexpr uint64_t LABEL_SET_SALT = 0x082EFA98EC4E6C89u;
constexpr uint64_t SIZE_SALT = 0xBE5466CF34E90C6Cu;
constexpr uint64_t DISTANCE_SALT = 0x452821E638D01377u;

// Atoms of small numbers.
template <int SIZE>
struct AtomTable {
    uint64_t atoms[SIZE];

    explicit constexpr AtomTable(uint64_t salt) : atoms{} {
        for (int i = 0; i < SIZE; ++i) atoms[i] = mix(salt + uint64_t(i));
    }
};

// The bucket of a number: 1, 2, 3, 4, 5, 6-10 and more than 10.
inline int bucket_of(int number) {
    if (number <= 5) return number;
    return number <= 10 ? 6 : 7;
}

// label: -1 for a node without one.
inline uint64_t label_atom(int label) {
    constexpr int FEW = 256;
    static constexpr AtomTable<FEW> TABLE(LABEL_SALT);
    if (unsigned(label) < unsigned(FEW)) return TABLE.atoms[label];
    return label < 0 ? 0 : mix(LABEL_SALT + uint64_t(label));
}

// number: of dependents on a side.
inline uint64_t valency_atom(bool is_there, int number) {
    constexpr int LARGEST = 15;
    static constexpr AtomTable<LARGEST + 1> TABLE(VALENCY_SALT);
    const uint64_t atom = TABLE.atoms[number < LARGEST ? number : LARGEST];
    return is_there ? atom : 0;
}

// labels: a hash of the set.
inline uint64_t label_set_atom(bool is_there, uint64_t labels) {
    const uint64_t atom = mix(LABEL_SET_SALT + labels);
    return is_there ? atom : 0;
}

// size: number of words of a subtree.
inline uint64_t size_atom(bool is_there, int size) {
    return is_there ? mix(SIZE_SALT + uint64_t(bucket_of(size))) : 0;
}

inline uint64_t leaf_atom(bool is_there, bool is_leaf) {
    return is_there ? mix(SIZE_SALT + uint64_t(is_leaf)) : 0;
}

// The distance of two words; 0 if one of them is ROOT or not there.
inline uint64_t distance_atom(int left, int right) {
    static constexpr AtomTable<8> TABLE(DISTANCE_SALT);
    if (left <= 0 || right <= 0) return 0;
    return TABLE.atoms[bucket_of(std::abs(right - left))];
}

// The word before a node in its sentence, -1 if there is none. Word 0 is ROOT.
inline int word_before(int node) { return node > 1 ? node - 1 : -1; }

// The word after a node in a sentence of n words, -1 if there is none.
inline int word_after(int node, int n) { return node > 0 && node < n ? node + 1 : -1; }

// The number that the key of a template begins with.
constexpr uint64_t template_salt(int number) {
    return mix(TEMPLATE_SALT + uint64_t(number));
}

// Make keys of some sums of products of atoms. A sum is practically 0 only if all
// atoms of its template are null; then there is no key. keys: room for n of them. Returns
// how many there are.
inline size_t make_keys_one_by_one(
    const uint64_t* salts, const uint64_t* sums, size_t n, uint64_t* keys) {
    size_t n_keys = 0;
    for (size_t i = 0; i < n; ++i) {
        keys[n_keys] = (salts[i] + sums[i]) >> (64 - KEY_BITS);
        n_keys += sums[i] != 0;
    }
    return n_keys;
}

#ifdef DYNORACLE_X86
DYNORACLE_AVX2 inline size_t make_keys_vectorized(
    const uint64_t* salts, const uint64_t* sums, size_t n, uint64_t* keys) {
    size_t n_keys = 0;
    const size_t n_packed = n / PACKED * PACKED;
    for (size_t i = 0; i < n_packed; i += PACKED) {
        const __m256i sum = _mm256_loadu_si256((const __m256i*)(sums + i));
        const __m256i salt = _mm256_loadu_si256((const __m256i*)(salts + i));
        const __m256i some =
            _mm256_srli_epi64(_mm256_add_epi64(salt, sum), 64 - KEY_BITS);
        const __m256i is_null = _mm256_cmpeq_epi64(sum, _mm256_setzero_si256());
        const unsigned nulls = unsigned(_mm256_movemask_pd(_mm256_castsi256_pd(is_null)));
        pack(some, ~nulls & 15, keys + n_keys);
        n_keys += PACKED - size_t(_mm_popcnt_u32(nulls));
    }
    return n_keys + make_keys_one_by_one(
        salts + n_packed, sums + n_packed, n - n_packed, keys + n_keys);
}
#endif

inline size_t make_keys(
    const uint64_t* salts, const uint64_t* sums, size_t n, uint64_t* keys) {
#ifdef DYNORACLE_X86
    if (has_vectors()) return make_keys_vectorized(salts, sums, n, keys);
#endif
    return make_keys_one_by_one(salts, sums, n, keys);
}

}  // namespace dynoracle
