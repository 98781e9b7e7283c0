"""A layer of an encoder by PyTorch: attention, and two layers with GELU between them, each added to what it was given and normalised.

    python3 -m venv venv && venv/bin/pip install torch
    VIRTUAL_ENV=venv go test -run '^$' -bench TorchTable -benchtime 1x ./gen/examples/transformer

The argument is a folder with weights.f32, all of them one after another, x.f32 and g.f32. Each line of input is a question, each answer a line:

    shape TOKENS WIDTH HEADS HIDDEN CAUSAL        reads the files
    check                                         writes y.f32, dx.f32 and dqkv.f32 there
    forward WAY THREADS TIMES                     median milliseconds; WAY is eager, unfused or compiled, with -bf16 in bfloat16
    backward WAY THREADS TIMES                    of a way back, without the way there
"""
import statistics
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

EPS = 1e-5


class Layer:
    def __init__(self, folder, tokens, width, heads, hidden, causal):
        self.folder, self.tokens, self.width, self.heads, self.causal = folder, tokens, width, heads, bool(causal)
        flat, at = torch.from_numpy(np.fromfile(f"{folder}/weights.f32", dtype=np.float32)), 0
        self.weights = []
        for shape in [(width, 3 * width), (3 * width,), (width, width), (width,), (width,), (width,), (width, hidden), (hidden,), (hidden, width), (width,), (width,), (width,)]:
            n = int(np.prod(shape))
            w = flat[at:at + n].reshape(shape)
            self.weights.append((w.t().contiguous() if len(shape) == 2 else w.clone()).requires_grad_())  # as nn.Linear has it
            at += n
        self.x = torch.from_numpy(np.fromfile(f"{folder}/x.f32", dtype=np.float32)).reshape(tokens, width).requires_grad_()
        self.g = torch.from_numpy(np.fromfile(f"{folder}/g.f32", dtype=np.float32)).reshape(tokens, width)
        self.made = {}

    def run(self, x, weights, fused):
        qkv, qkvb, out, outb, gain1, bias1, up, upb, down, downb, gain2, bias2 = weights
        q, k, v = (t.view(self.tokens, self.heads, -1).transpose(0, 1).unsqueeze(0) for t in F.linear(x, qkv, qkvb).chunk(3, dim=1))
        if fused:
            a = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        else:
            scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -.5
            if self.causal:
                scores = scores.masked_fill(torch.ones(self.tokens, self.tokens, dtype=torch.bool).triu(1), float("-inf"))
            a = scores.softmax(-1) @ v
        a = a.squeeze(0).transpose(0, 1).reshape(self.tokens, self.width)
        h = F.layer_norm(x + F.linear(a, out, outb), (self.width,), gain1, bias1, EPS)
        f = F.gelu(F.linear(h, up, upb), approximate="tanh")
        return F.layer_norm(h + F.linear(f, down, downb), (self.width,), gain2, bias2, EPS)

    def way(self, name):
        """The function, x, g and weights of a way."""
        if name not in self.made:
            kind, _, narrow = name.partition("-")
            run = lambda x, *w: self.run(x, w, kind != "unfused")
            if kind == "compiled":
                run = torch.compile(run)
            t = torch.bfloat16 if narrow else torch.float32
            self.made[name] = run, self.x.detach().to(t).requires_grad_(), self.g.to(t), [w.detach().to(t).requires_grad_() for w in self.weights]
        return self.made[name]

    def check(self):
        run, x, g, weights = self.way("eager")
        y = run(x, *weights)
        dx, dqkv = torch.autograd.grad(y, [x, weights[0]], g)
        for name, t in [("y", y), ("dx", dx), ("dqkv", dqkv.t())]:
            t.detach().contiguous().numpy().tofile(f"{self.folder}/{name}.f32")

    def forward(self, name, times):
        run, x, _, weights = self.way(name)
        took = []
        with torch.inference_mode():
            for _ in range(times):
                start = time.perf_counter()
                run(x, *weights)
                took.append(time.perf_counter() - start)
        return took

    def backward(self, name, times):
        run, x, g, weights = self.way(name)
        took = []
        for _ in range(times):
            y = run(x, *weights)
            start = time.perf_counter()
            torch.autograd.grad(y, [x, *weights], g)
            took.append(time.perf_counter() - start)
        return took


def main():
    layer = None
    print("PyTorch", torch.__version__, torch.backends.cpu.get_cpu_capability(), flush=True)
    for line in sys.stdin:
        ask, *rest = line.split()
        if ask == "shape":
            layer = Layer(sys.argv[1], *map(int, rest))
            print("read", flush=True)
        elif ask == "check":
            layer.check()
            print("written", flush=True)
        else:
            way, threads, times = rest[0], int(rest[1]), int(rest[2])
            torch.set_num_threads(threads)
            try:
                took = (layer.forward if ask == "forward" else layer.backward)(way, times + 2)[2:]
                print(1e3 * statistics.median(took), flush=True)
            except Exception as e:  # a way that this machine does not have, as a compiler of C++
                print("inf", type(e).__name__, flush=True)


main()
