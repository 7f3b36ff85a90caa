# SPDX-License-Identifier: Apache-2.0
"""The Python side of weights_test.cpp. Exits with 77 where a package is absent, and says which.

    models_check.py timm FOLDER            writes NAME.safetensors, a random timm ViT, and NAME.io.safetensors: image, tokens, logits
    models_check.py transformers FOLDER    the same by Hugging Face transformers
    models_check.py safetensors FILE OUT   reads FILE with the package and writes it again
    models_check.py rebuild FOLDER         for each NAME.safetensors simulacra_models gives the outputs of NAME.io for its image
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools/python"))


def absent(package, error):
    print(f"skipped: {package} cannot be imported ({str(error).splitlines()[0]})")
    sys.exit(77)


try:
    import torch
except ImportError as e:
    absent("torch", e)


def package(name):
    """Imports it. timm asks torchvision for image transforms; of PyPI's torchvision, built for CUDA, a torch for CPUs lacks the
    operators, two of which are described while it is imported."""
    try:
        lib = torch.library.Library("torchvision", "FRAGMENT")
        lib.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        lib.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        package.keep = lib
    except RuntimeError:
        pass                                          # they are there
    try:
        return __import__(name, fromlist=["x"])
    except Exception as e:                            # noqa: BLE001
        absent(name, e)


def shaken(model):
    """Every parameter is drawn, so that no bias is 0 and no gain 1."""
    torch.manual_seed(7)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p) * 0.1)
    return model.eval()


def write(folder, name, model, image, tokens, logits):
    save = package("safetensors.torch").save_file
    save({k: v.contiguous() for k, v in model.state_dict().items()}, f"{folder}/{name}.safetensors")
    save({"image": image, "tokens": tokens.contiguous(), "logits": logits.contiguous()}, f"{folder}/{name}.io.safetensors")


SIZES = dict(img_size=32, patch_size=8, embed_dim=48, depth=2, num_heads=3, num_classes=10)


def timm_models(folder):
    package("safetensors.torch")
    vit = package("timm.models.vision_transformer").VisionTransformer
    variants = {"plain": {}, "scaled": dict(qk_norm=True, init_values=0.1), "mean": dict(class_token=False, global_pool="avg", fc_norm=False),
                "registers": dict(reg_tokens=3, no_embed_class=True)}
    torch.manual_seed(1)
    for name, extra in variants.items():
        model = shaken(vit(**SIZES, **extra))
        image = torch.randn(2, 3, 32, 32)
        with torch.no_grad():
            write(folder, name, model, image, model.forward_features(image), model(image))


def transformers_models(folder):
    package("safetensors.torch")
    t = package("transformers")
    config = t.ViTConfig(hidden_size=48, num_hidden_layers=2, num_attention_heads=3, intermediate_size=192, image_size=32,
                         patch_size=8, num_labels=10, layer_norm_eps=1e-6)
    torch.manual_seed(1)
    model = shaken(t.ViTForImageClassification(config))
    with torch.no_grad():
        for name, size in (("square", (32, 32)), ("wide", (24, 56))):
            image = torch.randn(2, 3, *size)
            out = model(image, interpolate_pos_encoding=True)
            tokens = model.vit(image, interpolate_pos_encoding=True).last_hidden_state
            write(folder, name, model, image, tokens, out.logits)
    model.save_pretrained(f"{folder}/saved")          # under the names of its files


def rewrite(file, out):
    st = package("safetensors")
    with st.safe_open(file, "pt") as f:
        tensors, metadata = {k: f.get_tensor(k) for k in f.keys()}, f.metadata()
    package("safetensors.torch").save_file(tensors, out, metadata=metadata)


def rebuild(folder):
    import simulacra_models
    files = sorted(pathlib.Path(folder).glob("*.safetensors"))
    print(f"{len(files)} models")
    failed = False
    for file in files:
        model = simulacra_models.load(file)
        io, _ = simulacra_models.read_tensors(file.with_suffix(".io"))
        with torch.no_grad():
            out = model(io.pop("image"))
        failed |= set(out) != set(io)
        for name, expected in io.items():
            error = float((out[name] - expected).abs().max() / expected.abs().max())
            print(f"{file.stem}: {name} {tuple(expected.shape)} {error:.1e}")
            failed |= not error <= 1e-5
    sys.exit("outputs differ" if failed else 0)


{"timm": timm_models, "transformers": transformers_models, "safetensors": rewrite, "rebuild": rebuild}[sys.argv[1]](*sys.argv[2:])
