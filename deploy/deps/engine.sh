# A Docker Engine for the tests that need a real one, on machines that have none
# installed: Debian's own packages, unpacked into the cache and never installed.
# Sourced by deps.sh; test/engine runs what is in $CACHE/engine/current.

# What an engine is made of. Libraries that the machine lacks come with them.
ENGINE_PACKAGES="docker.io containerd runc"

engine_key() {
	{
		uname -m
		sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
		cat "$HERE/engine.sh"
	} | sha256sum | cut -c1-16
}

# engine: print the directory with dockerd in it, getting it first if need be.
engine() {
	mkdir -p "$CACHE/engine"
	tree=$CACHE/engine/$(engine_key)
	[ -x "$tree/usr/sbin/dockerd" ] || locked make_engine "$tree"
	# Replaced at once: tests of another clone may be reading it.
	ln -sfn "${tree##*/}" "$CACHE/engine/.current-$$"
	mv -Tf "$CACHE/engine/.current-$$" "$CACHE/engine/current"
	echo "$tree"
}

make_engine() {
	[ ! -x "$1/usr/sbin/dockerd" ] || return 0
	command -v apt-get >/dev/null || die "a Docker Engine for tests comes as Debian packages, and this is not a Debian system." "Install Docker; the tests use a dockerd on PATH."
	rm -rf "$CACHE"/engine/.build-*
	: >"$LOG"
	say "deps: getting a Docker Engine for tests once, into $CACHE (log: $LOG)"
	(unpack_engine "$1")
}

unpack_engine() {
	tree=$1
	work=$(mktemp -d "$CACHE/engine/.build-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	private_apt "$work/apt" "$release"
	REMEDY="Can this machine reach its Debian archive? Check with 'apt-get update', then try again. Or install Docker; the tests use a dockerd on PATH."
	step "packages of the engine and what they need" download_engine
	REMEDY=
	step "unpacking them" unpack_debs
	[ -x "$work/tree/usr/sbin/dockerd" ] || die "Debian's docker.io has no dockerd where it was" "See $LOG."
	rm -rf "$work/tree/usr/share" "$tree"
	mv "$work/tree" "$tree"
	say "deps: done: $(du -sh "$tree" | cut -f1) in $tree"
}

# What is installed counts, so that only what this machine lacks is fetched;
# --reinstall fetches the engine itself even where it is installed. Nothing is
# installed and nothing of the system is locked.
download_engine() {
	# shellcheck disable=SC2086
	apt-get -c "$APT_DIR/apt.conf" -o Debug::NoLocking=true install --yes --download-only --no-install-recommends --reinstall $ENGINE_PACKAGES
}

unpack_debs() {
	mkdir "$work/tree"
	for deb in "$APT_DIR"/cache/archives/*.deb; do
		dpkg-deb -x "$deb" "$work/tree" || return 1
	done
}
