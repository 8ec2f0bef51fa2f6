// Sums of the weights of rare features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lines.hpp"

namespace dynoracle {

template <class AnyCell>
inline void add_cells(const AnyCell* cells, size_t n, int32_t* sums) {
    for (size_t i = 0; i < n; ++i) sums[cells[i].column] += cells[i].weight;
}

// The cells of several features, copied beside each other, so that one loop adds them all:
// processors guess wrong where a short loop ends. Cells of lines are put in front of those
// that are there, and cells of lists behind them.
// MAX_FEATURES: how many features there can be.
template <int MAX_FEATURES>
class CellsOfFeatures {
public:
    // Cells of a list that is not longer are copied as if it had this length.
    static constexpr int SHORT_LIST = 32;

    CellsOfFeatures() : first_(cells_ + MOST_OF_LINES), last_(first_) {}

    // Add the cells from start to end of a line. The number of cells that are copied is
    // nearly always the same. They end where those of the feature end, so that nothing
    // behind the line is read, which would be another access to slow memory. What is
    // copied in front of the feature's cells is written over by those of the next one.
    void put_in_front(const Line& line, int start, int end) {
        static_assert(
            offsetof(Line, cells) >= sizeof(Cell) * COPIED,
            "the cells that are copied begin in the line");
        std::memcpy(
            reinterpret_cast<char*>(first_) - sizeof(Cell) * COPIED,
            reinterpret_cast<const char*>(&line) +
                (offsetof(Line, cells) - sizeof(Cell) * COPIED) +
                sizeof(Cell) * size_t(end),
            sizeof(Cell) * COPIED);
        first_ -= end - start;
        if (end - start > int(COPIED)) {
            constexpr size_t OTHERS = Line::LONGEST - COPIED;
            std::memcpy(first_, line.cells + start, sizeof(Cell) * OTHERS);
        }
    }

    // Add the cells of a list, at most SHORT_LIST. As many can be read from its beginning,
    // because the lists of a model have room behind them.
    void put_behind(const Cell* list, int n) {
        std::memcpy(last_, list, sizeof(Cell) * SHORT_LIST);
        last_ += n;
    }

    // Add all weights to the sums of their columns. The cells are used up.
    void add_to(int32_t* sums) {
        std::memset(first_ - UNIT, 0, sizeof(Cell) * UNIT);
        while (last_ > first_) {
            last_ -= UNIT;
            for (size_t i = 0; i < UNIT; ++i) sums[last_[i].column] += last_[i].weight;
        }
    }

private:
    // This number of cells of a line is copied at once.
    static constexpr size_t COPIED = 12;
    // Cells are added in groups of this number.
    static constexpr size_t UNIT = 8;
    static constexpr size_t MOST_OF_LINES = MAX_FEATURES * Line::LONGEST + COPIED + UNIT;

    Cell cells_[MOST_OF_LINES + (MAX_FEATURES + 1) * SHORT_LIST];
    Cell* first_;
    Cell* last_;
};

}  // namespace dynoracle
