// The values of atoms that describe the tree built so far, and what keys are made of.
//
// The null atom, of a node that is not there, is 0.
#pragma once

#include <algorithm>
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

// The bucket of a number: 1, 2, 3, 4, 5, 6-10 and more than 10.
constexpr int bucket_of(int number) {
    if (number <= 5) return number;
    return number <= 10 ? 6 : 7;
}

// Atoms of small numbers. The atom of -1 is null. bucketed: whether numbers of a bucket have
// one atom.
template <int LARGEST>
class AtomTable {
public:
    explicit constexpr AtomTable(uint64_t salt, bool bucketed = false) : atoms_{} {
        for (int i = 0; i <= LARGEST; ++i) {
            atoms_[i + 1] = mix(salt + uint64_t(bucketed ? bucket_of(i) : i));
        }
    }

    // The atom of a number from -1 on, or of the largest one for larger ones.
    uint64_t of(int number) const { return atoms_[std::min(number, LARGEST) + 1]; }

private:
    uint64_t atoms_[LARGEST + 2];
};

// Processors guess wrong half of the time whether a node is there, so the functions below
// do not branch on it.
inline uint64_t if_there(bool is_there, uint64_t atom) {
    return atom & (uint64_t(0) - uint64_t(is_there));
}

// label: -1 for a node without one.
inline uint64_t label_atom(int label) {
    constexpr int LARGEST = 255;
    static constexpr AtomTable<LARGEST> TABLE(LABEL_SALT);
    return label <= LARGEST ? TABLE.of(label) : mix(LABEL_SALT + uint64_t(label));
}

// number: of dependents on a side.
inline uint64_t valency_atom(bool is_there, int number) {
    static constexpr AtomTable<15> TABLE(VALENCY_SALT);
    return if_there(is_there, TABLE.of(number));
}

// labels: a hash of the set.
inline uint64_t label_set_atom(bool is_there, uint64_t labels) {
    return if_there(is_there, mix(LABEL_SET_SALT + labels));
}

// size: number of words of a subtree.
inline uint64_t size_atom(bool is_there, int size) {
    return if_there(is_there, mix(SIZE_SALT + uint64_t(bucket_of(size))));
}

inline uint64_t leaf_atom(bool is_there, bool is_leaf) {
    return if_there(is_there, mix(SIZE_SALT + uint64_t(is_leaf)));
}

// The distance of two words; 0 if one of them is ROOT or not there.
inline uint64_t distance_atom(int left, int right) {
    static constexpr AtomTable<11> TABLE(DISTANCE_SALT, true);
    return if_there((left > 0) & (right > 0), TABLE.of(std::abs(right - left)));
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
