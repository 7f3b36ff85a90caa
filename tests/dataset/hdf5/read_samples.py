#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs write_samples and reads its files with h5py: types, chunks, filters, values, nothing else inside."""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

TYPES = ["float16", "float32", "float64", "uint8", "int16", "int32", "int64"]

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], folder], check=True)
    expected = ((7 * np.arange(217 * 333 * 3) + 3) % 120).reshape(217, 333, 3)
    for name in TYPES:
        for storage in ("chunked", "plain"):
            with h5py.File(os.path.join(folder, f"{name}.{storage}.hdf5"), "r") as f:
                assert list(f.keys()) == ["dataset"] and not f.attrs, list(f.keys())
                d = f["dataset"]
                assert d.dtype == np.dtype(name), (name, d.dtype)
                assert not d.attrs
                if storage == "chunked":
                    assert d.chunks == (96, 128, 1), d.chunks
                    assert d.compression == "gzip" and d.shuffle, (d.compression, d.shuffle)
                else:
                    assert d.chunks is None and d.compression is None
                assert np.array_equal(d[:], expected.astype(name)), name
    with h5py.File(os.path.join(folder, "attributes.hdf5"), "r") as f:
        attributes = dict(f["dataset"].attrs)
        text = attributes["unit"]
        assert (text.decode() if isinstance(text, bytes) else text) == "m", text
        assert attributes["scale"] == 0.25 and attributes["rows"] == 12, attributes
print(f"h5py {h5py.__version__} (HDF5 {h5py.version.hdf5_version}) reads all of them")
