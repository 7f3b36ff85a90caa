#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sigmoid attention beside torch's soft-max attention (scaled_dot_product_attention, its flash CPU path) and beside sigmoid
attention written in torch operations, in CPU seconds of the whole process. One run interleaves all candidates, round by round;
a ratio is taken within each round, and its median and range over the rounds are printed.

    attention_bench.py build/lib/libsimulacra_ops.so [--threads 1 2] [--rounds 9] [--dtypes float32 bfloat16] [--tokens 1024]

ONEDNN_MAX_CPU_ISA=AVX2, MKL_ENABLE_INSTRUCTIONS=AVX2 and ATEN_CPU_CAPABILITY=avx2 before it hold torch to AVX2,
SIMULACRA_CPU_PATH=avx2 ours.
"""
import argparse
import math
import os
import statistics
import time

import torch
import torch.nn.functional as F

SHAPES = [(1, 8, 1024, 64), (1, 2, 4096, 64), (8, 12, 197, 64)]  # batch, heads, tokens, head size


def composed(q, k, v, bias):
    return torch.sigmoid(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5 + bias) @ v


class Case:
    def __init__(self, shape, dtype):
        b, h, n, d = shape
        torch.manual_seed(5)
        self.q, self.k, self.v = (torch.randn(shape).to(dtype).requires_grad_() for _ in range(3))
        self.grad = torch.randn(shape).to(dtype)
        self.bias = torch.tensor(-math.log(n))
        self.flop = 4 * b * h * n * n * d
        side = 1024
        self.square = torch.randn(side, side).to(dtype)
        self.square_flop = 2 * side ** 3

    def candidates(self):
        ours = torch.ops.simulacra.sigmoid_attention
        functions = {
            "ours": lambda: ours(self.q, self.k, self.v, self.bias),
            "sdpa": lambda: F.scaled_dot_product_attention(self.q, self.k, self.v),
            "composed": lambda: composed(self.q, self.k, self.v, self.bias),
        }
        table = {}
        for name, f in functions.items():
            table[name, "forward"] = self.without_gradient(f)
            table[name, "forward+backward"] = self.with_gradient(f)
        table["matmul", ""] = self.without_gradient(lambda: self.square @ self.square)
        return table

    def without_gradient(self, f):
        def run():
            with torch.no_grad():
                f()
        return run

    def with_gradient(self, f):
        return lambda: torch.autograd.grad(f(), (self.q, self.k, self.v), self.grad)

    def check(self):
        """A fast wrong answer is no result."""
        with torch.no_grad():
            head = [x[:1, :1].double() for x in (self.q, self.k, self.v)]
            got = torch.ops.simulacra.sigmoid_attention(*(x[:1, :1] for x in (self.q, self.k, self.v)), self.bias).double()
            expected = composed(*head, self.bias.double())
        error = ((got - expected).norm() / expected.norm()).item()
        assert error <= (1e-6 if self.q.dtype == torch.float32 else 4e-3), error
        return error


def cpu_seconds(run, least=0.03):
    """Seconds a call, over as many calls as fill `least` seconds."""
    calls, start = 0, time.process_time()
    while True:
        run()
        calls += 1
        passed = time.process_time() - start
        if passed >= least:
            return passed / calls


def spread(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}..{max(values):.{digits}f})"


def measure(shape, dtype, threads, rounds):
    torch.set_num_threads(threads)
    case = Case(shape, dtype)
    case.check()
    table = case.candidates()
    times = {name: [] for name in table}
    for run in table.values():
        run()
    for _ in range(rounds):
        for name, run in table.items():
            times[name].append(cpu_seconds(run))
    matmul = [case.square_flop / t for t in times["matmul", ""]]
    for direction, factor in (("forward", 1), ("forward+backward", 3.5)):
        ours = times["ours", direction]
        rate = [factor * case.flop / t for t in ours]
        ratio = {other: spread([a / b for a, b in zip(times[other, direction], ours)], 2) for other in ("sdpa", "composed")}
        share = spread([r / m for r, m in zip(rate, matmul)], 2)
        b, h, n, d = shape
        print(f"| {str(dtype)[6:]} | {threads} | {b} x {h} x {n} x {d} | {direction} | {spread([1e3 * t for t in ours], 2)} "
              f"| {statistics.median(rate) / 1e9:.0f} | {ratio['sdpa']} | {ratio['composed']} | {share} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--tokens", type=int, nargs="+", default=[shape[2] for shape in SHAPES])
    options = parser.parse_args()
    torch.ops.load_library(options.library)
    chosen = {k: os.environ[k] for k in ("ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS", "ATEN_CPU_CAPABILITY", "SIMULACRA_CPU_PATH") if k in os.environ}
    print(f"torch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}, {chosen or 'no environment variables'}\n")
    print("| type | threads | batch x heads x tokens x size | direction | ours, CPU ms | GFLOP/s | SDPA / ours | composed / ours | share of matmul |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for dtype in options.dtypes:
        for threads in options.threads:
            for shape in (s for s in SHAPES if s[2] in options.tokens):
                measure(shape, getattr(torch, dtype), threads, options.rounds)


if __name__ == "__main__":
    main()
