#!/usr/bin/env bash
# Whether a release of the program is fully hardened (OPS-5), and small: cmake/Hardening.cmake. A development build has
# only a part of it, which tests/process/hardening_test.cpp checks.
#
#   tests/packages/hardening.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
size_max=$((25 << 20))

fail() {
    echo "tests/packages: $program $*" >&2
    exit 1
}
has() { grep -qE -- "$1" <<<"$2"; }

header=$(readelf --file-header --wide "$program")
segments=$(readelf --segments --wide "$program")
dynamic=$(readelf --dynamic --wide "$program")
imported=$(readelf --dyn-syms --wide "$program")

has 'Type: +DYN ' "$header" || fail "is not position independent"
has '\(FLAGS_1\) .*\bPIE\b' "$dynamic" || fail "is a library, not a position-independent program"
has ' GNU_RELRO ' "$segments" || fail "leaves its relocations writable"
has '\(FLAGS\) .*\bBIND_NOW\b' "$dynamic" || fail "resolves addresses late, in writable memory"
has '\(FLAGS_1\) .*\bNOW\b' "$dynamic" || fail "resolves addresses late, in writable memory"
has '\(TEXTREL\)|\bTEXTREL\b' "$dynamic" && fail "writes to its code when it starts"
has ' GNU_STACK .* RW +(0x)?[0-9]' "$segments" || fail "has an executable stack"
has ' LOAD .* RWE ' "$segments" && fail "has writable code"
has ' __stack_chk_fail\b' "$imported" || fail "has no stack protector"
has ' __[a-z0-9_]+_chk\b' "$imported" || fail "calls no fortified function of the C library"
(($(stat --format=%s "$program") <= size_max)) || fail "is larger than $size_max bytes"
