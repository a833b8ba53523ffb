#!/usr/bin/env bash
# Locks requirements/*.in into *.txt for every platform and Python that we support, with hashes and no registry's name.
set -euo pipefail
cd "$(dirname "$0")/../requirements"
uv="../${VENV:-.venv}/.tools/bin/uv"
upgrade=()
case "${U:-}" in "") ;; 1) upgrade=(--upgrade) ;; *) upgrade=(--upgrade-package "$U") ;; esac
# The larger sets are locked under the smaller ones' choices, so that the levels differ by what they add alone.
constraint=()
for name in bootstrap base dev bench; do
    "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
        --no-emit-find-links --custom-compile-command "make lock" "${upgrade[@]}" "${constraint[@]}" \
        "$name.in" -o "$name.txt"
    if [ "$name" = base ] || [ "$name" = dev ]; then
        # Only the pins: a lock's hashes are no part of a constraint.
        grep -E '^[a-z0-9]' "$name.txt" | sed 's/ *\\$//' >"/tmp/evalplatform-$name-$$.txt"
        constraint=(--constraint "/tmp/evalplatform-$name-$$.txt")
    fi
done
rm -f /tmp/evalplatform-*-$$.txt
if grep -nE 'https?://|file://|--(index|find|extra)' ./*.txt; then
    echo "lock: a lock names a registry" >&2
    exit 1
fi
