#!/usr/bin/env bash
# The benchmark uses none of the settings in the folder from which people start it, and leaves no files there.
#
#   bench/working_folder_test.sh PROGRAM    PROGRAM: consentry_bench_run
set -euo pipefail

program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The service does not start with this setting.
echo DATABASE_TIMEOUT=soon >"$folder/.env"
cd "$folder"
status=0
"$program" --quick surface >"$folder/report" || status=$?
failed=0
fail() {
    echo "bench/working_folder_test.sh: $*" >&2
    failed=1
}
# 3: missed a floor, as builds without optimization do.
((status == 0 || status == 3)) || fail "the benchmark ended with $status"
grep -q '^- bare endpoint: ' report || fail "nothing was measured: $(cat report)"
left=$(find . -mindepth 1 ! -name .env ! -name report)
[[ -z "$left" ]] || fail "the benchmark left files in the working folder: $left"
exit "$failed"
