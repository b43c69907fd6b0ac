#!/usr/bin/env bash
# Ends the servers below a folder and removes the folder once nobody needs them: when this folder or the second one has
# been removed, when the process that owns the servers has ended, or after two hours. An aborted test run thus leaves
# nothing behind.
#
#   watchdog.sh FOLDER [PID [FOLDER]]
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"
(($# >= 1)) || usage
folder=$1 owner=${2:-} known_in=${3:-$1}

while [[ -d "$folder" && -d "$known_in" ]] && { [[ -z "$owner" ]] || runs "$owner"; } && ((SECONDS < 7200)); do pause 1; done

end_servers "$folder"
rm -rf "$folder"
