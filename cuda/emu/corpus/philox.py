"""The random numbers of tl.rand: Philox 4x32, ten rounds (Salmon et al., 2011)."""

import numpy as np


def uniform(seed, offset):
    u = lambda v: np.asarray(v, np.uint64) & np.uint64(0xFFFFFFFF)
    c = [u(offset), u(0 * offset), u(0 * offset), u(0 * offset)]
    k0, k1 = u(seed & 0xFFFFFFFF), u(seed >> 32)
    for _ in range(10):
        p, q = c[0] * u(0xD2511F53), c[2] * u(0xCD9E8D57)
        c = [(q >> u(32)) ^ c[1] ^ k0, u(q), (p >> u(32)) ^ c[3] ^ k1, u(p)]
        k0, k1 = u(k0 + u(0x9E3779B9)), u(k1 + u(0xBB67AE85))
    x = c[0].astype(np.uint32).view(np.int32)
    x = np.where(x < 0, -x - 1, x).astype(np.float32)
    return x * np.float32(4.6566127342e-10)
