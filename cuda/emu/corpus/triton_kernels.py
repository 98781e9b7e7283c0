"""Kernels in Triton, compiled for a GPU that need not be there."""

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from case import In, Out, bf16, erf, from_bf16, softmax, write

TYPES = {"f16": "fp16", "f32": "fp32", "f64": "fp64", "bf16": "bf16", "i8": "i8", "i32": "i32", "i64": "i64", "u8": "u8", "u32": "u32", "u64": "u64", "i16": "i16"}


def case(folder, fn, grid, args, *, name=None, warps=4, stages=3, sm=80, aligned=True, const=None, rtol=1e-4, atol=1e-5):
    """args: pairs of a type and In or Out, or of a type and a number, in the order of fn."""
    const = const or {}
    signature, attrs, words = {}, {}, []
    names = [p for p in fn.arg_names if p not in const]
    assert len(names) == len(args), (fn.__name__, names)
    for p, (t, a) in zip(names, args):
        pointer = isinstance(a, (In, Out))
        signature[p] = ("*" if pointer else "") + TYPES[t]
        index = (fn.arg_names.index(p),)
        if aligned and (pointer or isinstance(a, int) and a % 16 == 0):
            attrs[index] = [["tt.divisibility", 16]]
        words.append(a if pointer else f"{t}:{a}")
    for p in const:
        signature[p] = "constexpr"
    src = ASTSource(fn=fn, signature=signature, constexprs={(fn.arg_names.index(p),): v for p, v in const.items()}, attrs=attrs)
    k = triton.compile(src, target=GPUTarget("cuda", sm, 32), options={"num_warps": warps, "num_stages": stages})
    write(folder, "triton_" + (name or fn.__name__), k.asm["ptx"], grid, (32 * warps, 1, 1), words + ["u64:0", "u64:0"],
          shared=k.metadata.shared, rtol=rtol, atol=atol)


@triton.jit
def add(x, y, z, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(z + i, tl.load(x + i, m) + tl.load(y + i, m), m)


@triton.jit
def softmax_rows(x, z, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(z + r * n + i, e / tl.sum(e, 0), i < n)


@triton.jit
def softmax_online(x, z, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    top = tl.full((B,), -1e30, tl.float32)
    total = tl.zeros((B,), tl.float32)
    for at in range(0, n, B):
        v = tl.load(x + r * n + at + i, at + i < n, other=-1e30)
        new = tl.maximum(top, v)
        total = total * tl.exp(top - new) + tl.exp(v - new)
        top = new
    peak = tl.max(top, 0)
    s = tl.sum(total * tl.exp(top - peak), 0)
    for at in range(0, n, B):
        v = tl.load(x + r * n + at + i, at + i < n, other=0)
        tl.store(z + r * n + at + i, tl.exp(v - peak) / s, at + i < n)


@triton.jit
def layer_norm(x, w, b, z, mean, rstd, n, eps, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    m = i < n
    v = tl.load(x + r * n + i, m, other=0)
    mu = tl.sum(v, 0) / n
    d = tl.where(m, v - mu, 0.0)
    rs = 1 / tl.sqrt(tl.sum(d * d, 0) / n + eps)
    tl.store(mean + r, mu)
    tl.store(rstd + r, rs)
    tl.store(z + r * n + i, d * rs * tl.load(w + i, m) + tl.load(b + i, m), m)


@triton.jit
def layer_norm_backward(dy, x, w, mean, rstd, dx, dw, db, lock, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    m = i < n
    v = tl.load(x + r * n + i, m, other=0)
    g = tl.load(dy + r * n + i, m, other=0)
    rs = tl.load(rstd + r)
    h = tl.where(m, (v - tl.load(mean + r)) * rs, 0.0)
    wg = tl.where(m, tl.load(w + i, m) * g, 0.0)
    c1 = tl.sum(h * wg, 0) / n
    c2 = tl.sum(wg, 0) / n
    tl.store(dx + r * n + i, (wg - (h * c1 + c2)) * rs, m)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(dw + i, tl.load(dw + i, m) + g * h, m)
    tl.store(db + i, tl.load(db + i, m) + g, m)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def rms_norm(x, w, z, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, i < n, other=0).to(tl.float32)
    s = tl.rsqrt(tl.sum(v * v, 0) / n + 1e-6)
    tl.store(z + r * n + i, (v * s * tl.load(w + i, i < n, other=0)).to(tl.float16), i < n)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACT: tl.constexpr, SPLIT: tl.constexpr, PREC: tl.constexpr, ACC: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), ACC)
    for at in range(tl.program_id(2) * BK, K, BK * SPLIT):
        k = at + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * K + k[None, :], (i[:, None] < M) & (k[None, :] < K), other=0)
        y = tl.load(b + k[:, None] * N + j[None, :], (k[:, None] < K) & (j[None, :] < N), other=0)
        acc = tl.dot(x, y, acc, input_precision=PREC, out_dtype=ACC)
    at = c + i[:, None] * N + j[None, :]
    m = (i[:, None] < M) & (j[None, :] < N)
    if ACT == "gelu":
        acc = 0.5 * acc * (1 + tl.erf(acc * 0.70710678))
    if SPLIT > 1:
        tl.atomic_add(at, acc, m)
    else:
        tl.store(at, acc.to(c.dtype.element_ty), m)


@triton.jit
def matmul_batched(a, b, c, M, N, K, BM: tl.constexpr):
    z = tl.program_id(0)
    i, j, k = tl.arange(0, BM), tl.arange(0, BM), tl.arange(0, BM)
    x = tl.load(a + z * M * K + i[:, None] * K + k[None, :], (i[:, None] < M) & (k[None, :] < K), other=0)
    y = tl.load(b + z * K * N + k[:, None] * N + j[None, :], (k[:, None] < K) & (j[None, :] < N), other=0)
    tl.store(c + z * M * N + i[:, None] * N + j[None, :], tl.dot(x, y), (i[:, None] < M) & (j[None, :] < N))


@triton.jit
def attention(q, k, v, o, T, scale, CAUSAL: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    start = tl.program_id(0) * B
    base = tl.program_id(1) * T * D
    i, d = start + tl.arange(0, B), tl.arange(0, D)
    x = tl.load(q + base + i[:, None] * D + d[None, :], i[:, None] < T, other=0)
    top = tl.full((B,), -1e30, tl.float32)
    total = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    end = tl.minimum(start + B, T) if CAUSAL else T
    for at in range(0, end, B):
        j = at + tl.arange(0, B)
        y = tl.load(k + base + j[None, :] * D + d[:, None], j[None, :] < T, other=0)
        s = tl.dot(x, y) * scale
        ok = j[None, :] < T
        if CAUSAL:
            ok = ok & (j[None, :] <= i[:, None])
        s = tl.where(ok, s, -1e30)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        f = tl.exp(top - new)
        w = tl.load(v + base + j[:, None] * D + d[None, :], j[:, None] < T, other=0)
        acc = acc * f[:, None] + tl.dot(p.to(tl.float16), w)
        total = total * f + tl.sum(p, 1)
        top = new
    tl.store(o + base + i[:, None] * D + d[None, :], acc / total[:, None], i[:, None] < T)


@triton.jit
def sort_rows(x, z, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(z + i, tl.sort(tl.load(x + i)))


@triton.jit
def top_values(x, z, N: tl.constexpr, K: tl.constexpr):
    r = tl.program_id(0)
    tl.store(z + r * K + tl.arange(0, K), tl.topk(tl.load(x + r * N + tl.arange(0, N)), K))


@triton.jit
def scan_rows(x, z, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(z + r * n + i, tl.cumsum(tl.load(x + r * n + i, i < n, other=0), 0), i < n)


@triton.jit
def affine(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def scan_affine(a, b, z, B: tl.constexpr):
    i = tl.arange(0, B)
    _, h = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, affine)
    tl.store(z + i, h)


@triton.jit
def histogram(x, z, n, B: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    h = tl.histogram(tl.load(x + i, i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(z + tl.arange(0, BINS), h)


@triton.jit
def argmax_rows(x, z, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(z + r, tl.argmax(tl.load(x + r * n + i, i < n, other=-float("inf")), 0))


@triton.jit
def sum_all(x, z, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(z, tl.sum(tl.load(x + i, i < n, other=0), 0))


@triton.jit
def dropout(x, z, n, p, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = tl.rand(seed, i) > p
    v = tl.load(x + i, i < n)
    tl.store(z + i, tl.where(keep, v / (1 - p), 0.0), i < n)


@triton.jit
def transpose(x, z, M, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + i[:, None] * N + j[None, :], (i[:, None] < M) & (j[None, :] < N))
    tl.store(z + j[:, None] * M + i[None, :], tl.trans(v), (j[:, None] < N) & (i[None, :] < M))


@triton.jit
def embedding(ids, table, z, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(z + r * n + i, tl.load(table + tl.load(ids + r) * n + i, i < n), i < n)


@triton.jit
def rope(x, cos, sin, z, D: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, D // 2)
    c, s = tl.load(cos + r * D // 2 + i), tl.load(sin + r * D // 2 + i)
    a, b = tl.load(x + r * D + i), tl.load(x + r * D + D // 2 + i)
    tl.store(z + r * D + i, a * c - b * s)
    tl.store(z + r * D + D // 2 + i, b * c + a * s)


@triton.jit
def cross_entropy(x, label, loss, dx, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, i < n, other=-float("inf"))
    t = tl.load(label + r)
    top = tl.max(v, 0)
    e = tl.exp(v - top)
    s = tl.sum(e, 0)
    tl.store(loss + r, tl.log(s) + top - tl.load(x + r * n + t))
    tl.store(dx + r * n + i, e / s - tl.where(i == t, 1.0, 0.0), i < n)


@triton.jit
def quantize(x, z, scale, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + r * n + i, i < n, other=0)
    s = tl.max(tl.abs(v), 0) / 127
    tl.store(scale + r, s)
    q = v / s
    tl.store(z + r * n + i, tl.where(q >= 0, q + 0.5, q - 0.5).to(tl.int8), i < n)


@triton.jit
def convolve(x, w, z, n, K: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in tl.static_range(K):
        acc += tl.load(x + i + k, i + k < n + K - 1, other=0) * tl.load(w + k)
    tl.store(z + i, acc, i < n)


@triton.jit
def swiglu(x, z, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, i < n, other=0).to(tl.float32)
    b = tl.load(x + n + i, i < n, other=0).to(tl.float32)
    tl.store(z + i, (a * tl.sigmoid(a) * b).to(tl.bfloat16), i < n)


def make(folder, rng):
    f32 = np.float32
    x, y = rng.standard_normal((2, 1000)).astype(f32)
    case(folder, add, (4, 1, 1), [("f32", In(x)), ("f32", In(y)), ("f32", Out(x + y)), ("i32", 1000)], const={"B": 256})
    r = rng.standard_normal((7, 300)).astype(f32)
    case(folder, softmax_rows, (7, 1, 1), [("f32", In(r)), ("f32", Out(softmax(r))), ("i32", 300)], const={"B": 512})
    case(folder, softmax_online, (7, 1, 1), [("f32", In(r)), ("f32", Out(softmax(r))), ("i32", 300)], const={"B": 128})
    w, b = rng.standard_normal((2, 300)).astype(f32)
    mu, rs = r.mean(1), 1 / np.sqrt(r.var(1) + 1e-5)
    h = (r - mu[:, None]) * rs[:, None]
    case(folder, layer_norm, (7, 1, 1), [("f32", In(r)), ("f32", In(w)), ("f32", In(b)), ("f32", Out(h * w + b)), ("f32", Out(mu)), ("f32", Out(rs)), ("i32", 300), ("f32", 1e-5)], const={"B": 512})
    g = rng.standard_normal(r.shape).astype(f32)
    wg = w * g
    dx = (wg - h * (h * wg).mean(1, keepdims=True) - wg.mean(1, keepdims=True)) * rs[:, None]
    zero = np.zeros(300, f32)
    case(folder, layer_norm_backward, (7, 1, 1), [("f32", In(g)), ("f32", In(r)), ("f32", In(w)), ("f32", In(mu.astype(f32))), ("f32", In(rs.astype(f32))), ("f32", Out(dx)),
         ("f32", Out((g * h).sum(0), zero)), ("f32", Out(g.sum(0), zero)), ("i32", Out(np.zeros(1, np.int32), np.zeros(1, np.int32))), ("i32", 300)], const={"B": 512})
    r16 = r.astype(np.float16)
    want = (r16.astype(f32) / np.sqrt((r16.astype(f32) ** 2).mean(1, keepdims=True) + 1e-6) * w).astype(np.float16)
    case(folder, rms_norm, (7, 1, 1), [("f16", In(r16)), ("f32", In(w)), ("f16", Out(want)), ("i32", 300)], const={"B": 512}, rtol=2e-3, atol=1e-3)

    def product(name, t, out, M, N, K, tile=(32, 32, 32), act="", split=1, prec="tf32", acc=tl.float32, **more):
        p, q = rng.standard_normal((M, K)), rng.standard_normal((K, N))
        if t == "i8":
            p, q = rng.integers(-128, 128, (M, K)).astype(np.int8), rng.integers(-128, 128, (K, N)).astype(np.int8)
            want = p.astype(np.int32) @ q.astype(np.int32)
        elif t == "bf16":
            p, q = bf16(p), bf16(q)
            want = from_bf16(p).astype(np.float64) @ from_bf16(q).astype(np.float64)
        else:
            kind = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[t]
            p, q = p.astype(kind), q.astype(kind)
            want = p.astype(np.float64) @ q.astype(np.float64)
        if act == "gelu":
            want = 0.5 * want * (1 + erf(want * 0.5**0.5))
        if out in ("f16", "f32", "f64"):
            want = want.astype({"f16": np.float16, "f32": f32, "f64": np.float64}[out])
        before = np.zeros((M, N), f32) if split > 1 else None
        as_type = "bf16" if out == "bf16" else None
        want = bf16(want) if as_type else want
        BM, BN, BK = tile
        case(folder, matmul, (-(-M // BM), -(-N // BN), split), [(t, In(p)), (t, In(q)), (out, Out(want, before, as_type)), ("i32", M), ("i32", N), ("i32", K)], name=name,
             const={"BM": BM, "BN": BN, "BK": BK, "ACT": act, "SPLIT": split, "PREC": prec, "ACC": acc}, **more)

    product("matmul_f16", "f16", "f16", 64, 48, 96, rtol=5e-3, atol=2e-2)
    product("matmul_f16_stages4", "f16", "f32", 64, 64, 256, tile=(64, 64, 32), stages=4, rtol=1e-3, atol=1e-3)
    product("matmul_bf16", "bf16", "bf16", 64, 32, 64, rtol=2e-2, atol=6e-2)
    product("matmul_bf16_8warps", "bf16", "f32", 128, 128, 64, tile=(128, 128, 32), warps=8, rtol=1e-3, atol=1e-3)
    product("matmul_tf32", "f32", "f32", 48, 48, 80, rtol=2e-2, atol=5e-2)
    product("matmul_f32", "f32", "f32", 40, 33, 50, prec="ieee", tile=(32, 32, 16))
    product("matmul_tf32x3", "f32", "f32", 48, 48, 64, prec="tf32x3", rtol=1e-4, atol=1e-4)
    product("matmul_i8", "i8", "i32", 64, 64, 128, tile=(32, 32, 64), acc=tl.int32)
    product("matmul_splitk", "f16", "f32", 32, 32, 256, split=4, rtol=1e-3, atol=1e-3)
    product("matmul_gelu", "f16", "f32", 64, 64, 64, act="gelu", rtol=1e-3, atol=1e-3)
    p, q = rng.standard_normal((5, 24, 30)).astype(np.float16), rng.standard_normal((5, 30, 20)).astype(np.float16)
    case(folder, matmul_batched, (5, 1, 1), [("f16", In(p)), ("f16", In(q)), ("f32", Out((p.astype(f32) @ q.astype(f32)))), ("i32", 24), ("i32", 20), ("i32", 30)], const={"BM": 32}, rtol=1e-3, atol=1e-3)
    q, k, v = rng.standard_normal((3, 2, 80, 32)).astype(np.float16)
    s = q.astype(f32) @ k.astype(f32).transpose(0, 2, 1) * 0.25
    masked = np.where(np.tril(np.ones((80, 80), bool)), s, -np.inf)
    for name, s, causal in (("attention", s, False), ("attention_causal", masked, True)):
        want = (softmax(s) @ v.astype(f32)).astype(f32)
        case(folder, attention, (3, 2, 1), [("f16", In(q)), ("f16", In(k)), ("f16", In(v)), ("f32", Out(want)), ("i32", 80), ("f32", 0.25)], name=name,
             const={"CAUSAL": causal, "D": 32, "B": 32}, rtol=5e-3, atol=5e-3)
    r = rng.standard_normal((3, 256)).astype(f32)
    case(folder, sort_rows, (3, 1, 1), [("f32", In(r)), ("f32", Out(np.sort(r)))], const={"N": 256})
    case(folder, top_values, (3, 1, 1), [("f32", In(r)), ("f32", Out(np.sort(r)[:, ::-1][:, :8]))], const={"N": 256, "K": 8})
    r = rng.standard_normal((3, 200)).astype(f32)
    case(folder, scan_rows, (3, 1, 1), [("f32", In(r)), ("f32", Out(np.cumsum(r, 1))), ("i32", 200)], const={"B": 256}, atol=1e-4)
    a, b = rng.random((2, 256)).astype(f32)
    h, want = 0.0, []
    for s, t in zip(a, b):
        h = s * h + t
        want.append(h)
    case(folder, scan_affine, (1, 1, 1), [("f32", In(a)), ("f32", In(b)), ("f32", Out(np.array(want, f32)))], const={"B": 256})
    ids = rng.integers(0, 32, 1000).astype(np.int32)
    case(folder, histogram, (4, 1, 1), [("i32", In(ids)), ("i32", Out(np.bincount(ids, minlength=32).astype(np.int32), np.zeros(32, np.int32))), ("i32", 1000)], const={"B": 256, "BINS": 32})
    case(folder, argmax_rows, (3, 1, 1), [("f32", In(r)), ("i32", Out(r.argmax(1).astype(np.int32))), ("i32", 200)], const={"B": 256})
    case(folder, sum_all, (4, 1, 1), [("f32", In(x)), ("f32", Out(x.sum(keepdims=True), np.zeros(1, f32))), ("i32", 1000)], const={"B": 256}, atol=1e-3)
    from philox import uniform

    keep = uniform(42, np.arange(1000)) > f32(0.25)
    case(folder, dropout, (4, 1, 1), [("f32", In(x)), ("f32", Out(np.where(keep, x / f32(0.75), 0).astype(f32))), ("i32", 1000), ("f32", 0.25), ("i32", 42)], const={"B": 256})
    t = rng.standard_normal((50, 70)).astype(f32)
    case(folder, transpose, (2, 3, 1), [("f32", In(t)), ("f32", Out(t.T)), ("i32", 50), ("i32", 70)], const={"B": 32})
    table, ids = rng.standard_normal((30, 100)).astype(f32), rng.integers(0, 30, 9).astype(np.int64)
    case(folder, embedding, (9, 1, 1), [("i64", In(ids)), ("f32", In(table)), ("f32", Out(table[ids])), ("i32", 100)], const={"B": 128})
    t, angle = rng.standard_normal((6, 128)).astype(f32), rng.random((6, 64)).astype(f32)
    c, s = np.cos(angle), np.sin(angle)
    want = np.concatenate([t[:, :64] * c - t[:, 64:] * s, t[:, 64:] * c + t[:, :64] * s], 1)
    case(folder, rope, (6, 1, 1), [("f32", In(t)), ("f32", In(c)), ("f32", In(s)), ("f32", Out(want))], const={"D": 128})
    label = rng.integers(0, 200, 3).astype(np.int64)
    sm = softmax(r)
    onehot = np.eye(200, dtype=f32)[label]
    case(folder, cross_entropy, (3, 1, 1), [("f32", In(r)), ("i64", In(label)), ("f32", Out(-np.log(sm[np.arange(3), label]))), ("f32", Out(sm - onehot)), ("i32", 200)], const={"B": 256})
    s = np.abs(r).max(1) / 127
    d = r / s[:, None]
    case(folder, quantize, (3, 1, 1), [("f32", In(r)), ("i8", Out(np.trunc(d + np.copysign(0.5, d)).astype(np.int8))), ("f32", Out(s)), ("i32", 200)], const={"B": 256})
    taps = rng.standard_normal(7).astype(f32)
    case(folder, convolve, (4, 1, 1), [("f32", In(x)), ("f32", In(taps)), ("f32", Out(np.correlate(x, taps, "valid"))), ("i32", 994)], const={"K": 7, "B": 256}, atol=1e-4)
    g = rng.standard_normal(1000).astype(f32)
    u, v = from_bf16(bf16(g[:500])), from_bf16(bf16(g[500:]))
    case(folder, swiglu, (2, 1, 1), [("bf16", In(bf16(g))), ("bf16", Out(bf16(u / (1 + np.exp(-u)) * v), None, "bf16")), ("i32", 500)], const={"B": 256}, rtol=1e-2, atol=1e-3)
