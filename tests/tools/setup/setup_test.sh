#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The set-up scripts as a user sees them, with the system's package manager and cmake replaced by small stand-ins.
set -uo pipefail
SOURCE=$(cd "$(dirname "$0")/../../.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
failures=0

# check NAME EXPECTED_EXIT PATTERN: the last command's exit code, and an extended regular expression in its output.
check() {
  if [ "$code" = "$2" ] && grep -qE "$3" <<<"$output"; then echo "ok: $1"
  else echo "FAILED: $1: exit $code (expected $2), output: $output"; failures=$((failures + 1)); fi
}
run() { output=$("$@" 2>&1); code=$?; }

# stand_in NAME SCRIPT: a command of that name that comes before the system's.
stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$WORK/bin/$1"; chmod +x "$WORK/bin/$1"; }
# in_setup COMMAND...: a function of setup.sh, in a checkout of its own.
in_setup() { PATH="$WORK/bin:/usr/bin:/bin" bash -euo pipefail -c 'ROOT=$1; cd "$ROOT"; . "$2"; shift 2; "$@"' demo "$WORK/checkout" "$SOURCE/tools/lib/setup.sh" "$@"; }
mkdir -p "$WORK/bin" "$WORK/checkout/build"

for script in demo test; do
  run "$SOURCE/tools/$script" --help
  check "$script --help names the script and its options" 0 "tools/$script .*--build-only"
  run "$SOURCE/tools/$script" --bild-only
  check "$script refuses an unknown option and lists the known" 2 "'--bild-only'.*--build-only"
  [ "$(wc -l <<<"$output")" = 1 ] || { echo "FAILED: $script answers with more than one line"; failures=$((failures + 1)); }
done

stand_in dpkg-query 'echo "install ok installed"'
stand_in apt-get 'echo "apt-get $*" >>"'"$WORK"'/apt.log"'
run in_setup ensure_packages one two
check "nothing is installed when all is there" 0 'all 2 are installed'
[ ! -e "$WORK/apt.log" ] || { echo "FAILED: apt-get was called"; failures=$((failures + 1)); }

stand_in dpkg-query '[ "${@: -1}" = two ] || echo "install ok installed"'
stand_in id 'echo 0'
run in_setup ensure_packages one two three
check "root installs what is missing" 0 'installing two'
grep -q 'install .*two' "$WORK/apt.log" && ! grep -qE 'install .*(one|three)' "$WORK/apt.log" ||
  { echo "FAILED: apt-get got $(cat "$WORK/apt.log")"; failures=$((failures + 1)); }

stand_in id 'echo 1000'
stand_in sudo 'echo "sudo $*" >>"'"$WORK"'/sudo.log"'
run in_setup ensure_packages two
check "another user installs through sudo" 0 'installing two'
grep -q 'apt-get install .*two' "$WORK/sudo.log" || { echo "FAILED: sudo was not asked"; failures=$((failures + 1)); }
rm "$WORK/bin/sudo"
if ! PATH=/usr/bin:/bin command -v sudo >/dev/null; then
  run in_setup ensure_packages two
  check "without root and sudo it says what to run" 1 'as root, run: apt-get install two'
fi

stand_in id 'echo 0'
stand_in apt-get '[ "$1" = update ]'
run in_setup ensure_packages two
check "a failed installation is named" 1 'apt-get could not install: two'
stand_in apt-get 'exit 100'
run in_setup ensure_packages two
check "a failed update says what to check" 1 'apt-get update failed; check'

stand_in cmake 'echo "CMake Error: no such thing"; exit 1'
run in_setup build release simulacra
check "a failed configuration shows why and where the rest is" 1 'no such thing'
check "and names its log" 1 'build/configure-release.log'
stand_in cmake 'case "$1" in --preset) ;; *) echo "x.cpp:1: error: broken"; exit 1;; esac'
run in_setup build release simulacra
check "a failed build shows the errors and names its log" 1 'x.cpp:1: error: broken'
check "a failed build is said in a sentence" 1 'the build failed.*build/build-release.log'
stand_in cmake 'echo "$*" >>"'"$WORK"'/cmake.log"'
run in_setup build asan all -- -DSIMULACRA_WERROR=ON
check "a build says its steps" 0 'build \(asan\): all'
grep -q -- '--preset asan -DSIMULACRA_WERROR=ON' "$WORK/cmake.log" || { echo "FAILED: cmake got $(cat "$WORK/cmake.log")"; failures=$((failures + 1)); }

exit $((failures > 0))
