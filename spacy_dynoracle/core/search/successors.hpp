// The best of all successors of the configurations of a beam.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "systems/scored_transition.hpp"

namespace dynoracle {

// The order of a beam: equal scores go to the lower rank, then the lower action.
inline bool is_better(const ScoredTransition& a, const ScoredTransition& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.row != b.row ? a.row < b.row : a.action < b.action;
}

// Several times as many successors as wanted are collected before the best are selected,
// because most of them are worse than the best of an earlier selection.
class Successors {
public:
    // The successors so far, in any order. After `finish`, the best of them, best first.
    std::vector<ScoredTransition> found;

    // Begin with none. most: the number that is wanted, at least 1.
    void start(int most) {
        n_wanted = size_t(most);
        bound = -std::numeric_limits<double>::infinity();
        found.clear();
    }

    void offer(const ScoredTransition& successor) {
        if (successor.score >= bound) add(successor);
    }

    // Offer the successors by the actions from `first` to before `end`. The score of each
    // action, multiplied by a factor above 0, is added to the score of `next`.
    void offer_all(
        const ScoredTransition& next, const float* scores, int first, int end, double factor) {
        const double start = next.score;
        double known_bound = bound;
        float lowest = lowest_action(start, factor);
        while (first < end) {
            const int block_end = std::min(first + BLOCK, end);
            if (any_reaches(scores, first, block_end, lowest)) {
                for (int a = first; a < block_end; ++a) {
                    const double score = start + factor * double(scores[a]);
                    if (score >= bound) add({score, next.row, a, next.transition});
                }
                if (bound != known_bound) {
                    known_bound = bound;
                    lowest = lowest_action(start, factor);
                }
            }
            first = block_end;
        }
    }

    // reach: those whose score is farther below the best one are dropped.
    void finish(double reach) {
        if (found.size() > n_wanted) select();
        std::sort(found.begin(), found.end(), is_better);
        while (found.back().score < found.front().score - reach) found.pop_back();
    }

private:
    // Actions that are compared with the bound at once.
    static constexpr int BLOCK = 16;
    static constexpr int FEWEST_MORE = 32;

    size_t n_wanted = 1;
    // Successors with lower scores are not among the best.
    double bound = -std::numeric_limits<double>::infinity();

    void add(const ScoredTransition& successor) {
        found.push_back(successor);
        if (found.size() >= n_wanted + std::max(n_wanted, size_t(FEWEST_MORE))) select();
    }

    void select() {
        const auto last = found.begin() + std::ptrdiff_t(n_wanted - 1);
        std::nth_element(found.begin(), last, found.end(), is_better);
        bound = last->score;
        found.resize(n_wanted);
    }

    // A bound for the scores of actions: with a lower score, an action leads to a
    // successor below `bound`. The margin is larger than any rounding error.
    float lowest_action(double start, double factor) const {
        const double exact = (bound - start) / factor;
        if (!(exact > -std::numeric_limits<float>::max())) {
            return -std::numeric_limits<float>::infinity();
        }
        return float(exact - 1e-6 * (1 + std::abs(exact) + std::abs(start / factor)));
    }

    // Whether any score reaches the bound. Without a branch for each of them, because
    // that takes longer than the comparisons.
    static bool any_reaches(const float* scores, int first, int end, float lowest) {
        if (end - first < BLOCK) {
            for (int a = first; a < end; ++a) {
                if (scores[a] >= lowest) return true;
            }
            return false;
        }
        int n = 0;
        for (int a = first; a < first + BLOCK; ++a) n += scores[a] >= lowest;
        return n != 0;
    }
};

}  // namespace dynoracle
