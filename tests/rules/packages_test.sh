#!/usr/bin/env bash
# script/test --packages tries the packages on the Debian that has built them, and without the portable archive if this
# system cannot make it. Tries it in a small project whose tools only write down what they are called with.
set -euo pipefail

scripts=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../script")
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
failed=0
fail() {
    echo "tests/rules/packages_test.sh: $*" >&2
    failed=1
}

cd "$project"
mkdir -p script tests/packages bin packaging/debian
cp "$scripts/test" "$scripts/portable" script
echo 'project(consentry VERSION 1.2.3 LANGUAGES CXX)' >CMakeLists.txt

tool() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}
for name in script/package tests/packages/{run,container,portable}.sh; do
    # shellcheck disable=SC2016
    tool "$name" 'words=("${0##*/}" "$@") && echo "${words[*]}" >>called'
done
tool script/bootstrap 'exit 9' # where script/portable begins its work
tool bin/dpkg 'echo amd64'
# shellcheck disable=SC2016
tool bin/getconf 'echo "glibc $GLIBC"'
export PATH="$project/bin:$PATH"

# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
# With this C library, expects this exit code.
expect_calls() {
    rm -f called
    local status=0
    GLIBC=$1 "$project/script/test" --packages >output 2>&1 || status=$?
    ((status == $2)) || fail "with glibc $1, it ends with $status: $(<output)"
    local package=build/packages/consentry_1.2.3_amd64.deb expected
    printf -v expected '%s\n' package 'package --check' "run.sh $package $release" "container.sh $package"
    [[ "$(<called)" == "${expected%$'\n'}" ]] || fail "with glibc $1, it calls: $(<called)"
}
expect_calls 2.36 9
expect_calls 2.41 0
grep -q 'without the portable archive' output || fail "it does not say what it leaves out: $(<output)"
GLIBC=2.41 script/portable >output 2>&1 && fail "script/portable makes an archive that needs glibc 2.41"
exit "$failed"
