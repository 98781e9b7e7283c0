"""What a kernel of the corpus is, and how it is written for `tilesmith emu run`."""

import os

import numpy as np

NAMES = {"float16": "f16", "float32": "f32", "float64": "f64", "bool": "bool"}
NAMES.update({f"{s}int{n}": f"{s or 'i'}{n}" for s in ("u", "") for n in (8, 16, 32, 64)})


class In:
    """An array that the kernel reads."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array)


class Out:
    """An array that the kernel writes; before holds what is there first, None nothing.

    as_type is the type of the kernel where NumPy has none, such as bf16."""

    def __init__(self, want, before=None, as_type=None):
        self.want, self.before, self.as_type = np.ascontiguousarray(want), before, as_type


def write(folder, name, ptx, grid, block, args, *, kernel=None, shared=0, rtol=1e-4, atol=1e-5, flags=""):
    """Write NAME.ptx, its arrays, and NAME.args: the command line behind the PTX file.

    args are In, Out and texts such as i32:5."""
    with open(os.path.join(folder, name + ".ptx"), "w") as f:
        f.write(ptx)
    words = ["--grid", ",".join(map(str, grid)), "--block", ",".join(map(str, block))]
    if kernel:
        words += ["--kernel", kernel]
    words += ["--shared", str(shared), "--rtol", str(rtol), "--atol", str(atol)]
    words += flags.split()
    for i, a in enumerate(args):
        if isinstance(a, str):
            words.append(a)
            continue
        file = f"{name}.{i}.npy"
        if isinstance(a, In):
            np.save(os.path.join(folder, file), a.array)
            words.append(file)
            continue
        np.save(os.path.join(folder, file), a.want)
        kind = a.as_type or NAMES[a.want.dtype.name]
        if a.before is None:
            shape = "x".join(map(str, a.want.shape))
            words.append(f"out:{kind}:{shape}~{file}")
        else:
            first = f"{name}.{i}.before.npy"
            np.save(os.path.join(folder, first), np.ascontiguousarray(a.before))
            words.append(f"inout:{kind}:{first}~{file}")
    with open(os.path.join(folder, name + ".args"), "w") as f:
        f.write(" ".join(words) + "\n")


def bf16(x):
    """The bits of x rounded to bfloat16, to nearest even."""
    b = np.asarray(x, np.float32).view(np.uint32)
    return ((b + 0x7FFF + ((b >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(b):
    return (np.asarray(b, np.uint32) << 16).view(np.float32)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def erf(x):
    import math

    return np.vectorize(math.erf)(x)
