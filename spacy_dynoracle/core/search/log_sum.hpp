// The logarithm of a sum of exponentials, for a beam that only compares derivations.
//
// The loops have no branches and fixed blocks, so that compilers make vectors of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace dynoracle {

// exp(x) for x from -80 to 0, to about one part in a million.
inline float quick_exp(float x) {
    // Two to the power of whole + rest, where rest is from -1/2 to 1/2.
    const float power = x * 1.44269504f;
    const float round = 12582912.0f;
    const float whole = (power + round) - round;
    const float rest = power - whole;
    float of_rest = 1.3333558e-3f;
    of_rest = of_rest * rest + 9.6181291e-3f;
    of_rest = of_rest * rest + 5.5504109e-2f;
    of_rest = of_rest * rest + 2.4022651e-1f;
    of_rest = of_rest * rest + 6.9314718e-1f;
    of_rest = of_rest * rest + 1.0f;
    const int32_t bits = (int32_t(whole) + 127) << 23;
    float of_whole;
    std::memcpy(&of_whole, &bits, sizeof(bits));
    return of_rest * of_whole;
}

// log(sum of exp(factor * scores[a])) over the actions whose mask is 0 and not minus
// infinity; minus infinity if there are none.
inline double log_sum_of(const float* scores, const float* mask, int n, float factor) {
    constexpr int BLOCK = 16;
    const float none = -std::numeric_limits<float>::infinity();
    float highest[BLOCK], sums[BLOCK];
    std::fill_n(highest, BLOCK, none);
    std::fill_n(sums, BLOCK, 0.0f);
    const int n_whole = n / BLOCK * BLOCK;
    for (int a = 0; a < n_whole; a += BLOCK) {
        for (int i = 0; i < BLOCK; ++i) {
            const float score = scores[a + i] + mask[a + i];
            highest[i] = score > highest[i] ? score : highest[i];
        }
    }
    float largest = *std::max_element(highest, highest + BLOCK);
    for (int a = n_whole; a < n; ++a) largest = std::max(largest, scores[a] + mask[a]);
    if (largest == none) return none;
    const auto term = [&](int a) {
        const float x = (scores[a] + mask[a] - largest) * factor;
        return quick_exp(x < -80.0f ? -80.0f : x);
    };
    for (int a = 0; a < n_whole; a += BLOCK) {
        for (int i = 0; i < BLOCK; ++i) sums[i] += term(a + i);
    }
    double sum = 0;
    for (int i = 0; i < BLOCK; ++i) sum += sums[i];
    for (int a = n_whole; a < n; ++a) sum += term(a);
    return double(largest) * factor + std::log(sum);
}

}  // namespace dynoracle
