// A hint to the processor that memory is about to be read.
#pragma once

namespace dynoracle {

#if defined(__GNUC__) || defined(__clang__)
inline void prefetch(const void* address) { __builtin_prefetch(address); }
#else
inline void prefetch(const void*) {}
#endif

}  // namespace dynoracle
