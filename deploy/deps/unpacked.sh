# The distribution's packages and what they need that this machine lacks, unpacked
# into the cache and never installed. Sourced by deps.sh.

# unpacked DIR PACKAGES [THEN]: DIR holds their files, and VERSIONS says which they
# were. THEN is run before DIR is there. To be run in a shell of its own.
unpacked() {
	tree=$1
	packages=$2
	then=${3:-true}
	command -v apt-get >/dev/null || die "these come as Debian packages, and this is not a Debian system: $packages" \
		"Build on Debian 12."
	mkdir -p "${tree%/*}"
	work=$(mktemp -d "${tree%/*}/.get-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	private_apt "$work/apt" "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)"
	REMEDY="Can this machine reach its Debian archive? Check with 'apt-get update', then try again."
	step "packages: $packages" fetch_with_needs
	REMEDY=
	step "unpacking them" unpack_fetched
	"$then"
	rm -rf "$tree"
	mv "$work/tree" "$tree"
	say "deps: done: $(du -sh "$tree" | cut -f1) in $tree"
}

# What is installed counts, so that only what this machine lacks is fetched;
# --reinstall fetches the named ones even where they are installed.
fetch_with_needs() {
	# shellcheck disable=SC2086
	apt-get -c "$APT_DIR/apt.conf" -o Debug::NoLocking=true install --yes --download-only --no-install-recommends \
		--reinstall $packages
}

unpack_fetched() {
	mkdir "$work/tree"
	for deb in "$APT_DIR"/cache/archives/*.deb; do
		dpkg-deb -x "$deb" "$work/tree" || return 1
		dpkg-deb -W --showformat='${Package} ${Version}\n' "$deb" >>"$work/tree/VERSIONS"
	done
	rm -rf "$work/tree/usr/share/doc" "$work/tree/usr/share/man" "$work/tree/usr/share/locale"
}
