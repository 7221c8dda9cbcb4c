# Prometheus and its promtool for tests, on machines that have none installed: Debian's
# own package, unpacked into the cache and never installed. Sourced by deps.sh;
# test/monitoring runs what is there.

prometheus_key() {
	{
		uname -m
		sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
		cat "$HERE/prometheus.sh"
	} | sha256sum | cut -c1-16
}

# prometheus: print the directory with both programs in it, getting them first if need
# be.
prometheus() {
	if [ -x /usr/bin/prometheus ] && [ -x /usr/bin/promtool ] && [ -z "${TUTTI_PROMETHEUS_FETCH:-}" ]; then
		echo /usr/bin
		return
	fi
	tree=$CACHE/prometheus/$(prometheus_key)
	[ -x "$tree/usr/bin/promtool" ] || locked make_prometheus "$tree"
	echo "$tree/usr/bin"
}

make_prometheus() {
	[ ! -x "$1/usr/bin/promtool" ] || return 0
	command -v apt-get >/dev/null || die "Prometheus for tests comes as a Debian package, and this is not a Debian system." "Install prometheus and promtool under /usr/bin."
	mkdir -p "$CACHE/prometheus"
	rm -rf "$CACHE"/prometheus/.build-*
	: >"$LOG"
	say "deps: getting Prometheus for tests once, into $CACHE (log: $LOG)"
	(unpack_prometheus "$1")
}

# Its programs are linked statically; what Debian's package needs beside is for running
# it as a service.
unpack_prometheus() {
	tree=$1
	work=$(mktemp -d "$CACHE/prometheus/.build-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	private_apt "$work/apt" "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)"
	mkdir "$work/debs" "$work/tree"
	REMEDY="Can this machine reach its Debian archive? Check with 'apt-get update', then try again. Or install prometheus."
	step "package prometheus" in_dir "$work/debs" apt-get -c "$APT_DIR/apt.conf" download prometheus
	REMEDY=
	step "unpacking prometheus" dpkg-deb -x "$work"/debs/prometheus_*.deb "$work/tree"
	[ -x "$work/tree/usr/bin/promtool" ] || die "Debian's prometheus has no promtool where it was" "See $LOG."
	rm -rf "$work/tree/usr/share" "$work/tree/etc" "$tree"
	mv "$work/tree" "$tree"
	say "deps: done: $(du -sh "$tree" | cut -f1) in $tree"
}
