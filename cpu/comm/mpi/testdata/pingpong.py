# Two ranks send 8 bytes to and fro with mpi4py. Rank 0 prints the nanoseconds of one
# message, the median of rounds: python pingpong.py MESSAGES ROUNDS
import sys
import time

import numpy as np
from mpi4py import MPI

messages, rounds = int(sys.argv[1]), int(sys.argv[2])
world = MPI.COMM_WORLD
me, x = world.Get_rank(), np.zeros(8, dtype=np.uint8)
times = []
for _ in range(rounds + 1):
    began = time.perf_counter()
    if me == 0:
        for _ in range(messages):
            world.Send(x, 1, 0)
            world.Recv(x, 1, 0)
    else:
        for _ in range(messages):
            world.Recv(x, 0, 0)
            world.Send(x, 0, 0)
    times.append((time.perf_counter() - began) / messages / 2 * 1e9)
if me == 0:
    print(sorted(times[1:])[rounds // 2])
