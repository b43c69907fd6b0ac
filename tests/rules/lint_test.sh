#!/usr/bin/env bash
# script/lint checks the files that it is given, and says so if it cannot. Tries it in a small project whose tools only
# write down what they are called with.
set -euo pipefail

script=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../script/lint")
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
failed=0
fail() {
    echo "tests/rules/lint_test.sh: $*" >&2
    failed=1
}

cd "$project"
mkdir -p script bench tests/fuzz src/base "$project/bin"
cp "$script" script/lint
touch src/base/one.cpp src/base/two.cpp src/base/one.hpp src/base/forgotten.cpp tests/fuzz/query.cpp

tool() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}
tool script/bootstrap ''
tool bin/clang-format-19 ''
tool bin/shellcheck ''
tool bin/clang-tidy-19 ''
# shellcheck disable=SC2016
tool bin/run-clang-tidy-19 'printf "%s\n" "${@:9}" >checked'
# shellcheck disable=SC2016
tool bin/cmake 'files=(src/base/one.cpp src/base/two.cpp)
[[ " $* " == *" -DCONSENTRY_FUZZ=ON "* ]] && files+=(tests/fuzz/query.cpp)
mkdir -p build/lint
printf "%s\n" "${files[@]/#/$PWD/}" | jq --raw-input "{file: .}" | jq --slurp . >build/lint/compile_commands.json'
export PATH="$project/bin:$PATH"

# The arguments of script/lint, from the current folder.
expect_checked() {
    local expected=$1
    shift
    rm -f "$project/checked"
    "$project/script/lint" "$@" >"$project/output" 2>&1 || fail "'$*' fails: $(<"$project/output")"
    [[ "$(cat "$project/checked" 2>/dev/null)" == "$expected" ]] ||
        fail "'$*' in $PWD checks $(cat "$project/checked" 2>/dev/null || echo nothing)"
}
expect_refused() {
    "$project/script/lint" "$@" >"$project/output" 2>&1 && fail "'$*' is not refused: $(<"$project/output")"
    grep -qF -- "$1" "$project/output" || fail "the refusal of '$*' does not name it: $(<"$project/output")"
}

one='/src/base/one\.cpp$'
expect_checked "$one" src/base/one.cpp
expect_checked "$one" ./src/base/one.cpp
expect_checked "$one" src/../src/base/one.cpp
expect_checked "$one" "$project/src/base/one.cpp"
expect_checked "$one" src/base/one.cpp "$project/src/base/one.cpp"
expect_checked '/tests/fuzz/query\.cpp$' tests/fuzz/query.cpp
cd src
expect_checked "$one" base/one.cpp
cd ..
expect_refused src/base/none.cpp
expect_refused src/base/one.hpp
expect_refused src/base/forgotten.cpp
expect_refused src/base/none.cpp src/base/one.cpp
script/lint --everything >output 2>&1 && fail "takes an option that does not exist: $(<output)"

# What changed since the main branch, also in a clone without a remote.
git init --quiet --initial-branch=main
git config user.name test
git config user.email test@example.org
git add src/base/two.cpp
git commit --quiet --message=first
git switch --quiet --create work
git add src/base/one.cpp
git commit --quiet --message=second
rm src/base/forgotten.cpp tests/fuzz/query.cpp
expect_checked "$one"
git update-ref refs/remotes/origin/main work
rm -f checked
script/lint >output 2>&1 || fail "without changes: $(<output)"
[[ ! -f checked ]] || fail "checks $(<checked), which has not changed since origin/main"
exit "$failed"
