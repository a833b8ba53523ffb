#!/usr/bin/env bash
# Locks requirements/*.in into *.txt for every platform and Python that we support, with hashes and no registry's name.
# The larger sets are constrained by the smaller ones' locks (-c), so that the levels differ only by what they add.
set -euo pipefail
cd "$(dirname "$0")/../requirements"
uv="../${VENV:-.venv}/.tools/bin/uv"
upgrade=()
case "${U:-}" in "") ;; 1) upgrade=(--upgrade) ;; *) upgrade=(--upgrade-package "$U") ;; esac
for name in bootstrap base dev bench; do
    "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
        --no-emit-find-links --custom-compile-command "make lock" "${upgrade[@]}" "$name.in" -o "$name.txt"
done
if grep -nE 'https?://|file://|^ *--(index|find|extra)' ./*.txt; then
    echo "lock: a lock names a registry" >&2
    exit 1
fi
