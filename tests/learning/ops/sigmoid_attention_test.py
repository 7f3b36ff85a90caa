# SPDX-License-Identifier: Apache-2.0
"""The operator as Python sees it: sigmoid_attention_test.py libsimulacra_ops.so"""
import math
import sys
import unittest

import torch

op = None


def composed(q, k, v, bias, slopes=None, key_len=None, scale=None, causal=False, left=-1, right=-1):
    """The same in torch operations."""
    group, m, n = q.shape[1] // k.shape[1], q.shape[2], k.shape[2]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    s = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    offset = torch.arange(m)[:, None] + n - m - torch.arange(n)[None, :]
    s = s + (bias if bias.dim() == 0 else bias.view(-1, 1, 1))
    if slopes is not None:
        s = s - slopes.view(-1, 1, 1).to(q.dtype) * offset.abs()
    visible = torch.ones(q.shape[0], 1, m, n, dtype=torch.bool)
    if causal:
        visible &= offset >= 0
    if left >= 0:
        visible &= offset <= left
    if right >= 0:
        visible &= -offset <= right
    if key_len is not None:
        visible &= torch.arange(n) < key_len.view(-1, 1, 1, 1)
    return torch.where(visible, torch.sigmoid(s), torch.zeros_like(s)) @ v


def inputs(dtype=torch.float64, heads=4, kv_heads=2, m=5, n=7, d=6, dv=3):
    torch.manual_seed(3)
    make = lambda *shape: torch.randn(*shape, dtype=torch.float64).to(dtype).requires_grad_()
    return make(2, heads, m, d), make(2, kv_heads, n, d), make(2, kv_heads, n, dv), make(heads)


MASKS = [
    dict(),
    dict(causal=True),
    dict(window_left=2, window_right=1),
    dict(causal=True, window_left=3),
    dict(key_len=torch.tensor([7, 3])),
    dict(slopes=torch.tensor([0.5, 0.25, 0.125, 0.0625], dtype=torch.float64), scale=0.3),
]


class SigmoidAttention(unittest.TestCase):
    def test_agrees_with_torch_operations(self):
        for mask in MASKS:
            theirs = {{"window_left": "left", "window_right": "right"}.get(k, k): x for k, x in mask.items()}
            for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 2e-6)):
                q, k, v, b = inputs(dtype)
                got, expected = op(q, k, v, b, **mask), composed(q, k, v, b, **theirs).to(dtype)
                g = torch.randn_like(got)
                for name, x, y in zip("oqkvb", (got, *torch.autograd.grad(got, (q, k, v, b), g)),
                                      (expected, *torch.autograd.grad(expected, (q, k, v, b), g))):
                    self.assertLessEqual((x - y).abs().max().item(), tolerance * max(1, y.abs().max().item()), (mask, dtype, name))

    def test_gradients_by_finite_differences(self):
        for mask in MASKS:
            mask = dict(mask)
            slopes = mask.pop("slopes", None)
            if slopes is None:
                self.assertTrue(torch.autograd.gradcheck(lambda *x: op(*x, **mask), inputs()))
            else:
                f = lambda q, k, v, b, s: op(q, k, v, b, s, **mask)
                self.assertTrue(torch.autograd.gradcheck(f, (*inputs(), slopes.clone().requires_grad_())))
        q, k, v, _ = inputs()
        self.assertTrue(torch.autograd.gradcheck(op, (q, k, v, torch.tensor(-1.0, dtype=torch.float64, requires_grad=True))))

    def test_second_derivative_is_refused(self):
        q, k, v, b = inputs()
        g, = torch.autograd.grad(op(q, k, v, b).square().sum(), q, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "no second derivative"):
            g.sum().backward()

    def test_meta_gives_shapes_and_strides(self):
        q, k, v, b = (x.to("meta") for x in inputs())
        self.assertEqual(op(q, k, v, b).shape, (2, 4, 5, 3))
        inside = op(q.transpose(1, 2).contiguous().transpose(1, 2), k, v, b)
        self.assertEqual(inside.stride(), (60, 3, 12, 1))
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode() as mode:
            q, k, v, b = (mode.from_tensor(x) for x in inputs())
            o = op(q, k, v, b, causal=True)
            o.sum().backward()
            self.assertEqual((o.shape, q.grad.shape, b.grad.shape), ((2, 4, 5, 3), q.shape, b.shape))

    def test_registration(self):
        q, k, v, b = inputs()
        torch.library.opcheck(op, (q, k, v, b), dict(causal=True, scale=0.5), test_utils=("test_schema", "test_autograd_registration", "test_faketensor"))

    def test_autocast(self):
        q, k, v, b = inputs(torch.float32)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            o = op(q, k, v, b)
        self.assertEqual(o.dtype, torch.bfloat16)
        self.assertTrue(torch.equal(o, op(q.bfloat16(), k.bfloat16(), v.bfloat16(), b)))
        o.float().sum().backward()
        self.assertEqual((q.grad.dtype, b.grad.dtype), (torch.float32, torch.float32))

    def test_half_types(self):
        # bfloat16 keeps 8 bits (half an ulp 2^-9), float16 11, of inputs, P and o.
        for dtype, tolerance in ((torch.bfloat16, 4e-3), (torch.float16, 6e-4)):
            q, k, v, b = inputs(dtype, m=33, n=70, d=16, dv=16)
            with torch.no_grad():
                got, expected = op(q, k, v, b).double(), composed(*(x.double() for x in (q, k, v, b)))
            self.assertLessEqual(((got - expected).norm() / expected.norm()).item(), tolerance)

    def test_errors_are_one_line(self):
        q, k, v, b = inputs()
        with self.assertRaisesRegex(RuntimeError, r"k is \[2, 2, 7, 5\], expected") as caught:
            op(q, k[..., :5], v, b)
        self.assertEqual(len(str(caught.exception).splitlines()[0]), len(str(caught.exception).splitlines()[0].strip()))
        with self.assertRaisesRegex(RuntimeError, "expected a scalar or"):
            op(q.to("meta"), k.to("meta"), v.to("meta"), b[:3].to("meta"))


if __name__ == "__main__":
    torch.ops.load_library(sys.argv.pop(1))
    op = torch.ops.simulacra.sigmoid_attention
    unittest.main()
