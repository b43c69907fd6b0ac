#!/usr/bin/env bash
# What operators do with the Debian package, in a fresh Debian that has nothing else: install, init, first login,
# upgrade from a former version with data, purge. systemd does not run there, so the service is started by hand, as the
# unit would.
#
#   tests/packages/run.sh PACKAGE     a consentry_*.deb; needs root, for chroot
set -euo pipefail
package=$(realpath "$1")
release=${2:-bookworm}
[[ $(id -u) == 0 ]] || { echo "tests/packages: run this as root" >&2; exit 1; }

work=$(mktemp -d)
root=$work/root
service=
finish() {
    # The service is a child of the shell that runs `inside`, and keeps /proc busy until it has ended.
    if [[ -n "$service" ]]; then
        pkill --signal KILL --parent "$service" 2>/dev/null || true
        wait "$service" 2>/dev/null || true
    fi
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap finish EXIT

step() { echo "--- $*"; }
fail() {
    echo "tests/packages: $*" >&2
    exit 1
}
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
mode_of() { inside stat -c '%a %U:%G' "$1"; }
install_package() { inside apt-get install -y --no-install-recommends "/$(basename "$1")"; }

start_service() {
    inside setpriv --reuid consentry --regid consentry --init-groups env -C /var/lib/consentry /usr/bin/consentry serve \
        2>"$work/service.log" &
    service=$!
    for ((i = 0; i < 100; ++i)); do
        inside consentry health 2>/dev/null && return
        kill -0 "$service" 2>/dev/null || break
        sleep 0.1
    done
    cat "$work/service.log" >&2
    fail "the service does not start"
}
stop_service() {
    pkill --signal TERM --parent "$service" 2>/dev/null || kill "$service"
    wait "$service" || true
    service=
}
log_in() {
    inside curl -s http://localhost:3000/api/user/login/credential -H 'Content-Type: application/json' \
        -d '{"email":"ada@example.org","password":"Velvet-Harbor-42","from":"website"}'
}

step "a fresh $release"
mmdebstrap --variant=minbase --include=ca-certificates,curl "$release" "$root" ${MIRROR:+"$MIRROR"} >"$work/mmdebstrap.log" 2>&1 || {
    cat "$work/mmdebstrap.log" >&2
    fail "mmdebstrap failed"
}
mount -t proc proc "$root/proc"
# This machine's way to the mirror is that of the new system, whose lists of packages were removed.
cp /etc/resolv.conf "$root/etc/"
cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
inside apt-get update >"$work/update.log" 2>&1 || { cat "$work/update.log" >&2; fail "apt cannot update"; }
cp "$package" "$root/"
SECONDS=0

step "install"
install_package "$package" >"$work/install.log" 2>&1 || { cat "$work/install.log" >&2; fail "apt cannot install the package"; }
grep -q 'Next: consentry init' "$work/install.log" || fail "the installation does not say what comes next"
[[ $(mode_of /etc/consentry/consentry.env) == "640 root:consentry" ]] || fail "modes of the settings: $(mode_of /etc/consentry/consentry.env)"
[[ $(mode_of /var/lib/consentry) == "700 consentry:consentry" ]] || fail "modes of the data: $(mode_of /var/lib/consentry)"
inside consentry serve 2>"$work/unset.log" && fail "the service starts without keys"
grep -q AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY "$work/unset.log" || fail "the service does not say what is missing"

step "init"
inside consentry init --yes --public-url https://login.example.org 2>"$work/init.log" || { cat "$work/init.log" >&2; fail "init failed"; }
[[ $(mode_of /etc/consentry/consentry.env) == "640 root:consentry" ]] || fail "init changes the modes of the settings"
inside consentry init --yes --public-url https://other.example.org 2>/dev/null && fail "init replaces settings"
inside consentry migrate 2>/dev/null
[[ $(mode_of /var/lib/consentry/consentry.db) == "600 consentry:consentry" ]] || fail "root's command leaves root's files"

step "first login"
inside sh -c 'echo Velvet-Harbor-42 | consentry user create --email ada@example.org --role superAdmin' >/dev/null
start_service
log_in | grep -q '"accessToken"' || fail "no login: $(log_in)"
echo "installed, configured and logged in after $SECONDS s"
inside consentry doctor | grep -q '^ok' || fail "doctor finds nothing well"
find "$root/var/lib/consentry" ! -user "$(inside id -u consentry)" | grep . && fail "files that the service does not own"

step "backup and upgrade from the former version, with data"
inside consentry backup /srv/backup >/dev/null 2>&1
stop_service
former=$work/former
dpkg-deb -R "$package" "$former"
sed -i 's/^Version: .*/Version: 0.0.9/' "$former/DEBIAN/control"
dpkg-deb --root-owner-group -b "$former" "$root/former.deb" >/dev/null
before=$(sha256sum <"$root/etc/consentry/consentry.env")
inside dpkg --install --force-downgrade --force-confold /former.deb >/dev/null 2>&1
install_package "$package" >"$work/upgrade.log" 2>&1 || { cat "$work/upgrade.log" >&2; fail "the upgrade failed"; }
# shellcheck disable=SC2016  # dpkg-query expands ${Version}
[[ $(inside dpkg-query -W -f '${Version}' consentry) != 0.0.9 ]] || fail "nothing was upgraded"
[[ $(sha256sum <"$root/etc/consentry/consentry.env") == "$before" ]] || fail "the upgrade changed the settings"
start_service
log_in | grep -q '"accessToken"' || fail "no login after the upgrade"
stop_service

step "an upgrade that was interrupted is completed"
inside dpkg --unpack "/$(basename "$package")" >/dev/null 2>&1
inside dpkg --configure --pending >/dev/null 2>&1
start_service
log_in | grep -q '"accessToken"' || fail "no login after an interrupted upgrade"
stop_service

step "the wrong owner of the data is told"
chown root:root "$root/var/lib/consentry"
inside setpriv --reuid consentry --regid consentry --init-groups env -C / /usr/bin/consentry serve 2>"$work/owner.log" && fail "it starts"
grep -q /var/lib/consentry "$work/owner.log" || fail "the folder is not named: $(cat "$work/owner.log")"
chown "$(inside id -u consentry):$(inside id -g consentry)" "$root/var/lib/consentry"

step "remove and purge"
inside apt-get remove -y consentry >/dev/null 2>&1
[[ -e "$root/etc/consentry/consentry.env" ]] || fail "removing deletes the settings"
inside apt-get purge -y consentry >"$work/purge.log" 2>&1
[[ ! -e "$root/etc/consentry/consentry.env" ]] || fail "purging leaves the settings"
[[ -e "$root/var/lib/consentry/consentry.db" ]] || fail "purging deletes accounts"
grep -q 'stays in /var/lib/consentry' "$work/purge.log" || fail "purging does not say what stays"
find "$root/usr" "$root/lib" "$root/etc" -name '*consentry*' | grep . && fail "files are left"
echo "all is well"
