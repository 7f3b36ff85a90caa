# Shared by tools/demo and tools/test: installs what is missing, configures and builds. Sourced, not run.
# Nothing outside the checkout is touched, but by the package manager.

# What the program is built from; tools/cmake/dependencies.cmake says what each is for.
BUILD_PACKAGES=(g++ cmake ninja-build ccache pkg-config libfmt-dev libyaml-cpp-dev libtbb-dev nlohmann-json3-dev
  libpugixml-dev libcli11-dev libembree-dev libopenimageio-dev libopenexr-dev libhdf5-dev libdeflate-dev
  libcpp-httplib-dev libgtest-dev libgmock-dev)
# The furniture of generated rooms.
DATA_PACKAGES=(sweethome3d-furniture)
# What the tests read data sets with, as users would.
TEST_PACKAGES=(python3 python3-venv python3-numpy python3-h5py)
# The browser that the inspector's page is tested in. Some distributions have it as a snap only.
BROWSER_PACKAGES=(chromium chromium-driver)
# Lets several processes train one model.
LEARN_PACKAGES=(libopenmpi-dev openmpi-bin)

step() { printf '== %s\n' "$*"; }
# The work failed (1), or the request was wrong (2).
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }
refuse() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "packages are missing and this is neither root nor is there sudo; as root, run: apt-get install $MISSING"
  fi
}

# ensure_packages NAME...: installs those that are not there.
ensure_packages() {
  local missing=() p
  command -v dpkg-query >/dev/null || die "this is no Debian or Ubuntu; install what tools/cmake/dependencies.cmake lists, then run: cmake --preset release && cmake --build --preset release"
  for p in "$@"; do
    dpkg-query -W -f '${Status}\n' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  if [ ${#missing[@]} = 0 ]; then step "packages: all ${#} are installed"; return; fi
  MISSING="${missing[*]}"
  step "packages: installing ${missing[*]}"
  as_root apt-get update -qq || die "apt-get update failed; check the package sources and the network, then run this again"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get could not install: ${missing[*]}; the lines above say why"
}

# ensure_torch auto|yes|no: LibTorch in build/venv; sets SIMULACRA_TORCH to ON or OFF.
TORCH_WHEEL=torch==2.13.0
ensure_torch() {
  local python=build/venv/bin/python plan
  SIMULACRA_TORCH=ON
  if [ "$1" = no ]; then SIMULACRA_TORCH=OFF; return; fi
  $python -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)' && return
  if [ "$1" = auto ]; then
    plan=$($python -m pip install -q --dry-run --report - "$TORCH_WHEEL" 2>/dev/null) || plan=
    case "$plan" in
      "") step "learning half: left out, since pip finds no $TORCH_WHEEL for this Python"; SIMULACRA_TORCH=OFF; return;;
      *'"name": "nvidia-'*) step "learning half: left out, since pip offers $TORCH_WHEEL for CUDA only, several GB (--torch takes it)"
        SIMULACRA_TORCH=OFF; return;;
    esac
  fi
  step "python: $TORCH_WHEEL into build/venv (about 1 GB)"
  $python -m pip install -q "$TORCH_WHEEL" || die "pip could not install $TORCH_WHEEL; check the network, or leave the learning half out with --no-torch"
}

jobs() { nproc 2>/dev/null || echo 2; }

# build PRESET TARGET... [-- CMAKE_ARGUMENT...]
build() {
  local preset=$1 targets=() args=()
  shift
  while [ $# -gt 0 ]; do
    if [ "$1" = -- ]; then shift; args=("$@"); break; fi
    targets+=("$1"); shift
  done
  step "configure ($preset)"
  cmake --preset "$preset" "${args[@]}" >"$ROOT/build/configure-$preset.log" 2>&1 ||
    { tail -20 "$ROOT/build/configure-$preset.log" >&2; die "cmake could not configure; the lines above say why (all of it: build/configure-$preset.log)"; }
  step "build ($preset): ${targets[*]}, $(jobs) jobs"
  cmake --build --preset "$preset" -j "$(jobs)" --target "${targets[@]}" >"$ROOT/build/build-$preset.log" 2>&1 ||
    { grep -E 'error|FAILED|undefined' "$ROOT/build/build-$preset.log" | head -30 >&2; die "the build failed; the lines above say where (all of it: build/build-$preset.log)"; }
}
