# A PostgreSQL server for tests, on machines that have none installed: Debian's own
# packages, unpacked into the cache and never installed. Sourced by deps.sh;
# test/postgres runs what is in $CACHE/postgres/current.

postgres_key() {
	{
		uname -m
		sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
		cat "$HERE/postgres.sh"
	} | sha256sum | cut -c1-16
}

# installed_postgres: the newest server that the machine has, if it has one.
installed_postgres() {
	[ -d /usr/lib/postgresql ] || return 0
	find /usr/lib/postgresql -maxdepth 3 -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1 | xargs -r dirname
}

# postgres: print the directory with initdb in it, getting it first if need be.
postgres() {
	found=$(installed_postgres)
	if [ -n "$found" ] && [ -z "${TUTTI_POSTGRES_FETCH:-}" ]; then
		echo "$found"
		return
	fi
	mkdir -p "$CACHE/postgres"
	tree=$CACHE/postgres/$(postgres_key)
	[ -d "$tree" ] || locked make_postgres "$tree"
	ln -sfn "${tree##*/}" "$CACHE/postgres/.current-$$"
	mv -Tf "$CACHE/postgres/.current-$$" "$CACHE/postgres/current"
	echo "$tree"/usr/lib/postgresql/*/bin
}

make_postgres() {
	[ ! -d "$1" ] || return 0
	command -v apt-get >/dev/null || die "PostgreSQL for tests comes as Debian packages, and this is not a Debian system." "Install a PostgreSQL server under /usr/lib/postgresql."
	rm -rf "$CACHE"/postgres/.build-*
	: >"$LOG"
	say "deps: getting a PostgreSQL server for tests once, into $CACHE (log: $LOG)"
	(unpack_postgres "$1")
}

unpack_postgres() {
	tree=$1
	work=$(mktemp -d "$CACHE/postgres/.build-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	private_apt "$work/apt" "$release"
	REMEDY="Can this machine reach its Debian archive? Check with 'apt-get update', then try again. Or install a PostgreSQL server."
	step "packages of the server and the libraries it lacks here" download_postgres
	REMEDY=
	mkdir "$work/tree"
	for deb in "$work"/debs/*.deb; do
		step "unpacking ${deb##*/}" dpkg-deb -x "$deb" "$work/tree"
	done
	find "$work/tree" -name initdb | grep -q . || die "Debian's PostgreSQL has no initdb where it was" "See $LOG."
	rm -rf "$work"/tree/usr/share/{doc,man,locale,lintian,perl5} "$tree"
	mv "$work/tree" "$tree"
	say "deps: done: $(du -sh "$tree" | cut -f1) in $tree"
}

# The server needs its libraries and nothing of what Debian runs it with: no compiler
# for queries, no Perl, no cluster of its own.
download_postgres() {
	server=$(apt-cache -c "$APT_DIR/apt.conf" depends postgresql | awk '$1 == "Depends:" && $2 ~ /^postgresql-[0-9]+$/ { print $2; exit }')
	mkdir "$work/debs"
	# shellcheck disable=SC2046 # names of packages have no blanks
	in_dir "$work/debs" apt-get -c "$APT_DIR/apt.conf" download "$server" $(
		apt-get -c "$APT_DIR/apt.conf" -o Debug::NoLocking=true install --yes --no-install-recommends --reinstall --print-uris "$server" libpq5 |
			awk '/^\x27/ { split($2, part, "_"); print part[1] }' | grep -Ev "^($server|libllvm.*|libz3.*|perl.*|libperl.*|libjson-perl|postgresql-.*common|.*-dev|ssl-cert|ucf|debconf|sensible-utils|adduser|passwd)$"
	)
}
