// What processors and compilers offer beside plain C++: vectors, those of AVX2, where the
// processor has it, and those of the compiler; and a hint. They change no result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__GNUC__) || defined(__clang__)
// The compiler has vectors. Where the processor has none, it does without.
#define DYNORACLE_VECTORS
// Functions with these vectors become part of their callers, with their instructions.
#define DYNORACLE_INLINE inline __attribute__((always_inline))
#else
#define DYNORACLE_INLINE inline
#endif

#if defined(__x86_64__) && defined(DYNORACLE_VECTORS)
#define DYNORACLE_X86
#define DYNORACLE_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#include <immintrin.h>
#endif

namespace dynoracle {

// Whether AVX2 is used: the processor has it, and the environment variable
// DYNORACLE_PORTABLE is not set or empty.
inline bool has_vectors() {
#ifdef DYNORACLE_X86
    static const bool has = [] {
        const char* portable = std::getenv("DYNORACLE_PORTABLE");
        return (portable == nullptr || *portable == '\0') &&
               __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    }();
    return has;
#else
    return false;
#endif
}

// A hint to the processor that memory is about to be read.
inline void prefetch([[maybe_unused]] const void* address) {
#ifdef DYNORACLE_VECTORS
    __builtin_prefetch(address);
#endif
}

#ifdef DYNORACLE_VECTORS
template <class Number, int LANES>
struct VectorOf {
    typedef Number type __attribute__((vector_size(LANES * sizeof(Number))));
};
#endif

// Numbers of 64 bits in a vector.
constexpr size_t PACKED = 4;

#ifdef DYNORACLE_X86

// For each set of the numbers of a vector, the order that brings these to the front. A
// number consists of two halves.
struct PackingOrders {
    alignas(32) int32_t of[1 << PACKED][2 * PACKED];

    constexpr PackingOrders() : of{} {
        for (unsigned set = 0; set < 1u << PACKED; ++set) {
            int n = 0;
            for (int i = 0; i < int(PACKED); ++i) {
                if (!(set >> i & 1)) continue;
                of[set][n++] = 2 * i;
                of[set][n++] = 2 * i + 1;
            }
        }
    }
};
inline constexpr PackingOrders PACKING_ORDERS;

// Write those of four numbers that are in a set, one behind the other, and anything to
// the rest of four places.
template <class Number>
DYNORACLE_AVX2 inline void pack(__m256i numbers, unsigned set, Number* places) {
    static_assert(sizeof(Number) == 8, "numbers have 64 bits");
    const __m256i order = _mm256_load_si256((const __m256i*)PACKING_ORDERS.of[set]);
    _mm256_storeu_si256((__m256i*)places, _mm256_permutevar8x32_epi32(numbers, order));
}

#endif

}  // namespace dynoracle
