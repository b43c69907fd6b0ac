#!/usr/bin/env bash
# Builds and tests the TypeScript client.
#
#   run.sh install             downloads its npm packages into the user's cache (run by script/bootstrap --engines)
#   run.sh build FOLDER        compiles it there
#   run.sh pack FOLDER         puts the archive there that npm installs
#   run.sh generate PROGRAM    writes clients/typescript/src/generated; PROGRAM is consentry
#   run.sh TEST.mjs PROGRAM FOLDER   runs the test with the client that was built in FOLDER
#
# Debian packages: chromium-headless-shell, nodejs; npm for `install` and for the test of the package
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/../real/lib.sh"

root=$(cd "$here/../.." && pwd -P)
package=$root/clients/typescript
modules=$(npm_modules client "$package")

need() {
    [[ -d "$modules" ]] || fail "the npm packages of the client are missing: run script/bootstrap --engines"
    use_node
}

# Copies the package, so that nothing is written to the source tree.
copy() {
    rm -rf "$1"
    mkdir -p "$1"
    cp -r "$package/." "$1"
    rm -rf "$1/node_modules" "$1/dist"
    ln -s "$modules/node_modules" "$1/node_modules"
}

build() {
    need
    copy "$1"
    (cd "$1" && node_modules/.bin/tsc --project tsconfig.json)
}

pack() {
    local target
    target=$(realpath "$1")
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    build "$scratch/package"
    (cd "$scratch/package" && npm pack --silent --ignore-scripts --pack-destination "$target")
}

# Where the harness of the tests of pages finds its packages, and Chromium.
harness() {
    CONSENTRY_NODE_MODULES=$(npm_modules browser "$here/../browser")
    [[ -d "$CONSENTRY_NODE_MODULES" ]] || fail "puppeteer-core is missing: run script/bootstrap --engines"
    CONSENTRY_CHROMIUM=$(chromium_program)
    CONSENTRY_PROGRAM=$(realpath -e "$1")  # the tests start it in folders of their own
    CONSENTRY_CLIENT=$(realpath -e "$2")
    export CONSENTRY_NODE_MODULES CONSENTRY_CHROMIUM CONSENTRY_PROGRAM CONSENTRY_CLIENT
}

generate() {
    need
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    copy "$scratch"
    harness "$1" "$scratch"
    node "$here/../client/generate.mjs" "$package/src/generated"
}

run_test() {
    need
    harness "$2" "$3"
    exec node "$1"
}

case "${1:-}:$#" in
    install:1) install_npm_modules client "$package" ;;
    build:2) build "$2" ;;
    pack:2) pack "$2" ;;
    generate:2) generate "$2" ;;
    *.mjs:3) run_test "$@" ;;
    *) usage ;;
esac
