#!/usr/bin/env python3
"""Partition the column-net hypergraphs of a folder of matrices with Mt-KaHyPar.

    python3 -m venv venv && venv/bin/pip install mtkahypar==1.7.post1 scipy
    venv/bin/python reference.py ../../../../shared/data > mtkahypar.csv

More arguments are names of matrices, for some only. Default preset, km1, eps .03, one thread, seeds 1 to 5. The hypergraph is the one of part.ColumnNet: a
vertex is a row and weighs its entries, net j has the rows with an entry in column j, and row j too if
the matrix is square (conformal ownership). Nets with one pin are left out: they cost nothing.
One line for each matrix and k: median km1, the five, median imbalance, median seconds.
"""
import glob
import os
import statistics
import sys
import time

import mtkahypar
import numpy
import scipy.io
import scipy.sparse

KS, SEEDS, EPS, MIN_ROWS = (4, 8, 16), (1, 2, 3, 4, 5), 0.03, 800


def column_nets(a):
    """The weights of rows and the pins of columns."""
    a = scipy.sparse.csc_matrix(a)
    ones = scipy.sparse.csc_matrix((numpy.ones(a.nnz), a.indices, a.indptr), a.shape)
    weights = numpy.diff(ones.tocsr().indptr).astype(int).tolist()
    if a.shape[0] == a.shape[1]:
        ones = (ones + scipy.sparse.identity(a.shape[0], format="csc")).tocsc()
    nets = [ones.indices[ones.indptr[j]:ones.indptr[j + 1]].tolist() for j in range(a.shape[1])]
    return weights, [net for net in nets if len(net) > 1]


def km1(nets, part):
    return sum(len({part[v] for v in net}) - 1 for net in nets)


def main(folder, only):
    mtk = mtkahypar.initialize(1)
    print("matrix,k,km1,all,imbalance,seconds")
    for path in sorted(glob.glob(os.path.join(folder, "*.mtx"))):
        name = os.path.basename(path)[:-len(".mtx")]
        if only and name not in only:
            continue
        with open(path, encoding="latin-1") as f:
            if f.readline().split()[2:3] != ["coordinate"]:
                continue
        a = scipy.io.mmread(path)
        if a.shape[0] < MIN_ROWS:
            continue
        weights, nets = column_nets(a)
        for k in KS:
            values, balances, times = [], [], []
            for seed in SEEDS:
                mtkahypar.set_seed(seed)
                context = mtk.context_from_preset(mtkahypar.PresetType.DEFAULT)
                context.set_partitioning_parameters(k, EPS, mtkahypar.Objective.KM1)
                context.logging = False
                h = mtk.create_hypergraph(context, len(weights), len(nets), nets, weights, [1] * len(nets))
                start = time.perf_counter()
                p = h.partition(context)
                times.append(time.perf_counter() - start)
                part = p.get_partition()
                values.append(km1(nets, part))
                load = [0] * k
                for v, q in enumerate(part):
                    load[q] += weights[v]
                balances.append(max(load) / -(-sum(weights) // k) - 1)
            print(f"{name},{k},{statistics.median(values)},{' '.join(map(str, values))},"
                  f"{statistics.median(balances):.4f},{statistics.median(times):.3f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
