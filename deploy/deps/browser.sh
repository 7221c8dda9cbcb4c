# A browser for the tests that look at the operator's page, on machines that have none
# installed: Debian's own packages, unpacked into the cache and never installed. Sourced
# by deps.sh; test/dashboard runs what `deps.sh browser` prints.

BROWSER_PACKAGES="chromium chromium-common fonts-dejavu-core"

browser_key() {
	{
		uname -m
		sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
		cat "$HERE/browser.sh"
	} | sha256sum | cut -c1-16
}

# browser: print a program that is Chromium, getting it first if need be.
browser() {
	if [ -z "${TUTTI_BROWSER_FETCH:-}" ]; then
		for name in chromium chromium-browser google-chrome; do
			if command -v "$name"; then return; fi
		done
	fi
	mkdir -p "$CACHE/browser"
	tree=$CACHE/browser/$(browser_key)
	[ -x "$tree/run" ] || locked make_browser "$tree"
	echo "$tree/run"
}

make_browser() {
	[ ! -x "$1/run" ] || return 0
	command -v apt-get >/dev/null || die "a browser for tests comes as Debian packages, and this is not a Debian system." "Install Chromium; the tests use a chromium on PATH."
	rm -rf "$CACHE"/browser/.build-*
	: >"$LOG"
	say "deps: getting a browser for tests once, into $CACHE (log: $LOG)"
	(unpack_browser "$1")
}

unpack_browser() {
	tree=$1
	work=$(mktemp -d "$CACHE/browser/.build-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	private_apt "$work/apt" "$release"
	REMEDY="Can this machine reach its Debian archive? Check with 'apt-get update', then try again. Or install Chromium; the tests use a chromium on PATH."
	step "packages of the browser and what they need" download_browser
	REMEDY=
	step "unpacking them" unpack_debs
	[ -x "$work/tree/usr/lib/chromium/chromium" ] || die "Debian's chromium is not where it was" "See $LOG."
	rm -rf "$work/tree/usr/share/doc" "$work/tree/usr/share/man" "$work/tree/usr/share/icons"
	write_runner "$work/tree"
	rm -rf "$tree"
	mv "$work/tree" "$tree"
	say "deps: done: $(du -sh "$tree" | cut -f1) in $tree"
}

# write_runner TREE: libraries and fonts that the machine lacks are in the tree.
write_runner() {
	cat >"$1/fonts.conf" <<-'CONF'
		<?xml version="1.0"?>
		<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
		<fontconfig><dir>/usr/share/fonts</dir><dir prefix="relative">usr/share/fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
	CONF
	cat >"$1/run" <<-'RUN'
		#!/bin/sh
		here=$(dirname "$0")
		libraries=$(find "$here/usr/lib" "$here/lib" -name '*.so*' -type f 2>/dev/null | xargs -r dirname | sort -u | tr '\n' ':')
		export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:-}"
		[ -d /etc/fonts ] || export FONTCONFIG_FILE="$here/fonts.conf"
		exec "$here/usr/lib/chromium/chromium" "$@"
	RUN
	chmod +x "$1/run"
}

# What is installed counts, so that only what this machine lacks is fetched;
# --reinstall fetches the browser itself even where it is installed.
download_browser() {
	# shellcheck disable=SC2086
	apt-get -c "$APT_DIR/apt.conf" -o Debug::NoLocking=true install --yes --download-only --no-install-recommends --reinstall $BROWSER_PACKAGES
}
