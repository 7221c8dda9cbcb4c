#!/usr/bin/env bash
# Runs the GPU kit on simulated cards in a bare Debian 12, without network, compiler or
# anything but the archive: once with a card that encodes, once with one that does not.
#
#   rehearse.sh ARCHIVE [PART…]     parts as gpukit.sh knows them, default all
#
# FORM=-short is over in some minutes, CARDS=fake leaves one of the two cards out. Root alone
# can do it. The reports are left in bin/gpukit/rehearsal.
set -euo pipefail
archive=$(realpath "$1")
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(cd "$here/../../.." && pwd)/bin/gpukit/rehearsal
cache=${TUTTI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tutti}/rehearsal
[ "$(id -u)" = 0 ] || { echo "rehearsal: this makes a bare system, which only root may: sudo make gpurehearsal" >&2
	exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
if [ ! -e "$cache/bare.tar" ]; then
	mkdir -p "$cache"
	echo "rehearsal: getting a bare Debian 12 once, into $cache"
	debootstrap --variant=minbase bookworm "$work/new" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 2; }
	tar -C "$work/new" -cf "$cache/.bare.$$" .
	mv "$cache/.bare.$$" "$cache/bare.tar"
	rm -rf "$work/new"
fi
root=$work/root
mkdir "$root"
tar -C "$root" -xf "$cache/bare.tar"
tar -C "$root/opt" -xJf "$archive"

# bare COMMAND: in the bare system, with a loopback interface and no other, and with its
# own mounts and processes, which end with it.
bare() {
	# shellcheck disable=SC2016 # the inner shell's variables
	unshare --mount --net --pid --ipc --uts --fork --kill-child bash -c '
		set -e
		ip link set lo up
		mount -t proc proc "$1/proc"
		mount --rbind /sys "$1/sys"
		mount --rbind /dev "$1/dev"
		exec chroot "$1" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c "$2"
	' bare "$root" "$1" </dev/null
}

status=0
rm -rf "$out"
for card in ${CARDS:-fake fake-without-encoder}; do
	echo "rehearsal: -$card"
	bare "/opt/tutti-gpukit/gpukit.sh -$card ${FORM:-} -o /opt/$card $*" || status=1
	mkdir -p "$out/$card"
	cp -r "$root/opt/$card/." "$out/$card/"
done
echo "rehearsal: the reports are in $out"
exit $status
