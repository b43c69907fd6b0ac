#!/usr/bin/env bash
# What operators do with the Debian package, in a fresh Debian that has nothing else: install, init, first login,
# upgrade from a former version with data, upgrades that fail, removal, purge. systemd does not run there, so the service
# is started by hand, as the unit would, and a stand-in notes what the package asks of systemctl.
#
#   tests/packages/run.sh PACKAGE [RELEASE]     a consentry_*.deb, beside its consentry-dbgsym_*.deb; RELEASE is the
#                                               Debian that has built it, default: bookworm; needs root, for chroot
set -euo pipefail
tests=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
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
    umount "$root/usr/bin" 2>/dev/null || true
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
as_service() { inside setpriv --reuid consentry --regid consentry --init-groups env -C /var/lib/consentry "$@"; }
mode_of() { inside stat -c '%a %U:%G' "$1"; }
# shellcheck disable=SC2016  # dpkg-query expands ${...}
state_of_package() { inside dpkg-query -W -f '${db:Status-Status} ${Version}' consentry; }
install_package() { inside apt-get install -y --no-install-recommends "/$(basename "$1")"; }
# quietly NAME COMMAND...: shows the output only if the command fails.
quietly() {
    local log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || { cat "$log" >&2; fail "failed: $*"; }
}

start_service() {
    as_service /usr/bin/consentry serve 2>"$work/service.log" &
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
expect_login() { log_in | grep -q '"accessToken"' || fail "no login $*: $(log_in)"; }

# What the package asks of systemd: a stand-in for systemctl, for which units are enabled as their links say, and active.
begin_systemd() {
    [[ ! -e "$root/usr/bin/systemctl" ]] || fail "a fresh system has systemctl"
    mkdir -p "$root/run/systemd/system"
    install -m 755 /dev/stdin "$root/usr/bin/systemctl" <<'TEXT'
#!/bin/sh
echo "$*" >>/var/log/systemctl
for unit; do :; done
case " $* " in
    *" is-enabled "*) ls /etc/systemd/system/*.wants/"$unit" >/dev/null 2>&1 && echo enabled || echo disabled ;;
esac
TEXT
}
end_systemd() { rm -rf "$root/run/systemd" "$root/usr/bin/systemctl"; }
# The actions on units, in order, since the last call.
asked_of_systemd() {
    sed -nE 's/^.*\b(start|stop|restart|try-restart) (consentry\..*)$/\1 \2/p' "$root/var/log/systemctl" | paste -sd ';'
    : >"$root/var/log/systemctl"
}
expect_asked() { # WHEN EXPECTED
    local asked
    asked=$(asked_of_systemd)
    [[ "$asked" == "$2" ]] || fail "$1 asks '$asked' of systemd instead of '$2'"
}

step "the packages"
control=$work/control
dpkg-deb --control "$package" "$control"
grep -qs 'stop' "$control/preinst" && fail "an upgrade stops a unit before the new version is there"
files=$work/files
dpkg-deb --extract "$package" "$files"
for file in bash-completion/completions/consentry zsh/vendor-completions/_consentry fish/vendor_completions.d/consentry.fish \
    man/man1/consentry.1.gz man/man5/consentry.env.5.gz; do
    [[ -s "$files/usr/share/$file" ]] || fail "/usr/share/$file is missing or empty"
done
for file in docs/guides/backup.md docs/deploy/nginx.conf docs/examples/policies/values.json docs/reference/errors.md \
    docs/decisions/README.md docs/pages/README.md assets/pages/login.html clients/typescript/README.md; do
    [[ -s "$files/usr/share/doc/consentry/$file" ]] || fail "$file is missing, or guides cannot link to it"
done
documents=$files/usr/share/doc/consentry
while read -r page; do
    while read -r link; do
        # The license is a link to that of base-files, which is not in the package.
        target=$(dirname "$page")/$link
        [[ -e "$target" || -L "$target" ]] || fail "${page#"$documents/"} links to $link, which is missing"
    done < <(grep -oE '\]\([^)#:[:space:]]+(#[^)[:space:]]*)?\)' "$page" | sed -E 's/^..([^)#]+).*/\1/')
done < <(find "$documents" -name '*.md')
debug_package=$(dirname "$package")/$(basename "$package" | sed 's/^consentry_/consentry-dbgsym_/')
[[ -s "$debug_package" ]] || fail "$debug_package is missing"
readelf --section-headers --wide "$files/usr/bin/consentry" | grep -E ' \.(symtab|debug_info) ' && fail "the program has debug symbols"
"$tests/hardening.sh" "$files/usr/bin/consentry"
build_id=$(readelf --notes --wide "$files/usr/bin/consentry" | sed -n 's/.*Build ID: *//p')
[[ -n "$build_id" ]] || fail "the program has no build ID"
dpkg-deb --contents "$debug_package" >"$work/debug"
grep -q "/usr/lib/debug/.build-id/${build_id:0:2}/${build_id:2}\.debug$" "$work/debug" ||
    fail "the debug symbols are of another program than $build_id"

step "a fresh $release"
quietly mmdebstrap mmdebstrap --variant=minbase --include=ca-certificates,curl "$release" "$root" ${MIRROR:+"$MIRROR"}
mount -t proc proc "$root/proc"
# This machine's way to the mirror is that of the new system, whose lists of packages were removed.
cp /etc/resolv.conf "$root/etc/"
cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
quietly update inside apt-get update
cp "$package" "$root/"
begin_systemd
SECONDS=0

step "install"
quietly install install_package "$package"
grep -q 'Next: consentry init' "$work/install.log" || fail "the installation does not say what comes next"
expect_asked "an installation without settings" ""
[[ $(mode_of /etc/consentry/consentry.env) == "640 root:consentry" ]] || fail "modes of the settings: $(mode_of /etc/consentry/consentry.env)"
[[ $(mode_of /var/lib/consentry) == "700 consentry:consentry" ]] || fail "modes of the data: $(mode_of /var/lib/consentry)"
inside consentry serve 2>"$work/unset.log" && fail "the service starts without keys"
grep -q AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY "$work/unset.log" || fail "the service does not say what is missing"

step "init"
quietly init inside consentry init --yes --public-url https://login.example.org
[[ $(mode_of /etc/consentry/consentry.env) == "640 root:consentry" ]] || fail "init changes the modes of the settings"
inside consentry init --yes --public-url https://other.example.org 2>/dev/null && fail "init replaces settings"
inside consentry migrate 2>/dev/null
[[ $(mode_of /var/lib/consentry/consentry.db) == "600 consentry:consentry" ]] || fail "root's command leaves root's files"

step "first login"
inside sh -c 'echo Velvet-Harbor-42 | consentry user create --email ada@example.org --role superAdmin' >/dev/null
start_service
expect_login "after the installation"
echo "installed, configured and logged in after $SECONDS s"
((SECONDS < 60)) || fail "installation, configuration and first login took $SECONDS s"
inside consentry doctor | grep -q '^ok' || fail "doctor finds nothing well"
find "$root/var/lib/consentry" ! -user "$(inside id -u consentry)" | grep . && fail "files that the service does not own"
# As `systemctl enable consentry.service consentry.socket` does.
mkdir -p "$root"/etc/systemd/system/{multi-user,sockets}.target.wants
ln -s /lib/systemd/system/consentry.service "$root/etc/systemd/system/multi-user.target.wants"
ln -s /lib/systemd/system/consentry.socket "$root/etc/systemd/system/sockets.target.wants"

step "backup and upgrade from the former version, with data"
inside consentry backup /srv/backup >/dev/null 2>&1
stop_service
former=$work/former
dpkg-deb -R "$package" "$former"
sed -i 's/^Version: .*/Version: 0.0.9/' "$former/DEBIAN/control"
# Another program, so that a mixture of both versions is noticed. The loader ignores what follows the last section.
echo former >>"$former/usr/bin/consentry"
dpkg-deb --root-owner-group -b "$former" "$root/former.deb" >/dev/null
new_program=$(sha256sum <"$files/usr/bin/consentry")
former_program=$(sha256sum <"$former/usr/bin/consentry")
before=$(sha256sum <"$root/etc/consentry/consentry.env")
install_former() { quietly former inside dpkg --install --force-downgrade --force-confold /former.deb; }
expect_program() { [[ $(sha256sum <"$root/usr/bin/consentry") == "$2" ]] || fail "$1 leaves another program"; }
expect_settings() { [[ $(sha256sum <"$root/etc/consentry/consentry.env") == "$before" ]] || fail "$1 changes the settings"; }
install_former
asked_of_systemd >/dev/null
quietly upgrade install_package "$package"
expect_asked "an upgrade" "restart consentry.service"
expect_program "the upgrade" "$new_program"
expect_settings "the upgrade"
start_service
expect_login "after the upgrade"

step "an upgrade whose dpkg is killed while it unpacks harms nothing and is repeated"
stop_service
install_former
start_service
mkdir "$root/killer"
half=$(($(dpkg-deb --fsys-tarfile "$package" | wc -c) / 2))
install -m 755 /dev/stdin "$root/killer/dpkg-deb" <<TEXT
#!/bin/sh
case " \$* " in
    *" --fsys-tarfile "*) /usr/bin/dpkg-deb "\$@" | head -c $half && kill -KILL \$PPID ;;
    *) exec /usr/bin/dpkg-deb "\$@" ;;
esac
TEXT
inside env PATH=/killer:/usr/sbin:/usr/bin:/sbin:/bin dpkg --install "/$(basename "$package")" >"$work/killed.log" 2>&1 && fail "dpkg survives"
[[ $(state_of_package) == half-installed* ]] || fail "dpkg was not killed in time: $(state_of_package)"
[[ -e "$root/usr/bin/consentry.dpkg-new" ]] || fail "dpkg was killed before it unpacked the program"
expect_program "the interrupted upgrade" "$former_program"
expect_settings "the interrupted upgrade"
expect_login "at the running service after an interrupted upgrade"
stop_service
start_service
expect_login "at the former version after an interrupted upgrade"
stop_service
quietly configure inside dpkg --configure --pending
quietly again install_package "$package"
[[ $(state_of_package) == installed* ]] || fail "the upgrade cannot be repeated: $(state_of_package)"
find "$root/usr" "$root/lib" "$root/etc" -name '*consentry*.dpkg-*' | grep . && fail "files of the interrupted upgrade are left"
expect_program "the repeated upgrade" "$new_program"
expect_settings "the repeated upgrade"
start_service
expect_login "after the repeated upgrade"
stop_service

step "an upgrade that was unpacked only is completed"
install_former
inside dpkg --unpack "/$(basename "$package")" >/dev/null 2>&1
quietly pending inside dpkg --configure --pending
start_service
expect_login "after an upgrade that was completed later"
stop_service

step "an upgrade on a full disk leaves the former version"
install_former
mkdir "$work/programs"
cp -a "$root/usr/bin/." "$work/programs"
# Room for everything that is there and a third of another program.
room=$(($(du --summarize --block-size=1 "$work/programs" | cut -f1) + $(stat -c %s "$files/usr/bin/consentry") / 3))
mount -t tmpfs -o "size=$room,mode=755" tmpfs "$root/usr/bin"
cp -a "$work/programs/." "$root/usr/bin"
inside dpkg --install "/$(basename "$package")" >"$work/full.log" 2>&1 && fail "there was room"
grep -q 'No space left on device' "$work/full.log" || { cat "$work/full.log" >&2; fail "the upgrade failed for another reason"; }
[[ $(state_of_package) == "installed 0.0.9" ]] || fail "after an upgrade without room, the package is $(state_of_package)"
expect_program "the upgrade without room" "$former_program"
expect_settings "the upgrade without room"
start_service
expect_login "after an upgrade without room"
stop_service
umount "$root/usr/bin"
quietly room install_package "$package"
expect_program "the upgrade with room" "$new_program"
start_service
expect_login "after the upgrade with room"
stop_service

step "settings that the operator has moved away stay away"
mv "$root/etc/consentry/consentry.env" "$work/moved.env"
install_former
quietly upgrade-without install_package "$package"
[[ ! -e "$root/etc/consentry/consentry.env" ]] || fail "the upgrade brings back settings that were moved away"
cp -p "$work/moved.env" "$root/etc/consentry/consentry.env"

step "the wrong owner of the data or of one file is told"
data=$root/var/lib/consentry
owner=$(inside id -u consentry):$(inside id -g consentry)
for place in "$data" "$data/consentry.db"; do
    chown root:root "$place"
    inside setpriv --reuid consentry --regid consentry --init-groups env -C / /usr/bin/consentry serve 2>"$work/owner.log" &&
        fail "the service starts although ${place#"$root"} is root's"
    grep -qF "${place#"$root"}" "$work/owner.log" || fail "${place#"$root"} is not named: $(cat "$work/owner.log")"
    chown "$owner" "$place"
done

step "remove, install again, purge"
asked_of_systemd >/dev/null
quietly remove inside apt-get remove -y consentry
expect_asked "a removal" "stop consentry.socket;stop consentry.service"
expect_settings "the removal"
kept=$data/consentry.env.removed
[[ $(mode_of /var/lib/consentry/consentry.env.removed) == "600 root:root" ]] || fail "modes of the kept settings: $(stat -c %A "$kept")"
quietly reinstall install_package "$package"
[[ ! -e "$kept" ]] || fail "settings that are in their place are kept as well"
quietly purge inside apt-get purge -y consentry
[[ ! -e "$root/etc/consentry/consentry.env" ]] || fail "purging leaves the settings"
[[ -e "$data/consentry.db" ]] || fail "purging deletes accounts"
[[ $(sha256sum <"$kept") == "$before" ]] || fail "purging deletes the keys to the accounts"
grep -q 'stays where its settings have put it, by default in /var/lib/consentry' "$work/purge.log" || fail "purging does not say what stays"
grep -q 'now in /var/lib/consentry/consentry.env.removed' "$work/purge.log" || fail "purging does not say where the keys are"
find "$root/usr" "$root/lib" "$root/etc" -name '*consentry*' | grep . && fail "files are left"

step "the keys of a former installation are found, and not overwritten"
quietly after-purge install_package "$package"
cp -p "$root/etc/consentry/consentry.env" "$work/shipped.env"
restore=$(sed -n 's/^To use them again: //p' "$work/after-purge.log")
[[ "$restore" == "install "* ]] || { cat "$work/after-purge.log" >&2; fail "the installation does not say how to use the former keys"; }
# shellcheck disable=SC2086  # the words of a command
inside $restore
[[ $(mode_of /etc/consentry/consentry.env) == "640 root:consentry" ]] || fail "modes of the settings that were brought back"
expect_settings "bringing the settings back"
start_service
expect_login "with the keys of the former installation"
stop_service
cp -p "$work/shipped.env" "$root/etc/consentry/consentry.env"
quietly other-keys inside consentry init --yes --public-url https://login.example.org
quietly remove-other inside apt-get remove -y consentry
[[ $(sha256sum <"$kept.~1~") == "$before" ]] || fail "a removal overwrites the keys of a former installation"
end_systemd

step "a purge without data leaves nothing"
rm -rf "$data"
quietly purge-empty inside apt-get purge -y consentry
[[ ! -e "$data" && ! -e "$root/etc/consentry" ]] || fail "a purge without data leaves something"

step "a purge keeps the keys to data in another folder"
quietly elsewhere install_package "$package"
inside install -d -o consentry -g consentry -m 0700 /srv/consentry
quietly init-elsewhere inside consentry init --yes --public-url https://login.example.org --data-dir /srv/consentry
inside consentry migrate 2>/dev/null
inside sh -c 'echo Velvet-Harbor-42 | consentry user create --email ada@example.org --role superAdmin' >/dev/null
rmdir "$data" || fail "/var/lib/consentry has data although DATA_DIR is another folder"
before=$(sha256sum <"$root/etc/consentry/consentry.env")
quietly purge-elsewhere inside apt-get purge -y consentry
[[ -e "$root/srv/consentry/consentry.db" ]] || fail "purging deletes accounts in another folder"
[[ -e "$kept" && $(sha256sum <"$kept") == "$before" ]] || fail "purging deletes the keys to accounts in another folder"
[[ $(mode_of /var/lib/consentry/consentry.env.removed) == "600 root:root" ]] || fail "modes of the kept settings: $(stat -c %A "$kept")"
[[ $(mode_of /var/lib/consentry) == "700 "* ]] || fail "others can open the folder of the kept settings"
grep -q 'now in /var/lib/consentry/consentry.env.removed' "$work/purge-elsewhere.log" || fail "purging does not say where the keys are"
echo "all is well"
