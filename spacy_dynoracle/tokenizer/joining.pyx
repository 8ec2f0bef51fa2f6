# cython: boundscheck=False, wraparound=False
"""The words of a text, joined from those of its pretokens."""

from ..util.typography import plain


# A number has at most so many groups of three digits behind its first digits.
MOST_GROUPS = 5  # type: int

cdef extern from *:
    bint Py_UNICODE_ISSPACE(Py_UCS4 c)


def parts_of(
    str text not None, dict remembered not None: dict[str, Any]
) -> tuple[list[str], list[str]]:
    """Cut a text into its pretokens, the parts between whitespace, and this whitespace.

    The first part and the last one are pretokens, which may be empty there.

    Returns:
        The parts, and the different pretokens that are not remembered.
    """
    cdef Py_ssize_t i = 0, start = 0, n = len(text)
    cdef bint is_space = False
    cdef list parts = []
    cdef dict new = {}
    cdef str part
    for i in range(n + 1):
        if i < n and Py_UNICODE_ISSPACE(<Py_UCS4>text[i]) == is_space:
            continue
        part = text[start:i]
        parts.append(part)
        if not is_space and start < i and part not in remembered:
            new[part] = None
        start = i
        is_space = not is_space
    if not is_space:
        parts.append("")
    return parts, list(new)


def words_of(
    list pretokens not None: list[str],
    rules: Rules,
    find_ends: Callable[[str, None], tuple[int, ...]],
    splitter: Splitter,
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[int, ...]], list[str]]:
    """The words of the pretokens about which the rules are not asked.

    Args:
        find_ends: The ends of the words of a pretoken.
        splitter: Finds the multiword tokens.

    Returns:
        The words, the numbers of those that may be multiword tokens where there are
        any, and the pretokens about which the rules are asked.
    """
    cdef dict found = {}, to_split = {}
    cdef list asked = [], words
    cdef dict known = splitter.known
    cdef tuple endings = tuple(splitter.endings)
    cdef str pretoken, word
    cdef Py_ssize_t start, i
    for pretoken in pretokens:
        if rules.are_needed(pretoken):
            asked.append(pretoken)
            continue
        # Most are one word of letters.
        words = [pretoken]
        if not pretoken.isalpha():
            ends = find_ends(pretoken if pretoken.isascii() else plain(pretoken), None)
            if ends:
                words, start = [], 0
                for end in (*ends, len(pretoken)):
                    words.append(pretoken[start:end])
                    start = end
        found[pretoken] = tuple(words)
        numbers = None
        for i in range(len(words)):
            word = words[i]
            if word.isascii():
                word = word.lower()
                # Most cannot.
                if word not in known and not word.endswith(endings):
                    continue
            if splitter.can_split(word):
                numbers = (i,) if numbers is None else (*numbers, i)
        if numbers is not None:
            to_split[pretoken] = numbers
    return found, to_split, asked


def joined(
    list parts not None: list[str],
    dict remembered not None: dict[str, Any],
    dict new not None: dict[str, Any],
    find: Callable[[str], Any],
) -> tuple[list[str], list[bool], list[tuple[int, Any]]]:
    """Join the words of the parts of a text.

    Args:
        parts: As `parts_of` gives them.
        remembered, new: The words of parts: a tuple if there is no more to them, else
            an object with the attribute `words`.
        find: Gives those of a part that is in neither.

    Returns:
        The words, whether a blank follows each, and the number of the first word of
        each part that has more to it than words, with this part.
    """
    cdef list words = [], followed = [], special = []
    cdef bint is_whitespace = True
    cdef str part
    cdef tuple found
    for part in parts:
        is_whitespace = not is_whitespace
        # The first blank belongs to the token before it.
        if is_whitespace and words and part[0] == u" ":
            followed[len(followed) - 1] = True
            part = part[1:]
        if not part:
            continue
        known = remembered.get(part) or new.get(part) or find(part)
        if type(known) is tuple:
            found = <tuple>known
        else:
            found = known.words
            special.append((len(words), known))
        for word in found:
            words.append(word)
            followed.append(False)
    return words, followed, special


def with_pieces(
    list words not None: list[str], list followed not None: list[bool],
    list found not None: list[tuple[int, list[str], list[str]]],
) -> tuple[list[str], list[bool]]:
    """Words with the pieces of some of them in their place, and whether a blank follows
    each.

    Args:
        found: What `Rewriter.pieces` gives.
    """
    cdef list made = [], blanks = []
    cdef Py_ssize_t i, done = 0
    for i, pieces, _ in found:
        made += words[done:i]
        made += pieces
        blanks += followed[done:i] + [False] * (len(pieces) - 1)
        blanks.append(followed[i])
        done = i + 1
    return made + words[done:], blanks + followed[done:]


def numbers_in(
    list words not None: list[str], list followed not None: list[bool],
    set apart not None: set[str],
) -> list[tuple[int, int]]:
    """The words that are one number with blanks, such as 10 000: the first of them, and
    the word after the last one.

    Args:
        followed: Whether a blank follows each word; blanks of other kinds are words.
        apart: Words that are no part of a number.
    """
    cdef list found = []
    cdef Py_ssize_t first = 0, stop, group, n_groups, n = len(words)
    cdef Py_ssize_t most_groups = MOST_GROUPS
    cdef str word
    while first < n:
        word = words[first]
        stop, n_groups = first + 1, 0
        if len(word) <= 3 and word.isdecimal() and word not in apart:
            group = next_group(words, followed, stop)
            while group and words[group] not in apart:
                stop, n_groups = group + 1, n_groups + 1
                group = next_group(words, followed, stop)
            # Longer runs are rows of a table.
            if 0 < n_groups <= most_groups:
                found.append((first, stop))
        first = stop
    return found


cdef Py_ssize_t next_group(list words, list followed, Py_ssize_t i):
    """The group of three digits behind a blank from word i on; 0 if there is none."""
    cdef str word
    if not followed[i - 1]:
        if i >= len(words) or followed[i] or plain(words[i]) != u" ":
            return 0
        i += 1
    if i >= len(words):
        return 0
    word = words[i]
    return i if len(word) == 3 and word.isdecimal() else 0


def with_numbers(
    list words not None: list[str], list followed not None: list[bool],
    list found not None: list[tuple[int, int]],
) -> tuple[list[str], list[bool], list[int]]:
    """Words with whole numbers, whether a blank follows each, and the index of the old
    word that each is or begins with.

    Args:
        found: What `numbers_in` gives, in ascending order.
    """
    cdef list made = [], blanks = [], sources = []
    cdef Py_ssize_t i, first, stop, done = 0
    cdef str text
    for first, stop in (*found, (len(words), len(words))):
        made += words[done:first]
        blanks += followed[done:first]
        sources += range(done, first)
        if first < stop:
            text = words[first]
            for i in range(first + 1, stop):
                text += u" " * followed[i - 1] + <str>words[i]
            made.append(text)
            blanks.append(followed[stop - 1])
            sources.append(first)
        done = stop
    return made, blanks, sources
