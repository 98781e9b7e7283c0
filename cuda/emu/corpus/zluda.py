"""Turn ZLUDA's PTX tests into a corpus: python3 zluda.py ZLUDA/ptx/src/test/spirv_run FOLDER

ZLUDA (github.com/vosen/ZLUDA) keeps one kernel a file, and inputs and outputs in mod.rs. Nothing of
it is here. A test of one block of 1 or 64 threads becomes NAME.ptx, arrays and NAME.args as make.py
writes them; one without outputs is left out, and named. So are those that the emulator is right to
refuse or to find fault with; they stay in, so that it has to."""

import math
import os
import re
import sys

import numpy as np

from case import In, Out, write

FAULTS = {
    "block": "adds to a register that nothing has written: the one of the inner block",
    "ldmatrix": "both warps store the same words, of which each then reads what the other may have written",
    "ldmatrix_trans": "no bar.warp.sync stands between the stores of lanes and the ldmatrix of others",
    "mma_m16n8k16_f32_bf16_bf16_f32_2x": "the second warp stores behind the array",
    "vector8_extract": "ptxas refuses mov.v8",
    "vote_ballot_nosync": "ptxas refuses vote without .sync, for sm_70 and later",
}

TYPES = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}


def number(text):
    """A Rust number: its value, its type, or None where others say, and whether it is bits."""
    text = text.strip()
    if m := re.fullmatch(r"(half::)?(f16|f32)::from_bits\((.*)\)", text):
        return number(m[3])[0], m[2], True
    if m := re.fullmatch(r"half::f16::(?:from_f\d\d)\((.*)\)", text):
        return number(m[1])[0], "f16", False
    if m := re.fullmatch(r"half::f16::(\w+)(\.to_bits\(\))?", text):
        value = {"NAN": 0x7E00, "NEG_INFINITY": 0xFC00, "INFINITY": 0x7C00}[m[1]]
        return value, "u16" if m[2] else "f16", True
    if m := re.fullmatch(r"(\w+)::max_value\(\)|(\w+)::MAX", text):
        t = m[1] or m[2]
        return np.iinfo(TYPES[t]).max, t, False
    if m := re.fullmatch(r"(i\d+)::MIN", text):
        return np.iinfo(TYPES[m[1]]).min, m[1], False
    if m := re.fullmatch(r"(f\d+)::(NAN|INFINITY|NEG_INFINITY)", text):
        return {"NAN": math.nan, "INFINITY": math.inf, "NEG_INFINITY": -math.inf}[m[2]], m[1], False
    if m := re.fullmatch(r"std::(f\d+)::consts::PI(?: / (\d)f32)?", text):
        return math.pi / int(m[2] or 1), m[1], False
    sign = -1 if text.startswith("-") else 1
    text = text.lstrip("-").replace("_", "")
    if m := re.fullmatch(r"(0x[0-9a-fA-F]+?|0b[01]+|[0-9.]+)(u8|u16|u32|u64|i8|i16|i32|i64|f32|f64)?", text):
        if m[1].startswith("0x") and m[2] and m[2].startswith("f"):
            return sign * int(text, 16), None, False  # 0x..f32 are digits
        if "." in m[1] or m[2] and m[2].startswith("f"):
            return sign * float(m[1]), m[2] or "float", False
        return sign * int(m[1], 0), m[2], False
    raise ValueError(text)


def array(text):
    text = text.strip().strip("[]")
    items = [number(t) for t in re.split(r",(?![^()]*\))", text) if t.strip()]
    kinds = {t for _, t, _ in items if t and t != "float"}
    kind = kinds.pop() if kinds else "f64" if any(t == "float" for _, t, _ in items) else "i32"
    if kind == "f16":
        return np.array([v if bits else np.float16(v).view(np.uint16) for v, _, bits in items], np.uint16).view(np.float16)
    if kind == "f32" and any(bits for _, _, bits in items):
        return np.array([v if bits else np.float32(v).view(np.uint32) for v, _, bits in items], np.uint32).view(np.float32)
    return np.array([v for v, _, _ in items], TYPES[kind])


def main(source, folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(source, "mod.rs")) as f:
        text = re.sub(r"//[^\n]*", "", f.read())
    for m in re.finditer(r"(?m)^test_ptx(\w*)!\(\s*(\w+)\s*(,.*?)?\);", text, re.S):
        kind, name, data = m.groups()
        if not data:
            print(name, "has no outputs")
            continue
        if name in FAULTS:
            print(name, "is in error:", FAULTS[name])
        arrays = [array(a) for a in re.findall(r"\[[^\]]*\]", data)]
        with open(os.path.join(source, name + ".ptx")) as f:
            ptx = f.read()
        out = Out(arrays[-1], np.zeros_like(arrays[-1]))
        first = ptx.index("(", ptx.index(".entry " + name))
        pointers = ptx[first : ptx.index(")", first)].count(".param")
        args = ["u64:0"] * (pointers - 1) + [out] if kind == "_warp" else [In(arrays[0]), out]
        write(folder, name, ptx, (1, 1, 1), (64 if kind == "_warp" else 1, 1, 1), args, kernel=name, shared=1024, rtol=1e-6, atol=0)


main(*sys.argv[1:])
