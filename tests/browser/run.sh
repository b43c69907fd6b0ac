#!/usr/bin/env bash
# Runs a test of pages in Chromium.
#
#   run.sh install           downloads puppeteer-core, axe-core and html-validate into the user's cache (run by script/bootstrap --engines)
#   run.sh TEST.mjs PROGRAM  runs the test; PROGRAM is consentry
#
# CONSENTRY_SCREENSHOTS=FOLDER keeps what the pages look like. Debian packages: chromium, nodejs; npm for `install`
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/../real/lib.sh"

browser=$here/../browser
[[ $# -gt 0 ]] || usage
if [[ "$1" == install ]]; then
    install_npm_modules browser "$browser"
    exit
fi
(($# == 2)) || usage
modules=$(npm_modules browser "$browser")
[[ -d "$modules" ]] || fail "puppeteer-core is missing: run script/bootstrap --engines"
for program in node chromium; do
    command -v $program >/dev/null || fail "$program is missing: run script/bootstrap --engines"
done
export CONSENTRY_PROGRAM=$2 CONSENTRY_NODE_MODULES=$modules CONSENTRY_CHROMIUM
CONSENTRY_CHROMIUM=$(command -v chromium)
exec node "$1"
