#!/usr/bin/env bash
# Makes or updates .venv from the hash-locked requirements: scripts/make_env.sh base|dev|bench
#
# Levels contain one another (base < dev < bench). An environment that already holds the wanted level of the
# present lock is left alone, so this costs milliseconds when there is nothing to do, and `make demo` never
# takes the test tools away from somebody who has them.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted="${1:-dev}"
venv="${VENV:-.venv}"
stamp="$venv/.lock-stamp"
say() { printf 'env: %s\n' "$*"; }
die() { printf 'env: %s\n' "$*" >&2; exit 1; }

rank() { case "$1" in base) echo 1 ;; dev) echo 2 ;; bench) echo 3 ;; *) echo 0 ;; esac; }
[ "$(rank "$wanted")" -gt 0 ] || die "unknown level '$wanted' (base, dev or bench)"

lock_sum() { cat requirements/bootstrap.txt "requirements/$1.txt" | cksum; }

have=none
[ -f "$stamp" ] && have="$(head -n 1 "$stamp")"
level="$wanted"
[ "$(rank "$have")" -gt "$(rank "$wanted")" ] && level="$have"
if [ -f "$stamp" ] && [ -x "$venv/bin/python" ] && [ "$(cat "$stamp")" = "$level
$(lock_sum "$level")" ]; then
    exit 0
fi

good_python() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
if [ -z "${PYTHON:-}" ]; then
    for candidate in python3 python3.13 python3.12 python3.11 python3.14 python; do
        if good_python "$candidate"; then PYTHON="$candidate"; break; fi
    done
fi
[ -n "${PYTHON:-}" ] && good_python "$PYTHON" || die "needs Python 3.11 or newer (set PYTHON=/path/to/python3.11)"

# pip_with runs a pip that installs into the new environment; a Debian Python without python3-venv has no ensurepip,
# but often a pip of the system's that can install into another interpreter's environment.
pip_with() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

make_venv() {
    "$PYTHON" -m venv --clear "$venv" >/dev/null 2>&1 && return 0
    if "$PYTHON" -m pip --version >/dev/null 2>&1 && "$PYTHON" -m venv --clear --without-pip "$venv" >/dev/null 2>&1; then
        pip_with() { "$PYTHON" -m pip --disable-pip-version-check --python "$venv/bin/python" "$@"; }
        return 0
    fi
    return 1
}

if ! good_python "$venv/bin/python"; then
    rm -rf "$venv"
    say "making $venv with $("$PYTHON" --version 2>&1)"
    if ! make_venv; then
        package="$("$PYTHON" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"
        if [ "$(id -u)" = 0 ] && [ "${EVALPLATFORM_NO_APT:-0}" != 1 ] && command -v apt-get >/dev/null; then
            say "this Python has no venv module: installing Debian's $package (EVALPLATFORM_NO_APT=1 prevents it)"
            log="$(mktemp)"
            if ! { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
                "$package"; } >"$log" 2>&1 </dev/null; then
                tail -n 5 "$log" >&2
                die "apt-get could not install $package"
            fi
            rm -f "$log"
            make_venv || die "'$PYTHON -m venv $venv' still fails; run it by hand to see why"
        else
            rm -rf "$venv"
            die "this Python cannot make environments; run: sudo apt-get install $package"
        fi
    fi
fi
rm -f "$stamp"

# pip reads its index and certificates from its own configuration, uv does not: hand them on.
pip_settings="$(pip_with config list 2>/dev/null || true)"
pip_setting() { sed -n "s/^\(global\|install\)\.$1='\(.*\)'\$/\2/p" <<<"$pip_settings" | tail -n 1; }
if [ -z "${UV_DEFAULT_INDEX:-}${UV_INDEX_URL:-}" ]; then
    index="${PIP_INDEX_URL:-$(pip_setting index-url)}"
    if [ -n "$index" ]; then export UV_DEFAULT_INDEX="$index"; fi
fi
if [ -z "${SSL_CERT_FILE:-}" ]; then
    certificates="${PIP_CERT:-$(pip_setting cert)}"
    if [ -z "$certificates" ] && [ -s /etc/ssl/certs/ca-certificates.crt ]; then
        certificates=/etc/ssl/certs/ca-certificates.crt
    fi
    if [ -n "$certificates" ]; then export SSL_CERT_FILE="$certificates"; fi
fi
if [ -z "${UV_INSECURE_HOST:-}" ]; then
    trusted="${PIP_TRUSTED_HOST:-$(pip_setting trusted-host)}"
    if [ -n "$trusted" ]; then export UV_INSECURE_HOST="$trusted"; fi
fi
export UV_HTTP_TIMEOUT="${UV_HTTP_TIMEOUT:-180}" UV_NO_PROGRESS=1 PIP_DEFAULT_TIMEOUT="${PIP_DEFAULT_TIMEOUT:-180}"

# The installer's own files stay outside site-packages, which the sync empties of everything that is not locked.
tools="$venv/.tools"
install_uv() {
    "$tools/bin/uv" --version 2>/dev/null | grep -qF " $(sed -n 's/^uv==\([^ ]*\).*/\1/p' requirements/bootstrap.txt) " && return 0
    rm -rf "$tools"
    pip_with install --quiet --require-hashes --no-deps --only-binary :all: --target "$tools" -r requirements/bootstrap.txt
}

say "installing the $level requirements (the first time downloads 200 to 500 MB)"
if install_uv; then
    VIRTUAL_ENV="$PWD/$venv" "$tools/bin/uv" pip sync --quiet --require-hashes "requirements/$level.txt"
else
    say "uv has no build for this machine: using pip, which takes some minutes"
    pip_with install --quiet --require-hashes --no-deps -r "requirements/$level.txt"
fi
printf '%s\n%s\n' "$level" "$(lock_sum "$level")" >"$stamp"
say "ready: $venv ($("$venv/bin/python" --version), $level)"
