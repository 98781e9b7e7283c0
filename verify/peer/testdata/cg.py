# Conjugate gradients with Jacobi by SciPy. Each line of input is "FILE steps" or
# "poisson N steps"; for it, two lines: seconds a step, and |b - A*x| over |b|, for a b of ones.
import sys, time
import numpy as np
import scipy, scipy.io, scipy.sparse as sp
from scipy.sparse.linalg import cg

print("SciPy", scipy.__version__, "NumPy", np.__version__, flush=True)
made = {}
for line in sys.stdin:
    *what, steps = line.split()
    key = " ".join(what)
    if key not in made:
        if what[0] == "poisson":
            n = int(what[1])
            one = sp.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])
            a = sp.csr_array(sp.kron(one, sp.eye(n)) + sp.kron(sp.eye(n), one))
        else:
            a = sp.csr_array(scipy.io.mmread(what[0]))
        a.sort_indices()
        made[key] = a, sp.dia_array((1 / a.diagonal()[None, :], [0]), shape=a.shape).tocsr()
    a, m = made[key]
    b = np.ones(a.shape[0])
    start = time.perf_counter()
    x, info = cg(a, b, rtol=1e-300, atol=0, maxiter=int(steps), M=m)
    seconds = (time.perf_counter() - start) / int(steps)
    print(seconds, np.linalg.norm(b - a @ x) / np.linalg.norm(b), flush=True)
