#!/usr/bin/env bash
# A goal that cannot be measured, because the system allows too few open files, is missed. The other goals still run.
#
#   bench/open_files_test.sh PROGRAM    PROGRAM: consentry_bench_run
set -euo pipefail

program=$(realpath "$1")
report=$(mktemp)
trap 'rm -f "$report"' EXIT

ulimit -n 1000
status=0
"$program" --quick 10 web-4 >"$report" || status=$?
failed=0
fail() {
    echo "bench/open_files_test.sh: $*" >&2
    failed=1
}
((status == 3)) || fail "the benchmark ended with $status"
for goal in 10 web-4; do
    grep -q "^| $goal, SQLite | .*this system allows 1000 open files.* | \*\*no\*\* |$" "$report" ||
        fail "goal $goal is not missed: $(cat "$report")"
done
exit "$failed"
