#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes mitsuba_values.txt: values of Mitsuba 3's scattering models for mitsuba_values_test.cpp.

    pip install mitsuba && python3 make_mitsuba_values.py > mitsuba_values.txt

Rows: eval MATERIAL wo(3) wi(3) value(3) pdf
      delta MATERIAL wo(3) u_lobe wi(3) weight(3) pdf eta
Directions are local; names are those of examples.h.
"""
import math
import random

import mitsuba as mi

mi.set_variant("scalar_rgb")


def rgb(r, g, b):
    return {"type": "rgb", "value": [r, g, b]}


GOLD = {"eta": rgb(0.143, 0.3753, 1.442), "k": rgb(3.983, 2.3856, 1.6034)}
RED = rgb(0.5, 0.1, 0.1)
SMOOTH = {
    "conductor_smooth": {"type": "conductor", **GOLD, "specular_reflectance": rgb(0.9, 0.8, 0.7)},
    "dielectric_smooth": {"type": "dielectric"},
    "dielectric_tinted": {"type": "dielectric", "int_ior": 1.33, "ext_ior": 1.0,
                          "specular_reflectance": rgb(0.9, 0.5, 0.3), "specular_transmittance": rgb(0.4, 0.6, 0.8)},
    "thin_dielectric": {"type": "thindielectric", "specular_transmittance": rgb(0.7, 0.8, 0.9)},
    "plastic_smooth": {"type": "plastic", "diffuse_reflectance": rgb(0.1, 0.4, 0.15)},
    "plastic_nonlinear": {"type": "plastic", "diffuse_reflectance": RED, "nonlinear": True, "int_ior": 1.9},
}
ROUGH = {
    "diffuse": {"type": "diffuse", "reflectance": rgb(0.2, 0.5, 0.7)},
    "conductor_ggx": {"type": "roughconductor", **GOLD, "distribution": "ggx", "alpha": 0.25},
    "conductor_beckmann": {"type": "roughconductor", **GOLD, "distribution": "beckmann", "alpha": 0.1},
    "conductor_anisotropic": {"type": "roughconductor", **GOLD, "distribution": "ggx", "alpha_u": 0.1, "alpha_v": 0.4},
    "conductor_anisotropic_beckmann": {"type": "roughconductor", **GOLD, "distribution": "beckmann",
                                       "alpha_u": 0.4, "alpha_v": 0.15},
    "mirror_rough": {"type": "roughconductor", "distribution": "ggx", "alpha": 0.5},
    "dielectric_ggx": {"type": "roughdielectric", "distribution": "ggx", "alpha": 0.3},
    "dielectric_beckmann": {"type": "roughdielectric", "distribution": "beckmann", "alpha": 0.2, "int_ior": 1.33,
                            "specular_reflectance": rgb(0.9, 0.5, 0.3),
                            "specular_transmittance": rgb(0.4, 0.6, 0.8)},
    "plastic_beckmann": {"type": "roughplastic", "diffuse_reflectance": rgb(0.1, 0.4, 0.15), "alpha": 0.15},
    "plastic_ggx": {"type": "roughplastic", "distribution": "ggx", "diffuse_reflectance": RED, "alpha": 0.3,
                    "nonlinear": True, "int_ior": 1.7, "specular_reflectance": rgb(0.9, 0.8, 0.7)},
    "plastic_smooth": SMOOTH["plastic_smooth"],
    "plastic_nonlinear": SMOOTH["plastic_nonlinear"],
}
BOTH_SIDES = ("dielectric", "thin")


def direction(theta, phi):
    return [math.sin(theta) * math.cos(phi), math.sin(theta) * math.sin(phi), math.cos(theta)]


def numbers(*groups):
    return " ".join("%.8g" % float(x) for g in groups for x in (g if hasattr(g, "__len__") else [g]))


def interaction(wo):
    si = mi.SurfaceInteraction3f()
    si.n = [0, 0, 1]
    si.sh_frame = mi.Frame3f([0, 0, 1])
    si.wi = wo
    return si


def views(name):
    thetas = [0.05, 0.6, 1.1, 1.5]
    if name.startswith(BOTH_SIDES):
        thetas += [math.pi - t for t in thetas]
    return [direction(t, 0.4 + t) for t in thetas]


def main():
    rng = random.Random(1)
    context = mi.BSDFContext()
    for name, description in ROUGH.items():
        bsdf = mi.load_dict(description)
        for wo in views(name):
            si = interaction(wo)
            for i in range(16):
                # Half of them where the lobe is, half anywhere.
                wi = direction(math.acos(rng.uniform(-1 if name.startswith(BOTH_SIDES) else 0.02, 1)),
                               rng.uniform(0, 2 * math.pi))
                if i % 2:
                    wi = list(bsdf.sample(context, si, rng.random(), [rng.random(), rng.random()])[0].wo)
                    if abs(sum(x * x for x in wi) - 1) > 1e-4:
                        continue
                value, pdf = bsdf.eval(context, si, wi), bsdf.pdf(context, si, wi)
                print("eval", name, numbers(wo, wi, list(value), pdf))
    for name, description in SMOOTH.items():
        bsdf = mi.load_dict(description)
        for wo in views(name):
            for u in (0.002, 0.05, 0.3, 0.9, 0.999):
                s, weight = bsdf.sample(context, interaction(wo), u, [0.3, 0.6])
                if not mi.has_flag(s.sampled_type, mi.BSDFFlags.Delta) and \
                        not mi.has_flag(s.sampled_type, mi.BSDFFlags.Null):
                    continue
                print("delta", name, numbers(wo, u, list(s.wo), list(weight), s.pdf, s.eta))


if __name__ == "__main__":
    main()
