"""A wallet whose key is in the program: addresses (EIP-55) and signatures of texts (EIP-191), in plain Python.

It takes some milliseconds for a signature, and how long depends on the key: it is for a program on a machine of its owner, not for one that
signs at the request of strangers.
"""

from __future__ import annotations

import hmac
from typing import Iterator, Optional, Tuple

FIELD = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
Point = Optional[Tuple[int, int]]
BASE = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798, 0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def add(p: Point, q: Point) -> Point:
    """The sum of two points of secp256k1; None is the one at infinity."""
    if p is None or q is None:
        return q if p is None else p
    (x, y), (u, v) = p, q
    if x == u and (y + v) % FIELD == 0:
        return None
    slope = 3 * x * x * pow(2 * y, -1, FIELD) if p == q else (v - y) * pow(u - x, -1, FIELD)
    to = (slope * slope - x - u) % FIELD
    return to, (slope * (x - to) - y) % FIELD


def multiply(n: int, p: Point = BASE) -> Point:
    out = None
    while n:
        if n & 1:
            out = add(out, p)
        p, n = add(p, p), n >> 1
    return out


def rotated(word: int, by: int) -> int:
    return ((word << by) | (word >> (64 - by))) & (2**64 - 1)


def permuted(lanes: list[int]) -> list[int]:
    """Keccak-f[1600]; lane (x, y) is at x + 5y."""
    feedback = 1
    for _ in range(24):
        columns = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        lanes = [lane ^ columns[(i + 4) % 5] ^ rotated(columns[(i + 1) % 5], 1) for i, lane in enumerate(lanes)]
        x, y, moved = 1, 0, lanes[1]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            moved, lanes[x + 5 * y] = lanes[x + 5 * y], rotated(moved, (t + 1) * (t + 2) // 2 % 64)
        lanes = [lane ^ (~lanes[i // 5 * 5 + (i + 1) % 5] & lanes[i // 5 * 5 + (i + 2) % 5]) for i, lane in enumerate(lanes)]
        for j in range(7):
            feedback = (feedback << 1) ^ ((feedback >> 7) * 0x171)
            if feedback & 2:
                lanes[0] ^= 1 << ((1 << j) - 1)
    return lanes


def keccak256(data: bytes) -> bytes:
    """As Ethereum has it; SHA3-256 of hashlib is padded otherwise."""
    rate = 136
    padded = bytearray(data + b"\x01" + b"\x00" * (-(len(data) + 1) % rate))
    padded[-1] |= 0x80
    lanes = [0] * 25
    for at in range(0, len(padded), rate):
        for i in range(rate // 8):
            lanes[i] ^= int.from_bytes(padded[at + 8 * i:at + 8 * i + 8], "little")
        lanes = permuted(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def nonces(key: int, digest: bytes) -> Iterator[int]:
    """Secret numbers of a signature, which follow from what is signed (RFC 6979)."""
    first = key.to_bytes(32, "big") + (int.from_bytes(digest, "big") % ORDER).to_bytes(32, "big")
    k, v = b"\x00" * 32, b"\x01" * 32
    for separator in (b"\x00", b"\x01"):
        k = hmac.digest(k, v + separator + first, "sha256")
        v = hmac.digest(k, v, "sha256")
    while True:
        v = hmac.digest(k, v, "sha256")
        yield int.from_bytes(v, "big")
        k = hmac.digest(k, v + b"\x00", "sha256")
        v = hmac.digest(k, v, "sha256")


def signature_of(key: int, digest: bytes) -> bytes:
    """r, s and 27 or 28."""
    number = int.from_bytes(digest, "big")
    for nonce in nonces(key, digest):
        if not 0 < nonce < ORDER:
            continue
        x, y = multiply(nonce)
        r = x % ORDER
        s = pow(nonce, -1, ORDER) * (number + r * key) % ORDER
        if x >= ORDER or r == 0 or s == 0:
            continue
        odd = y & 1
        if 2 * s > ORDER:  # of both signatures the one that contracts take, too
            s, odd = ORDER - s, 1 - odd
        return r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([27 + odd])
    raise AssertionError("unreachable")


class Wallet:
    """The wallet of a private key, 0x and 64 hexadecimal digits."""

    def __init__(self, private_key: str):
        self._key = int(private_key, 16)
        if not 0 < self._key < ORDER:
            raise ValueError("a private key is a number from 1 to the order of secp256k1")
        x, y = multiply(self._key)
        plain = keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:].hex()
        check = keccak256(plain.encode()).hex()
        self.address = "0x" + "".join(each.upper() if int(digit, 16) > 7 else each for each, digit in zip(plain, check))

    def sign(self, message: str) -> str:
        text = message.encode()
        return "0x" + signature_of(self._key, keccak256(b"\x19Ethereum Signed Message:\n" + str(len(text)).encode() + text)).hex()
