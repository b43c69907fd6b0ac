#!/usr/bin/env bash
# Runs a test of pages in Chromium.
#
#   run.sh install           downloads puppeteer-core, axe-core and html-validate into the user's cache (run by script/bootstrap --engines)
#   run.sh TEST.mjs PROGRAM  runs the test; PROGRAM is consentry
#   run.sh pictures PROGRAM  makes the pictures in docs/pages anew
#
# CONSENTRY_SCREENSHOTS=FOLDER keeps what the pages look like. Debian packages: chromium-headless-shell,
# nodejs; npm for `install`, pngquant and fonts-noto-cjk for `pictures`
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/../real/lib.sh"

browser=$here/../browser
[[ $# -gt 0 ]] || usage
if [[ "$1" == install ]]; then
    install_npm_modules browser "$browser"
    exit
fi
(($# == 2)) || usage
modules=$(npm_modules browser "$browser")
[[ -d "$modules" ]] || fail "puppeteer-core is missing: run script/bootstrap --engines"
use_node
CONSENTRY_PROGRAM=$(realpath -e "$2")  # the tests start it in folders of their own
CONSENTRY_CHROMIUM=$(chromium_program)
export CONSENTRY_PROGRAM CONSENTRY_NODE_MODULES=$modules CONSENTRY_CHROMIUM
if [[ "$1" != pictures ]]; then
    exec node "$1"
fi

command -v pngquant >/dev/null || fail "pngquant is missing: install Debian's package of this name"
CONSENTRY_SCREENSHOTS=$(mktemp -d)
export CONSENTRY_SCREENSHOTS
trap 'rm -rf "$CONSENTRY_SCREENSHOTS"' EXIT
fc-list :lang=ja | grep -q . || fail "no font has Japanese letters: install Debian's package fonts-noto-cjk"
# All tests that look at a page keep a picture of it.
look() { node --test-name-pattern="$2" "$browser/$1_test.mjs"; }
look pages 'every page is accessible|the second factor'
look newcomer 'sign-up to|a forced set-up'
look recovery 'new backup codes'
look forms 'another tab|the database takes nothing'
look account_pages 'every page is accessible|few backup codes|what has changed'
look provider_login 'the buttons are accessible'
look forward_auth 'behind nginx$|stays at the page between'
folder=$here/../../docs/pages
# Each page once, and a few as a phone in the dark shows them.
cp "$CONSENTRY_SCREENSHOTS"/*-light-1280.png "$folder"
for page in account sessions two-factor-confirm login; do
    cp "$CONSENTRY_SCREENSHOTS/$page-dark-320.png" "$folder"
done
pngquant --force --ext .png 16 "$folder"/*.png
