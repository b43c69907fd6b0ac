#!/usr/bin/env bash
# What operators do with the container image: build it from the Debian package, start it, log in. Without namespaces, so
# that it works inside a container; the network is that of the machine.
#
#   tests/packages/container.sh PACKAGE     a consentry_*.deb; needs root. MIRROR is that of Debian
set -euo pipefail
package=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[[ $(id -u) == 0 ]] || { echo "tests/packages: run this as root" >&2; exit 1; }

# What the image has more than Debian, in MB. Measured: 24.
limit=27

work=$(mktemp -d)
export BUILDAH_ISOLATION=chroot
service=
buildah() { command buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }
finish() {
    if [[ -n "$service" ]]; then pkill --signal KILL --exact consentry --pgroup "$service" 2>/dev/null || true; fi
    buildah rm --all >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT
step() { echo "--- $*"; }
fail() {
    [[ -s "$work/log" ]] && tail -n 30 "$work/log" >&2
    echo "tests/packages: $*" >&2
    exit 1
}
megabytes_in() { echo $(($(du --summarize --one-file-system --block-size=1K "$1" | cut -f1) / 1024)); }

step "the image of the package"
BUILDAH_STORE=$work/store script/image "$package" "$work/image.tar" >"$work/log" 2>&1 || fail "the image cannot be built"
container=$(buildah from localhost/consentry)
root=$(buildah mount "$container")
debian=$(buildah mount "$(buildah from localhost/debian)")
size=$(($(megabytes_in "$root") - $(megabytes_in "$debian")))
echo "$size MB beside Debian; the archive has $(($(stat -c %s "$work/image.tar") / 1048576)) MB"
((size <= limit)) || fail "the limit is $limit MB: find what has been added, or raise it"
[[ $(buildah inspect --format '{{.OCIv1.Config.User}}' "$container") == consentry:consentry ]] || fail "it runs as root"
[[ $(buildah inspect --type image --format '{{.Docker.Config.Healthcheck}}' localhost/consentry) == *'consentry health'* ]] ||
    fail "it has no health check"
tar --extract --to-stdout --file "$work/image.tar" index.json |
    jq --exit-status '.manifests | length == 1 and (.[0].mediaType | startswith("application/vnd.oci.image.manifest"))' >/dev/null ||
    fail "the archive is not in the OCI format"

step "start with a read-only root file system, as the account of the image"
settings=(APP_ENV=staging PUBLIC_URL=https://login.example.org HTTP_PORT=38417)
while read -r line; do settings+=("$line"); done < <(buildah run "$container" -- consentry keys generate)
# The program with the settings in the root file system of the image, which is read-only. Only the volume and /tmp can be
# written to, as with `podman run --read-only`.
mkdir "$work/volume"
cp -a "$root/var/lib/consentry/." "$work/volume"
chown --reference="$root/var/lib/consentry" "$work/volume"
chmod --reference="$root/var/lib/consentry" "$work/volume"
# shellcheck disable=SC2016  # the inner shell expands
read_only() {
    unshare --mount bash -euc '
        root=$1 volume=$2
        shift 2
        mount --bind "$root" "$root"
        mount --bind "$volume" "$root/var/lib/consentry"
        mount -t tmpfs tmpfs "$root/tmp"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount -o remount,bind,ro "$root"
        exec chroot "$root" setpriv --reuid consentry --regid consentry --init-groups --no-new-privs --bounding-set=-all \
            env -i -C /var/lib/consentry PATH=/usr/bin:/bin "$@"' read_only "$root" "$work/volume" "${settings[@]}" HTTP_HOST=0.0.0.0 "$@"
}
[[ $(read_only touch /etc/written 2>&1) == *'Read-only file system' ]] || fail "the root file system can be written to"
set -m
read_only consentry serve >"$work/log" 2>&1 &
service=$!
set +m
for ((i = 0; i < 300; ++i)); do
    read_only consentry health >/dev/null 2>&1 && break
    kill -0 "$service" 2>/dev/null || fail "the service ended"
    sleep 0.1
done
read_only consentry health >"$work/health" 2>&1 || fail "the service is not healthy: $(<"$work/health")"
echo Velvet-Harbor-42 | read_only consentry user create --email ada@example.org --role superAdmin >/dev/null
curl --silent http://localhost:38417/api/user/login/credential -H 'Content-Type: application/json' \
    -d '{"email":"ada@example.org","password":"Velvet-Harbor-42","from":"website"}' | grep -q '"accessToken"' || fail "no login"
[[ -s "$work/volume/consentry.db" ]] || fail "the data is not in the volume"

step "SIGTERM ends it"
pkill --signal TERM --exact consentry --pgroup "$service" || fail "the service has ended"
wait "$service" || fail "it ends with an error"
service=
echo "all is well"
