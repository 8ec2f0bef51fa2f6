// Whether the vector instructions of AVX2 are used. They change no result.
#pragma once

#include <cstdlib>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DYNORACLE_X86
#define DYNORACLE_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#include <immintrin.h>
#endif

namespace dynoracle {

// True if the processor has AVX2 and the environment variable DYNORACLE_PORTABLE is
// neither set nor empty.
inline bool has_vectors() {
#ifdef DYNORACLE_X86
    static const bool has = [] {
        const char* portable = std::getenv("DYNORACLE_PORTABLE");
        return (portable == nullptr || *portable == '\0') &&
               __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2");
    }();
    return has;
#else
    return false;
#endif
}

}  // namespace dynoracle
