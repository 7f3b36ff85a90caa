# SPDX-License-Identifier: Apache-2.0
"""Rebuilds in PyTorch a model that Simulacra trained, from its safetensors file alone.

    import simulacra_models
    model = simulacra_models.load("model.safetensors")      # a torch.nn.Module in eval mode
    out = model(image)                                      # (batch, channels, height, width) -> {"depth": ..., ...}

It needs torch and nothing else. What the predictions are stands in learning/nn/model.h: depth and shading are logarithms,
normals unit vectors, semantics logits (logit c - 1 is class c), albedo linear.
"""
import json
import math
import struct

import torch
import torch.nn.functional as F
from torch import nn

__all__ = ["load", "read_tensors", "Model", "VisionTransformer"]

_TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
          "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool}


def read_tensors(path):
    """The tensors of a safetensors file by name, and its metadata."""
    with open(path, "rb") as f:
        data = f.read()
    if len(data) < 8 or struct.unpack("<Q", data[:8])[0] > len(data) - 8:
        raise ValueError(f"{path}: truncated, or no safetensors file")
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        if start + end > len(data):
            raise ValueError(f"{path}: tensor '{name}' is truncated")
        values = torch.frombuffer(bytearray(data[start + begin:start + end]), dtype=_TYPES[entry["dtype"]]) if end > begin else \
            torch.empty(0, dtype=_TYPES[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"])
    return tensors, metadata


def load(path):
    """The model of a file that `simulacra train` or save_model() wrote, ready to predict."""
    tensors, metadata = read_tensors(path)
    if "simulacra.model" not in metadata:
        raise ValueError(f"{path}: its metadata has no 'simulacra.model'; it was not written by simulacra")
    model = Model(json.loads(metadata["simulacra.model"]))
    model.load_state_dict(tensors)
    return model.eval()


def _places(height, width):
    row = torch.arange(height, dtype=torch.float64).repeat_interleave(width)
    return row, torch.arange(width, dtype=torch.float64).repeat(height)


def _frequencies(count, base):
    return torch.exp(torch.arange(count, dtype=torch.float64) * (-math.log(base) / count))


def _sincos(height, width, dim, like):
    row, column = _places(height, width)
    f = _frequencies(dim // 4, 10000)
    x, y = torch.outer(column, f), torch.outer(row, f)
    return torch.cat([x.sin(), x.cos(), y.sin(), y.cos()], 1).to(like)


def _rope(height, width, head_dim, base, like):
    row, column = _places(height, width)
    f = _frequencies(head_dim // 4, base)
    y, x = torch.outer(row, f), torch.outer(column, f)
    angle = torch.cat([y, y, x, x], 1)
    return angle.cos().to(like), angle.sin().to(like)


def _rotated(x, rotation):
    if rotation is None:
        return x
    cosine, sine = rotation
    prefix = x.shape[2] - cosine.shape[0]
    patches = x[:, :, prefix:]
    a, b, c, d = patches.chunk(4, -1)
    return torch.cat([x[:, :, :prefix], patches * cosine + torch.cat([-b, a, -d, c], -1) * sine], 2)


class Attention(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.o, dim = o, o["dim"]
        self.heads, self.head_dim = o["heads"], dim // o["heads"]
        self.qkv, self.proj = nn.Linear(dim, 3 * dim, bias=o["qkv_bias"]), nn.Linear(dim, dim)
        self.q_norm = nn.LayerNorm(self.head_dim, eps=o["norm_eps"]) if o["qk_norm"] else nn.Identity()
        self.k_norm = nn.LayerNorm(self.head_dim, eps=o["norm_eps"]) if o["qk_norm"] else nn.Identity()
        self.bias = None
        if o["attention"] == "sigmoid" and o["sigmoid_bias"] == "learnable":
            self.bias = nn.Parameter(torch.zeros(self.heads))

    def forward(self, x, rotation):
        batch, tokens, dim = x.shape
        q, k, v = self.qkv(x).view(batch, tokens, 3, self.heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k = _rotated(self.q_norm(q), rotation), _rotated(self.k_norm(k), rotation)
        if self.o["attention"] == "softmax":
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            if self.bias is not None:
                b = self.bias[:, None, None]
            else:
                b = self.o["sigmoid_bias_value"] if self.o["sigmoid_bias"] == "fixed" else -math.log(tokens)
            y = torch.sigmoid(q @ k.transpose(-1, -2) / math.sqrt(self.head_dim) + b) @ v
        return self.proj(y.transpose(1, 2).reshape(batch, tokens, dim))


class _Gain(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.gamma


class Block(nn.Module):
    def __init__(self, o):
        super().__init__()
        dim, hidden = o["dim"], int(o["dim"] * o["mlp_ratio"] + 0.5)
        norm = lambda: nn.LayerNorm(dim, eps=o["norm_eps"])
        self.norm1, self.norm2, self.attn = norm(), norm(), Attention(o)
        self.mlp = nn.ModuleDict({"fc1": nn.Linear(dim, hidden), "fc2": nn.Linear(hidden, dim)})
        self.out_norm1, self.out_norm2 = (norm(), norm()) if o["hybrid_norm"] else (nn.Identity(), nn.Identity())
        self.ls1, self.ls2 = (_Gain(dim), _Gain(dim)) if o["layer_scale"] > 0 else (nn.Identity(), nn.Identity())

    def forward(self, x, rotation):
        x = x + self.ls1(self.out_norm1(self.attn(self.norm1(x), rotation)))
        return x + self.ls2(self.out_norm2(self.mlp["fc2"](F.gelu(self.mlp["fc1"](self.norm2(x))))))


def _normalized(image, pixels):
    if pixels == "as_given":
        return image
    if pixels == "centered":
        return 2 * image - 1
    mean, deviation = (image.new_tensor(v).view(1, 3, 1, 1) for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    return (image - mean) / deviation


class VisionTransformer(nn.Module):
    """`o` is the entry "vit" of a file's options."""

    def __init__(self, o):
        super().__init__()
        self.o, dim, grid = o, o["dim"], o["image_size"] // o["patch_size"]
        self.first = 1 if o["class_token"] and o["registers"] == 0 and o["position"] == "learnable" else 0
        self.prefix = int(o["class_token"]) + o["registers"]
        if o["class_token"]:
            self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        if o["registers"] > 0:
            self.reg_token = nn.Parameter(torch.zeros(1, o["registers"], dim))
        if o["position"] == "learnable":
            self.pos_embed = nn.Parameter(torch.zeros(1, grid * grid + self.first, dim))
        self.patch_embed = nn.ModuleDict({"proj": nn.Conv2d(o["channels"], dim, o["patch_size"], o["patch_size"])})
        self.blocks = nn.ModuleList(Block(o) for _ in range(o["depth"]))
        self.norm = nn.LayerNorm(dim, eps=o["norm_eps"])

    def _positions(self, height, width):
        grid = self.o["image_size"] // self.o["patch_size"]
        if (height, width) == (grid, grid):
            return self.pos_embed
        grid_map = self.pos_embed[:, self.first:].reshape(1, grid, grid, -1).permute(0, 3, 1, 2)
        scaled = F.interpolate(grid_map, size=(height, width), mode="bicubic", align_corners=False)
        return torch.cat([self.pos_embed[:, :self.first], scaled.permute(0, 2, 3, 1).flatten(1, 2)], 1)

    def _embedded(self, image):
        x = self.patch_embed["proj"](_normalized(image, self.o.get("pixels", "as_given")))
        height, width = x.shape[2:]
        x = x.flatten(2).transpose(1, 2)
        class_token = self.cls_token if self.o["class_token"] else None
        if self.o["position"] == "sincos":
            x = x + _sincos(height, width, self.o["dim"], x)
        elif self.o["position"] == "learnable":
            places = self._positions(height, width)
            x = x + places[:, self.first:]
            if self.first:
                class_token = class_token + places[:, :1]
        prefix = [t.expand(len(x), -1, -1) for t in (class_token, getattr(self, "reg_token", None)) if t is not None]
        return torch.cat(prefix + [x], 1), height, width

    def features(self, image, layers):
        """All tokens behind the last norm, and a map of the patches behind each of `layers`."""
        x, height, width = self._embedded(image)
        rotation = None
        if self.o["position"] == "rope2d":
            rotation = _rope(height, width, self.o["dim"] // self.o["heads"], self.o["rope_base"], x)
        maps = []
        for i, block in enumerate(self.blocks):
            x = block(x, rotation)
            if i in layers:
                maps.append(self.norm(x)[:, self.prefix:].transpose(1, 2).reshape(len(x), -1, height, width))
        return self.norm(x), maps

    def forward(self, image):
        return self.features(image, [])[0]

    def pooled(self, tokens):
        return tokens[:, 0] if self.o["class_token"] else tokens[:, self.prefix:].mean(1)


class Decoder(nn.Module):
    def __init__(self, dim, width, levels):
        super().__init__()
        widths = [width if i < 2 else width >> (i - 1) for i in range(levels)]
        self.project = nn.ModuleList(nn.Conv2d(dim, w, 1) for w in widths)
        self.first = nn.ModuleList(nn.Conv2d(w, w, 3, padding=1) for w in widths)
        self.second = nn.ModuleList(nn.Conv2d(w, w, 3, padding=1) for w in widths)
        self.narrow = nn.ModuleList(nn.Conv2d(a, b, 1) for a, b in zip(widths, widths[1:]))
        self.out_width = widths[-1]

    def forward(self, maps):
        x = None
        for i, feature in enumerate(reversed(maps)):
            skip = self.project[i](feature)
            if x is None:
                x = skip
            else:
                x = self.narrow[i - 1](x)
                size = (2 * x.shape[2], 2 * x.shape[3])
                x = F.interpolate(x, size=size, mode="bilinear") + F.interpolate(skip, size=size, mode="bilinear")
            x = x + self.second[i](F.gelu(self.first[i](F.gelu(x))))
        return F.gelu(x)


class Model(nn.Module):
    """`options` as they stand in a file's metadata."""

    def __init__(self, options):
        super().__init__()
        self.options = o = options
        self.vit = VisionTransformer(o["vit"])
        depth = o["vit"]["depth"]
        count = min(4, depth)
        self.layers = [int(l) for l in o["layers"] or []] or [depth * i // count - 1 for i in range(1, count + 1)]
        self.tasks = o["tasks"] or []
        if self.tasks:
            self.decoder = Decoder(o["vit"]["dim"], o["decoder_width"], len(self.layers))
            channels = {"depth": 1, "normals": 3, "semantics": o["semantic_classes"], "albedo": 3, "shading": 3}
            self.heads = nn.ModuleDict({t: nn.Conv2d(self.decoder.out_width, channels[t], 1) for t in self.tasks})
        if o["image_classes"] > 0:
            self.head = nn.Linear(o["vit"]["dim"], o["image_classes"])

    def forward(self, image):
        tokens, maps = self.vit.features(image, self.layers if self.tasks else [])
        out = {}
        if self.tasks:
            coarse = self.decoder(maps)
            for task in self.tasks:
                x = F.interpolate(self.heads[task](coarse), size=image.shape[2:], mode="bilinear")
                out[task] = F.normalize(x, dim=1, eps=1e-6) if task == "normals" else torch.sigmoid(x) if task == "albedo" else x
        if self.options["image_classes"] > 0:
            out["classes"] = self.head(self.vit.pooled(tokens))
        return out
