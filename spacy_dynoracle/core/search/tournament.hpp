// The best of many scores of which few change at a time.
#pragma once

#include <cstddef>
#include <vector>

namespace dynoracle {

// A tree whose inner nodes hold the winner of the two nodes below. A change takes O(log n).
class Tournament {
public:
    // Begin with n slots that do not take part.
    void start(int n) {
        n_leaves = 1;
        while (n_leaves < n) n_leaves *= 2;
        winners.assign(2 * static_cast<std::size_t>(n_leaves), NOBODY);
        scores.resize(static_cast<std::size_t>(n_leaves));
    }

    void set(int slot, float score) {
        scores[slot] = score;
        winners[n_leaves + slot] = slot;
        play(slot);
    }

    void remove(int slot) {
        winners[n_leaves + slot] = NOBODY;
        play(slot);
    }

    // The slot with the highest score, the first of equals; -1 if there is none.
    int best() const { return winners[1]; }

private:
    static constexpr int NOBODY = -1;
    int n_leaves = 1;
    std::vector<int> winners = std::vector<int>(2, NOBODY);
    std::vector<float> scores;

    void play(int slot) {
        for (int node = (n_leaves + slot) / 2; node > 0; node /= 2) {
            const int left = winners[2 * node];
            const int right = winners[2 * node + 1];
            winners[node] =
                left == NOBODY || (right != NOBODY && scores[right] > scores[left]) ? right
                                                                                    : left;
        }
    }
};

}  // namespace dynoracle
