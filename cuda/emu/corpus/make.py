"""Make a corpus for the emulator: python3 make.py FOLDER

It wants the Python packages triton, numpy, nvidia-cuda-nvrtc-cu12, nvidia-cuda-runtime-cu12,
nvidia-cuda-cccl-cu12 and nvidia-cuda-nvcc-cu12, and no GPU. Each kernel is a file
NAME.ptx, its arrays, and NAME.args, what stands behind the file in `tilesmith emu run`. Then

    TILESMITH_CORPUS=FOLDER go test ./gen/tilesmith -run TestCorpus -v
"""

import os
import sys
import traceback

import numpy as np

import nvrtc_kernels
import triton_kernels

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
for made in (triton_kernels, nvrtc_kernels):
    made.make(folder, np.random.default_rng(1))
print(len([f for f in os.listdir(folder) if f.endswith(".args")]), "kernels")
