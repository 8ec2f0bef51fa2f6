// Sums of the cells of features.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lines.hpp"

namespace dynoracle {

// A configuration has at most so many features.
constexpr int MAX_KEYS = 512;

template <class AnyCell>
inline void add_cells(const AnyCell* cells, int n, int32_t* sums) {
    for (int i = 0; i < n; ++i) sums[cells[i].column] += cells[i].weight;
}

// Cells are added in groups of this number.
constexpr size_t GROUP = 8;

// Cells with weight 0. They have different columns, because adding twice to one sum takes
// longer.
struct Filling {
    Cell cells[GROUP];

    constexpr Filling() : cells{} {
        for (size_t i = 0; i < GROUP; ++i) cells[i].column = uint8_t(i);
    }
};
inline constexpr Filling FILLING;

// Room for the cells of several features beside each other, so that one loop adds them all:
// processors guess wrong where a short loop ends. Greedy parsing takes 7 to 12 % longer
// without it (benchmarks.core_speed; see docs/explanation/memory.md). Cells of lines are put
// in front of those that are there, and cells of the overflow behind them.
class CellRoom {
public:
    // Up to so many cells of the overflow are copied as if they were so many.
    static constexpr int SHORT_OVERFLOW = 32;

    CellRoom() { middle()->weight = 0; }

    // Where the first and the last cells begin while there are none.
    Cell* middle() { return cells_ + MOST_OF_LINES; }

    // Put the cells from start to end of a line in front of `first`; there may be none.
    // Returns the new first cell.
    //
    // This always copies LONGEST cells, in two parts that end where the cells do. So
    // nothing behind the line is read, which would be another access to slow memory. The
    // cells of the next feature are written over what was copied in front of these. A front
    // part that would begin before the line holds no cells, so it does not matter what is
    // copied there.
    static Cell* put_in_front(Cell* first, const Line& line, int start, int end) {
        static_assert(offsetof(Line, cells) >= PART, "the part at the back is in the line");
        const char* bytes = reinterpret_cast<const char*>(&line);
        const int end_byte = int(offsetof(Line, cells)) + int(sizeof(Cell)) * end;
        char* to = reinterpret_cast<char*>(first);
        std::memcpy(to - PART, bytes + end_byte - PART, PART);
        std::memcpy(to - 2 * PART, bytes + std::max(end_byte - 2 * int(PART), 0), PART);
        return first - (end - start);
    }

    // Put cells of the overflow, at most SHORT_OVERFLOW, behind the last one; returns the
    // new end. So many can be read, because the overflow has room behind its last cells.
    static Cell* put_behind(Cell* last, const char* cells, int n) {
        std::memcpy(last, cells, sizeof(Cell) * SHORT_OVERFLOW);
        return last + n;
    }

    // Add all weights to the sums of their columns.
    static void add_to(Cell* first, Cell* last, int32_t* sums) {
        std::memcpy(first - GROUP, FILLING.cells, sizeof(FILLING.cells));
        while (last > first) {
            last -= GROUP;
            for (size_t i = 0; i < GROUP; ++i) sums[last[i].column] += last[i].weight;
        }
    }

private:
    // Bytes that are copied at once.
    static constexpr size_t PART = sizeof(Cell) * Line::LONGEST / 2;
    static constexpr size_t MOST_OF_LINES = (MAX_KEYS + 1) * Line::LONGEST + GROUP;

    Cell cells_[MOST_OF_LINES + (MAX_KEYS + 1) * SHORT_OVERFLOW];
};

}  // namespace dynoracle
