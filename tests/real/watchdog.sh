#!/usr/bin/env bash
# Ends the servers below a folder, and removes it, once nobody needs them: when the folder has been removed, or another one
# that knows of them, or the process that owns them has ended, or two hours are over. A run of the tests that was aborted
# leaves nothing behind.
#
#   watchdog.sh FOLDER [PID [FOLDER]]
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
(($# >= 1)) || usage
folder=$1 owner=${2:-} known_in=${3:-$1}

while [[ -d "$folder" && -d "$known_in" ]] && { [[ -z "$owner" ]] || runs "$owner"; } && ((SECONDS < 7200)); do sleep 1; done

end_servers "$folder"
rm -rf "$folder"
