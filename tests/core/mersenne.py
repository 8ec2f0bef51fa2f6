"""The 64-bit Mersenne twister and what the package derives from it, in Python."""

MASK = 0xFFFFFFFFFFFFFFFF
UPPER, LOWER = 0xFFFFFFFF80000000, 0x7FFFFFFF


class Mersenne:
    """As the C++ standard defines std::mt19937_64."""

    def __init__(self, seed):
        state = [seed & MASK]
        for i in range(1, 312):
            state.append(
                (6364136223846793005 * (state[-1] ^ state[-1] >> 62) + i) & MASK
            )
        self.state = state
        self.at = 312

    def __call__(self):
        if self.at == 312:
            self._twist()
        x = self.state[self.at]
        self.at += 1
        x ^= x >> 29 & 0x5555555555555555
        x ^= x << 17 & 0x71D67FFFEDA60000
        x ^= x << 37 & 0xFFF7EEE000000000
        return x ^ x >> 43

    def _twist(self):
        s = self.state
        for i in range(312):
            x = s[i] & UPPER | s[(i + 1) % 312] & LOWER
            s[i] = s[(i + 156) % 312] ^ x >> 1 ^ (0xB5026F5AA96619E9 if x & 1 else 0)
        self.at = 0

    def uniform(self):
        """53 random bits as a number in [0, 1)."""
        return (self() >> 11) / 2**53

    def shuffle(self, items):
        """Fisher & Yates from the end, without the bias of a remainder."""
        for i in range(len(items) - 1, 0, -1):
            x = self()
            while x >= 2**64 - 2**64 % (i + 1):
                x = self()
            j = x % (i + 1)
            items[i], items[j] = items[j], items[i]
