#!/usr/bin/env bash
# A bare Debian 12 with the package on it, and an operator's first hour: install, tutti
# init, systemctl start, doctor; then one thing after another is broken, and each has to
# be named with its remedy by doctor, the dashboard's API, the metrics, the log and
# `tutti help`.
#
#   trial.sh DEB DEVNET     the package, and the program tutti_devnet
#
# Root alone can do it (make trial). It takes minutes and leaves nothing behind but the
# bare system's archive in the cache.
set -euo pipefail
deb=$1 devnet=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${TUTTI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tutti}/trial
# shellcheck disable=SC2034 # steps.sh's
clip=$here/../../server/gateway/verify/testdata/hd.ts
failed=0

stop() {
	echo "trial: $1" >&2
	exit 2
}
[ "$(id -u)" = 0 ] || stop "this boots a system in namespaces, which only root may: sudo make trial"
for tool in debootstrap unshare nsenter curl ip; do
	command -v "$tool" >/dev/null || stop "$tool is missing: apt-get install debootstrap util-linux curl iproute2"
done
cgroups=$(findmnt -n -t cgroup2 -o TARGET | head -1)
[ -n "$cgroups" ] || stop "cgroup 2 is not mounted here"

work=$(mktemp -d)
root=$work/root
pids=()
cleanup() {
	# unshare takes no other signal while its child lives, and takes the child along.
	for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	find "$cgroups/trial.$$" -depth -type d -exec rmdir {} + 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

bare() {
	[ ! -e "$cache/bare.tar" ] || return 0
	mkdir -p "$cache"
	echo "trial: getting a bare Debian 12 once, into $cache"
	debootstrap --variant=minbase --include=systemd-sysv,dbus,ca-certificates bookworm "$work/new" >"$work/log" 2>&1 || {
		tail -n 20 "$work/log"
		stop "debootstrap failed: can this machine reach its Debian archive?"
	}
	tar -C "$work/new" -cf "$cache/.bare.$$" .
	mv "$cache/.bare.$$" "$cache/bare.tar"
	rm -rf "$work/new"
}

boot() {
	mkdir "$root"
	tar -C "$root" -xf "$cache/bare.tar"
	cp "$deb" "$root/opt/tutti.deb"
	"$here/boot.sh" "$root" "$cgroups/trial.$$" >"$work/boot.log" 2>&1 &
	booter=$!
	pids+=("$booter")
	until machine true 2>/dev/null && machine 'systemctl is-system-running --wait' 2>/dev/null |
		grep -E 'running|degraded' >/dev/null; do
		kill -0 "$booter" 2>/dev/null || { cat "$work/boot.log"; stop "the system did not boot"; }
	done
}

# machine COMMAND: in the booted system; outside PROGRAM...: beside it, on its network.
first() { tr -d ' ' <"/proc/$booter/task/$booter/children"; }
machine() { nsenter -t "$(first)" -p -m -n -u -i -C --root="/proc/$(first)/root" --wd="/proc/$(first)/root" \
	/usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c "$1" </dev/null; }
outside() { nsenter -t "$(first)" -n "$@"; }
chain() { outside "$devnet" ctl "$@" >/dev/null; }
node() { outside curl -sf "http://127.0.0.1:7935$1"; }

# check WHAT COMMAND...: counts what fails.
check() {
	local what=$1
	shift
	if "$@" >"$work/said" 2>&1; then echo "  ok    $what"; else
		echo "  FAIL  $what"
		tail -n 15 "$work/said" | sed 's/^/        /'
		failed=$((failed + 1))
	fi
}
# within COMMAND...: it becomes true in half a minute.
within() {
	local until=$((SECONDS + 30))
	until "$@"; do [ $SECONDS -lt $until ] || return 1; done
}
has() { node "$1" | grep "$2" >/dev/null; }
doctor() { # CODE STATUS
	local status=0
	machine 'tutti doctor -json' >"$work/doctor" 2>/dev/null || status=$?
	if grep "\"$1\"" "$work/doctor" >/dev/null && [ "$status" = "$2" ]; then return 0; fi
	echo "status $status"
	grep '"code"' "$work/doctor"
	return 1
}
helps() { machine "tutti help $1" | grep '^Remedy:' >/dev/null; }
logged() { machine "journalctl -u tutti -o cat --since=-2min" | grep "$1" >/dev/null; }

# named CODE STATUS: all five places name it while the node runs.
named() {
	check "metrics: $1" within has /metrics "tutti_condition{.*code=\"$1\""
	check "dashboard: $1" has /api/v1/conditions "\"$1\""
	check "log: $1" logged "$1"
	check "doctor: $1, status $2" within doctor "$1" "$2"
	check "help: $1" helps "$1"
	look "$1"
}
# look NAME: the dashboard as an operator sees it, into TRIAL_PICTURES, if that is set and
# there is a browser.
look() {
	[ -n "${TRIAL_PICTURES:-}" ] && command -v chromium >/dev/null || return 0
	outside timeout -s KILL 40 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,1400 \
		--timeout=8000 \
		--user-data-dir="$work/browser" --screenshot="$TRIAL_PICTURES/$1.png" http://127.0.0.1:7935/ >/dev/null 2>&1 || true
}

# configure SCRIPT: the configuration as init wrote it, changed by sed.
configure() {
	machine "cp -p ~/good.conf /etc/tutti/tutti.conf && sed -i '$1' /etc/tutti/tutti.conf &&
		chgrp tutti /etc/tutti/tutti.conf"
	machine 'systemctl reset-failed tutti; systemctl restart tutti' 2>/dev/null
}

# shellcheck source-path=SCRIPTDIR
. "$here/steps.sh"

bare
boot
for step in install begin chain_down address gas devices models runner price capacity removal; do
	echo "trial: $step"
	"step_$step"
done
echo "trial: $failed failed"
[ $failed = 0 ]
