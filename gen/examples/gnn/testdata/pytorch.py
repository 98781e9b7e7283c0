"""GCN and GAT on a graph of three files by PyTorch, as the command trains them: the same numbers of the papers, dropout included.

    python3 -m venv venv && venv/bin/pip install torch scipy
    VIRTUAL_ENV=venv go test -run '^$' -bench TorchTable -benchtime 1x ./gen/examples/gnn

Arguments are the folder and the name of the files. Each line of input is a question, each answer is a line:

    ways MODEL                       all ways to write the products, as FEATURES+GRAPH
    time MODEL WAY THREADS EPOCHS    median milliseconds of an epoch, validation loss and accuracy after them
    memory MODEL WAY THREADS EPOCHS  the most resident kB while tensors are made of what was read and trained on, over those
                                     before, and the most of the process; once in a process

An epoch is a step on all nodes (forward, backward, Adam) and a forward without dropout for loss and accuracy of the validation.
"""
import ctypes
import statistics
import sys
import time

import numpy as np
import scipy
import scipy.io
import scipy.sparse as sp
import torch
import torch.nn.functional as F


class Matrix:
    """A sparse matrix with what any of the ways needs, made once: CSR, COO, and the transpose with the places of its values."""

    def __init__(self, a):
        a = sp.csr_array(a)
        a.sort_indices()
        self.shape = a.shape
        self.crow, self.col = torch.from_numpy(a.indptr.astype(np.int64)), torch.from_numpy(a.indices.astype(np.int64))
        self.values = torch.from_numpy(a.data.astype(np.float32))
        self.row = torch.repeat_interleave(torch.arange(a.shape[0]), self.crow.diff())
        self.coo = torch.stack([self.row, self.col])
        places = sp.csr_array((np.arange(a.nnz, dtype=np.int64), a.indices, a.indptr), a.shape).T.tocsr()
        self.tcrow, self.tcol = torch.from_numpy(places.indptr.astype(np.int64)), torch.from_numpy(places.indices.astype(np.int64))
        self.place = torch.from_numpy(places.data.astype(np.int64))
        self._dense = None

    def dense(self):
        if self._dense is None:
            self._dense = torch.zeros(self.shape)
            self._dense[self.row, self.col] = self.values
        return self._dense

    def csr(self, values):
        return torch.sparse_csr_tensor(self.crow, self.col, values, self.shape, check_invariants=False)

    def turned(self, values):
        return torch.sparse_csr_tensor(self.tcrow, self.tcol, values[self.place], self.shape[::-1], check_invariants=False)


class Product(torch.autograd.Function):
    """a @ x by CSR and, backward, by the CSR of the transpose; the gradient of values by sampled_addmm."""

    @staticmethod
    def forward(ctx, a, values, x):
        ctx.a = a
        ctx.save_for_backward(values, x)
        return a.csr(values) @ x

    @staticmethod
    def backward(ctx, d):
        values, x = ctx.saved_tensors
        dvalues = dx = None
        if ctx.needs_input_grad[1]:
            zero = ctx.a.csr(torch.zeros_like(values))
            dvalues = torch.sparse.sampled_addmm(zero, d.contiguous(), x.t(), beta=0).values()
        if ctx.needs_input_grad[2]:
            dx = ctx.a.turned(values) @ d
        return None, dvalues, dx


def scatter(a, values, x):
    return torch.zeros(a.shape[0], x.shape[1]).index_add_(0, a.row, values[:, None] * x[a.col])


def gather_reduce(a, values, x):
    index = a.row[:, None].expand(-1, x.shape[1])
    return torch.zeros(a.shape[0], x.shape[1]).scatter_reduce_(0, index, values[:, None] * x[a.col], "sum")


PRODUCTS = {
    "coo": lambda a, values, x: torch.sparse.mm(torch.sparse_coo_tensor(a.coo, values, a.shape, is_coalesced=True, check_invariants=False), x),
    "csr": lambda a, values, x: torch.sparse.mm(a.csr(values), x),
    "csr-both": Product.apply,
    "bag": lambda a, values, x: F.embedding_bag(a.col, x, a.crow[:-1], mode="sum", per_sample_weights=values),
    "index_add": scatter,
    "scatter_reduce": gather_reduce,
}


def words(way, x, weights, p, training):
    if way == "dense":
        return F.dropout(x.dense(), p, training) @ weights
    return PRODUCTS[way](x, F.dropout(x.values, p, training), weights)


def glorot(*shape):
    w = torch.empty(*shape)
    torch.nn.init.xavier_uniform_(w)
    return w.requires_grad_()


class GCN:
    features = ["dense", "coo", "csr", "csr-both", "bag", "index_add"]
    graphs = ["dense", "coo", "csr", "csr-both", "bag", "index_add", "scatter_reduce"]
    rate, drop = 0.01, 0.5

    def __init__(self, s):
        a = s.adjacency + sp.identity(s.nodes, format="csr", dtype=np.float32)
        a.data[:] = 1
        d = sp.diags_array(1 / np.sqrt(np.asarray(a.sum(1)).ravel()))
        self.a, self.x = Matrix(d @ a @ d), s.features
        self.w1, self.w2 = glorot(s.features.shape[1], 16), glorot(16, s.classes)
        self.b1, self.b2 = torch.zeros(16, requires_grad=True), torch.zeros(s.classes, requires_grad=True)
        self.groups = [{"params": [self.w1], "weight_decay": 5e-4}, {"params": [self.b1, self.w2, self.b2]}]

    def gather(self, way, x):
        return self.a.dense() @ x if way == "dense" else PRODUCTS[way](self.a, self.a.values, x)

    def forward(self, features, graph, training):
        h = F.relu(self.gather(graph, words(features, self.x, self.w1, self.drop, training)) + self.b1)
        h = F.dropout(h, self.drop, training)
        return self.gather(graph, h @ self.w2) + self.b2


class GAT:
    features = GCN.features
    graphs = ["dense", "coo", "csr-both", "index_add", "scatter_reduce"]
    rate, drop, heads, width = 0.005, 0.6, 8, 8

    def __init__(self, s):
        a = s.adjacency + sp.identity(s.nodes, format="csr", dtype=np.float32)
        a.data[:] = 1
        self.a, self.x = Matrix(a), s.features
        wide = self.heads * self.width
        self.w1, self.w2 = glorot(s.features.shape[1], wide), glorot(wide, s.classes)
        self.near1, self.far1, self.near2, self.far2 = glorot(self.heads, self.width), glorot(self.heads, self.width), glorot(1, s.classes), glorot(1, s.classes)
        self.b1, self.b2 = torch.zeros(wide, requires_grad=True), torch.zeros(s.classes, requires_grad=True)
        self.groups = [{"params": [self.w1, self.near1, self.far1, self.b1, self.w2, self.near2, self.far2, self.b2], "weight_decay": 5e-4}]
        self.hidden = None  # what the dense way adds where there is no edge

    def attend(self, way, h, near, far, training):
        n, heads = h.shape[0], near.shape[0]
        h = h.view(n, heads, -1)
        left, right = (h * near).sum(-1), (h * far).sum(-1)
        values = F.dropout(h, self.drop, training)
        a = self.a
        if way == "dense":
            if self.hidden is None:
                self.hidden = torch.where(a.dense() > 0, 0.0, -torch.inf)
            score = F.leaky_relu(left.t()[:, :, None] + right.t()[:, None, :], 0.2) + self.hidden
            weights = F.dropout(torch.softmax(score, 2), self.drop, training)
            return torch.bmm(weights, values.transpose(0, 1)).transpose(0, 1).reshape(n, -1)
        score = F.leaky_relu(left[a.row] + right[a.col], 0.2)
        if way == "coo":
            out = []
            for k in range(heads):
                e = torch.sparse_coo_tensor(a.coo, score[:, k], a.shape, is_coalesced=True, check_invariants=False)
                w = F.dropout(torch.sparse.softmax(e, 1).values(), self.drop, training)
                out.append(PRODUCTS["coo"](a, w, values[:, k]))
            return torch.cat(out, 1)
        index = a.row[:, None].expand(-1, heads)
        top = torch.full((n, heads), -torch.inf).scatter_reduce_(0, index, score.detach(), "amax")
        e = torch.exp(score - top[a.row])
        if way == "scatter_reduce":
            weights = e / torch.zeros(n, heads).scatter_reduce_(0, index, e, "sum")[a.row]
        else:
            weights = e / torch.zeros(n, heads).index_add_(0, a.row, e)[a.row]
        weights = F.dropout(weights, self.drop, training)
        if way == "csr-both":
            return torch.cat([Product.apply(a, weights[:, k].contiguous(), values[:, k].contiguous()) for k in range(heads)], 1)
        heard = (weights[:, :, None] * values[a.col]).view(len(a.col), -1)
        out = torch.zeros(n, heard.shape[1])
        if way == "scatter_reduce":
            return out.scatter_reduce_(0, a.row[:, None].expand_as(heard), heard, "sum")
        return out.index_add_(0, a.row, heard)

    def forward(self, features, graph, training):
        h = words(features, self.x, self.w1, self.drop, training)
        h = F.elu(self.attend(graph, h, self.near1, self.far1, training) + self.b1)
        h = F.dropout(h, self.drop, training)
        return self.attend(graph, h @ self.w2, self.near2, self.far2, training) + self.b2


MODELS = {"gcn": GCN, "gat": GAT}


class Set:
    def __init__(self, adjacency, features, labels):
        self.adjacency = sp.csr_array(adjacency, dtype=np.float32)
        self.nodes = self.adjacency.shape[0]
        x = sp.csr_array(features, dtype=np.float32)
        sums = np.asarray(abs(x).sum(1)).ravel()
        self.features = Matrix(sp.diags_array(1 / np.maximum(sums, 1e-30)) @ x)
        labels = np.asarray(labels)
        self.labels, parts = torch.from_numpy(labels[:, 0].astype(np.int64)), labels[:, 1]
        self.classes = int(labels[:, 0].max()) + 1
        self.train, self.validation = (torch.from_numpy(np.flatnonzero(parts == p)) for p in (1, 2))


def little():
    """A set of 40 nodes, which loads whatever code training needs."""
    r = np.random.default_rng(1)
    labels = np.stack([np.arange(40) % 4, 1 + np.arange(40) // 4 % 2], 1)
    return Set(sp.random(40, 40, 0.1, rng=r), sp.random(40, 20, 0.3, rng=r), labels)


def train(s, model, way, epochs):
    """Trains and returns the seconds of each epoch and the last loss and accuracy."""
    features, graph = way.split("+")
    net = MODELS[model](s)
    adam = torch.optim.Adam(net.groups, lr=net.rate, fused=True)
    seconds = []
    for _ in range(epochs):
        start = time.perf_counter()
        adam.zero_grad()
        F.cross_entropy(net.forward(features, graph, True)[s.train], s.labels[s.train]).backward()
        adam.step()
        with torch.no_grad():
            logits, labels = net.forward(features, graph, False)[s.validation], s.labels[s.validation]
            loss, right = F.cross_entropy(logits, labels).item(), (logits.argmax(1) == labels).float().mean().item()
        seconds.append(time.perf_counter() - start)
    return seconds, loss, right


def resident(what):
    for line in open("/proc/self/status"):
        if line.startswith(what):
            return int(line.split()[1])


def main():
    folder, name = sys.argv[1:]
    torch.manual_seed(1)
    parts = [scipy.io.mmread(f"{folder}/{name}{part}.mtx") for part in ("", "-features", "-labels")]
    s = None
    print("PyTorch", torch.__version__, "SciPy", scipy.__version__, torch.backends.cpu.get_cpu_capability(), flush=True)
    for line in sys.stdin:
        ask, model, *rest = line.split()
        if ask == "ways":
            print(*(f + "+" + g for f in MODELS[model].features for g in MODELS[model].graphs), flush=True)
            continue
        way, threads, epochs = rest[0], int(rest[1]), int(rest[2])
        torch.set_num_threads(threads)
        train(little(), model, way, 2)
        if ask == "memory":
            ctypes.CDLL(None).malloc_trim(0)
            before = resident("VmRSS")
            with open("/proc/self/clear_refs", "w") as f:
                f.write("5")
            train(Set(*parts), model, way, epochs)
            print(resident("VmHWM") - before, resident("VmHWM"), flush=True)
            continue
        s = s or Set(*parts)
        seconds, loss, right = train(s, model, way, epochs)
        print(1e3 * statistics.median(seconds[epochs // 5:]), loss, right, flush=True)


main()
