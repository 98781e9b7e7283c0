"""Kernels in CUDA C++, compiled by NVRTC through ctypes; kernels.cu has them."""

import ctypes
import glob
import os
import re
import site
import sys

import numpy as np

from case import In, Out, erf, softmax, write


def nvrtc():
    for base in site.getsitepackages() + sys.path:
        for lib in glob.glob(os.path.join(base, "nvidia/cuda_nvrtc/lib/libnvrtc.so.*")):
            return ctypes.CDLL(lib)
    raise SystemExit("there is no NVRTC: pip install nvidia-cuda-nvrtc-cu12")


def includes():
    """Where the headers of CUDA and of its C++ library are."""
    for base in site.getsitepackages() + sys.path:
        for part in ("cuda_runtime", "cuda_cccl", "cuda_nvcc"):
            folder = os.path.join(base, "nvidia", part, "include")
            if os.path.isdir(folder):
                yield b"-I" + folder.encode()


def compile(source, arch="compute_80"):
    lib, program = nvrtc(), ctypes.c_void_p()
    call = lambda name, *args: getattr(lib, "nvrtc" + name)(*args)
    assert call("CreateProgram", ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None) == 0
    options = [b"--gpu-architecture=" + arch.encode(), b"--std=c++17", b"-lineinfo", *includes()]
    wrong = call("CompileProgram", program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    part = "ProgramLog" if wrong else "PTX"
    call(f"Get{part}Size", program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    call(f"Get{part}", program, text)
    if wrong:
        raise SystemExit(text.value.decode())
    return text.value.decode()


def make(folder, rng):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.cu")) as f:
        source = f.read()
    # Each kernel is a file of its own: //- begins one, what is before the first is in all.
    head, *parts = re.split(r"(?m)^//- ", source)
    texts = {}
    for p in parts:
        name, body = p.split("\n", 1)
        texts[name.strip()] = head + body

    def case(name, grid, block, args, **more):
        write(folder, "nvrtc_" + name, compile(texts[name]), (*grid, 1, 1)[:3], (*block, 1, 1)[:3], args, **more)

    f32, i32, u32 = np.float32, np.int32, np.uint32
    x, y = rng.standard_normal((2, 1000)).astype(f32)
    ints = rng.integers(0, 1000, 1000).astype(i32)
    zero = lambda n, t: np.zeros(n, t)

    case("saxpy", (4,), (256,), [In(x), Out(2.5 * x + y, y), "f32:2.5", "i32:1000"])
    case("reduce_shuffle", (4,), (256,), [In(x), Out(x.sum(keepdims=True), zero(1, f32)), "i32:1000"], atol=1e-3)
    case("reduce_shared", (4,), (256,), [In(ints), Out(np.array([ints.sum()], i32), zero(1, i32)), "i32:1000"], shared=1024)
    case("reduce_groups", (4,), (256,), [In(ints), Out(np.array([ints.sum()], i32), zero(1, i32)), "i32:1000"])
    case("reduce_last_block", (8,), (128,), [In(ints), Out(np.array([ints.sum()], i32)), "i32:1000"])
    case("scan_block", (1,), (256,), [In(ints[:256]), Out(np.cumsum(ints[:256]).astype(i32))])
    case("scan_lookback", (8,), (128,), [In(ints), Out(np.cumsum(ints).astype(i32)), "i32:1000"])
    case("histogram", (4,), (128,), [In(ints), Out(np.bincount(ints % 64, minlength=64).astype(i32), zero(64, i32)), "i32:1000"])
    case("sort_bitonic", (1,), (256,), [Out(np.sort(x[:512]), x[:512])])
    case("sort_radix", (1,), (256,), [Out(np.sort(ints[:256].astype(u32)), ints[:256].astype(u32))])
    case("compact", (1,), (128,), [In(ints[:128]), Out(np.pad(ints[:128][ints[:128] & 1 == 1], (0, 128))[:128].astype(i32), zero(128, i32)), Out(np.array([(ints[:128] & 1).sum()], i32))])
    t = rng.standard_normal((50, 70)).astype(f32)
    case("transpose", (3, 2), (32, 8), [In(t), Out(t.T), "i32:50", "i32:70"])

    a, b = rng.standard_normal((48, 64)).astype(f32), rng.standard_normal((64, 32)).astype(f32)
    sizes = ["i32:48", "i32:32", "i32:64"]
    case("matmul_naive", (2, 3), (16, 16), [In(a), In(b), Out(a @ b), *sizes], atol=1e-4)
    case("matmul_tiled", (2, 3), (16, 16), [In(a), In(b), Out(a @ b), *sizes], atol=1e-4)
    case("matmul_registers", (1, 2), (64,), [In(a), In(b), Out(a @ b), *sizes], atol=1e-4)
    case("matmul_pipelined", (2, 3), (16, 16), [In(a), In(b), Out(a @ b), *sizes], atol=1e-4)
    h, k = a.astype(np.float16), b.astype(np.float16)
    half = h.astype(f32) @ k.astype(f32)
    case("matmul_wmma", (2, 3), (32,), [In(h), In(k), Out(half), *sizes], atol=1e-3)
    case("matmul_mma", (4, 3), (32,), [In(h), In(k.T), Out(half), *sizes], atol=1e-3)
    p, q = rng.integers(-128, 128, (16, 64)).astype(np.int8), rng.integers(-128, 128, (16, 64)).astype(np.int8)
    case("matmul_wmma_int8", (1,), (32,), [In(p), In(q), Out(p.astype(i32) @ q.astype(i32).T)])
    case("matmul_dp4a", (1,), (16, 16), [In(p), In(q), Out(p.astype(i32) @ q.astype(i32).T)])
    case("matmul_double", (2, 3), (16, 16), [In(a.astype(float)), In(b.astype(float)), Out(a.astype(float) @ b.astype(float)), *sizes], rtol=1e-12, atol=1e-12)

    r = rng.standard_normal((5, 300)).astype(f32)
    case("softmax", (5,), (128,), [In(r), Out(softmax(r)), "i32:300"])
    w, c = rng.standard_normal((2, 300)).astype(f32)
    mu, rs = r.mean(1, keepdims=True), 1 / np.sqrt(r.var(1, keepdims=True) + 1e-5)
    n = (r - mu) * rs
    case("layer_norm", (5,), (128,), [In(r), In(w), In(c), Out(n * w + c), "i32:300"])
    g = rng.standard_normal(r.shape).astype(f32)
    wg = w * g
    case("layer_norm_backward", (5,), (128,), [In(g), In(r), In(w), Out((wg - n * (n * wg).mean(1, keepdims=True) - wg.mean(1, keepdims=True)) * rs), "i32:300"])
    q, k, v = rng.standard_normal((3, 40, 32)).astype(f32)
    case("attention", (40,), (32,), [In(q), In(k), In(v), Out(softmax(q @ k.T / np.sqrt(f32(32))) @ v), "i32:40"], atol=1e-4)
    case("gelu", (4,), (256,), [In(x), Out((0.5 * x * (1 + erf(x * 0.5**0.5))).astype(f32)), Out(np.tanh(x)), "i32:1000"])
    z = np.abs(x) + f32(0.1)
    case("functions", (4,), (256,), [In(z), Out(np.stack([np.sin(z), np.cos(z), np.exp(z), np.log(z), z ** f32(1.7), np.cbrt(z), np.arctan(z), np.log1p(z)])), "i32:1000"], atol=1e-5)
    d = z.astype(float)
    case("functions_double", (4,), (256,), [In(d), Out(np.stack([np.sin(d), np.exp(d), np.log(d), d**1.7, np.sqrt(d), 1 / d])), "i32:1000"], rtol=1e-13, atol=1e-13)
    hx = x.astype(np.float16)
    case("half2", (2,), (256,), [In(hx), Out((hx.astype(f32) * hx.astype(f32) + f32(1)).astype(np.float16)), "i32:500"], rtol=1e-3, atol=1e-3)

    grid = (rng.random((40, 40)) < 0.4).astype(np.uint8)
    near = sum(np.roll(grid, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - grid
    case("life", (3, 3), (16, 16), [In(grid), Out(((near == 3) | (grid == 1) & (near == 2)).astype(np.uint8)), "i32:40"])
    img = rng.standard_normal((20, 20)).astype(f32)
    taps = rng.standard_normal((3, 3)).astype(f32)
    conv = sum(taps[i, j] * img[i : i + 18, j : j + 18] for i in range(3) for j in range(3))
    case("convolve", (2, 2), (16, 16), [In(img), In(taps), Out(conv), "i32:20"], atol=1e-4)
    state = np.arange(1, 257, dtype=u32)
    for _ in range(10):
        state ^= state << u32(13)
        state ^= state >> u32(17)
        state ^= state << u32(5)
    case("xorshift", (1,), (256,), [Out(state)])
    import zlib

    data = rng.integers(0, 256, (64, 16)).astype(np.uint8)
    case("crc32", (2,), (32,), [In(data), Out(np.array([zlib.crc32(r.tobytes()) for r in data], u32))])
    ptr = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 100))]).astype(i32)
    col = rng.integers(0, 100, ptr[-1]).astype(i32)
    val = rng.standard_normal(ptr[-1]).astype(f32)
    want = np.array([val[i:j] @ x[col[i:j]] for i, j in zip(ptr, ptr[1:])], f32)
    case("spmv", (4,), (256,), [In(ptr), In(col), In(val), In(x[:100]), Out(want), "i32:100"])
    case("max_cas", (4,), (256,), [In(x), Out(x.max(keepdims=True), np.full(1, -1e30, f32)), "i32:1000"])
    case("lock_blocks", (8,), (32,), [Out(np.array([8], i32), zero(1, i32))])
    sig = rng.standard_normal((64, 2)).astype(f32)
    fft = np.fft.fft(sig[:, 0] + 1j * sig[:, 1])
    case("fft", (1,), (32,), [Out(np.stack([fft.real, fft.imag], 1).astype(f32), sig)], atol=1e-3)
    op = rng.integers(0, 6, 256).astype(i32)
    e = ints[:256]
    case("switch", (1,), (256,), [In(op), In(e), Out(np.select([op == i for i in range(6)], [e + 1, e * 3, e - 7, e ^ 85, e // 3, e % 7]).astype(i32))])
    pos = rng.standard_normal((64, 4)).astype(f32)
    diff = pos[None, :, :3] - pos[:, None, :3]
    inv = 1 / np.sqrt((diff**2).sum(-1) + f32(0.01))
    case("nbody", (1,), (64,), [In(pos), Out((diff * (inv**3 * pos[None, :, 3])[..., None]).sum(1).astype(f32))], rtol=1e-3, atol=1e-3)
