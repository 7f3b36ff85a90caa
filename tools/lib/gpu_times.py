#!/usr/bin/env python3
"""Times sigmoid attention on a GPU and prints a table; started by tools/gpu_check.

    gpu_times.py BENCH_PROGRAM [--fast]

A pass of m queries, n keys and d channels counts 4 m n d operations forward and 10 m n d backward, half of that when causal. (The
backward kernels do 14 m n d: that of dQ computes the scores again, and so the sums need no atomic additions.)
"""
import json
import subprocess
import sys

# element, batch, heads, length, width, causal: a vision transformer, then growing lengths.
CASES = [
    ("bfloat16", 256, 12, 197, 64, 0),
    ("bfloat16", 8, 12, 1024, 64, 0),
    ("bfloat16", 1, 32, 4096, 128, 1),
    ("float16", 256, 12, 197, 64, 0),
    ("bfloat16", 64, 12, 256, 64, 0),
    ("bfloat16", 8, 12, 1024, 64, 1),
    ("bfloat16", 8, 12, 1024, 32, 0),
    ("bfloat16", 2, 16, 4096, 64, 0),
    ("bfloat16", 1, 32, 4096, 128, 0),
    ("bfloat16", 1, 32, 8192, 128, 1),
    ("float16", 1, 32, 4096, 128, 1),
    ("float32", 2, 12, 1024, 64, 0),
]
# Operations of a multiprocessor in one clock with float sums, by compute capability: tensor cores, and plain units.
TENSOR = {(8, 0): 2048, (8, 6): 512, (8, 7): 1024, (8, 9): 512, (9, 0): 4096, (10, 0): 8192, (12, 0): 512}
PLAIN = {(8, 0): 128}


def operations(case, forward):
    _, batch, heads, n, d, causal = case
    return batch * heads * n * n * d * (4 if forward else 10) / (2 if causal else 1)


def peak(case, device):
    capability = tuple(device["capability"])
    per_clock = PLAIN.get(capability, 256) if case[0] == "float32" else TENSOR.get(capability)
    return per_clock * device["multiprocessors"] * device["clock_hz"] if per_clock else None


def sdpa_seconds(case):
    """(forward, backward) of PyTorch's softmax attention, or None without a PyTorch for CUDA."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    element, batch, heads, n, d, causal = case
    q, k, v, grad = (torch.randn(batch, heads, n, d, device="cuda", dtype=getattr(torch, element)) for _ in range(4))
    for t in (q, k, v):
        t.requires_grad_()
    call = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))

    def median(work):
        work()
        times = []
        for _ in range(20):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(5):
                work()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) / 5e3)
        return sorted(times)[len(times) // 2]

    with torch.no_grad():
        forward = median(call)
    o = call()
    return forward, median(lambda: torch.autograd.grad(o, (q, k, v), grad, retain_graph=True))


def row(case, device):
    element, batch, heads, n, d, causal = case
    sdpa = sdpa_seconds(case)
    cells = [f"{element:9} B{batch:<4} H{heads:<3} n{n:<5} d{d:<4}{'causal' if causal else '':7}"]
    for index, name in enumerate(("forward_s", "backward_s")):
        seconds, done = device[name], operations(case, index == 0)
        top = peak(case, device)
        share = f"{done / seconds / top:6.1%}" if top else "     –"
        beside = f"{sdpa[index] / seconds:7.2f}x" if sdpa else "       –"
        cells.append(f"{seconds * 1e6:10.1f} {done / seconds / 1e12:8.1f} {share} {beside}")
    return "  ".join(cells)


def main():
    program, fast = sys.argv[1], "--fast" in sys.argv[2:]
    for number, case in enumerate(CASES[:3] if fast else CASES):
        done = subprocess.run([program, *map(str, case)], capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stderr, file=sys.stderr)
            return 1
        device = json.loads(done.stdout)
        if number == 0:
            print(f"{device['device']}, {device['multiprocessors']} multiprocessors, at most {device['clock_hz'] / 1e9:.2f} GHz")
            print("us, TFLOP/s, share of the peak at that clock, times as fast as PyTorch's scaled_dot_product_attention")
            print(f"{'':42}{'forward':^36}{'backward':^36}")
        print(row(case, device), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
