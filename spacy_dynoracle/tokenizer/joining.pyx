"""The words of a text, joined from those of its stretches."""


cdef extern from *:
    bint Py_UNICODE_ISSPACE(Py_UCS4 c)


def parts_of(str text not None) -> list[str]:
    """The stretches of a text and the whitespace between them in turn, beginning and
    ending with a stretch, which may be empty there.
    """
    cdef Py_ssize_t i = 0, start = 0, n = len(text)
    cdef bint is_space = False
    parts = []
    for i in range(n):
        if Py_UNICODE_ISSPACE(text[i]) != is_space:
            parts.append(text[start:i])
            start = i
            is_space = not is_space
    parts.append(text[start:])
    if is_space:
        parts.append("")
    return parts


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
            followed[-1] = True
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
