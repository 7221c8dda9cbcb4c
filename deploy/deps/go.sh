# The Go toolchain: the machine's own if it is new enough, else one of our own in
# the cache. Sourced by deps.sh.

# The toolchain fetched where there is none; go.mod says what is the least.
GO_FETCH=go1.26.9
# The hashes of it as a module, one for each machine; Go prints them with
# `go mod download -json golang.org/toolchain@v0.0.1-$GO_FETCH.linux-amd64`.
GO_SUMS='
h1:H1MNjtpLSXRMijiKWuh1cj9j9YM4NXKqM93/8h6Aics=
h1:7zX/9hOPdr3dzQYUa5W/Bpz3BIL2eF1oDoQjg/io1U8=
'

# least_go: the version go.mod asks for.
least_go() { awk '$1 == "go" { print $2; exit }' "$ROOT/go.mod"; }

# good_go PATH: does it run, and is it as new as go.mod asks?
good_go() {
	[ -x "$1" ] || return 1
	have=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
	least=$(least_go)
	[ "$(printf '%s\n%s\n' "$least" "${have#go}" | sort -V | head -n 1)" = "$least" ]
}

# find_go: set GO.
find_go() {
	for candidate in "${GO:-}" "$(command -v go || true)" /usr/local/go/bin/go "$CACHE/go/$GO_FETCH/bin/go"; do
		if [ -n "$candidate" ] && good_go "$candidate"; then
			GO=$candidate
			return 0
		fi
	done
	return 1
}

# bootstrap_go: Debian's go, unpacked privately, fetches the exact toolchain as a
# module, which Go checks against its checksum database.
bootstrap_go() {
	need_tools "$compile_needs$certificates"
	boot=$(mktemp -d "$CACHE/go/.boot-XXXXXX")
	trap 'chmod -R u+w "$boot" 2>/dev/null; rm -rf "$boot"' EXIT
	trap 'exit 130' INT TERM
	VERSIONS=$boot/versions
	private_apt "$boot/apt" trixie
	fetch_package "$boot/deb" golang-1.24-go 1.24
	get_toolchain
	chmod -R u+w "$boot/mod"
	rm -rf "$CACHE/go/$GO_FETCH"
	mv "$boot/mod/golang.org/toolchain@v0.0.1-$GO_FETCH."* "$CACHE/go/$GO_FETCH"
	GO=$CACHE/go/$GO_FETCH/bin/go
}

# get_toolchain: nothing of the toolchain is run before it is known to be the one that
# GO_SUMS names.
get_toolchain() {
	REMEDY="Go fetches it through its module proxy: is that reachable? GOPROXY and HTTPS_PROXY are honored. \
Or install Go $(least_go) or newer yourself."
	step "Go toolchain $GO_FETCH" fetch_go
	REMEDY=
	check_go
	# Files of a module cannot be run; Go changes that when it uses a toolchain first.
	step "first run of $GO_FETCH" debian_go "$GO_FETCH" version
}

fetch_go() {
	debian_go local mod download \
		"golang.org/toolchain@v0.0.1-$GO_FETCH.$(debian_go local env GOOS)-$(debian_go local env GOARCH)"
}

# debian_go TOOLCHAIN ARGUMENT...: only the go command itself is run of Debian's, which
# needs no library and no sources; with another toolchain than local it runs that one.
debian_go() {
	toolchain=$1
	shift
	(cd "$boot" && env -u GOROOT -u GOENV HOME="$boot" GOFLAGS=-modcacherw GOMODCACHE="$boot/mod" \
		GOTOOLCHAIN="$toolchain" \
		"$boot/deb/usr/lib/go-1.24/bin/go" "$@")
}

# check_go: the toolchain that came is the one that GO_SUMS names.
check_go() {
	sum=$(cat "$boot/mod/cache/download/golang.org/toolchain/@v/v0.0.1-$GO_FETCH".*.ziphash) || true
	[ -n "$sum" ] && printf '%s' "$GO_SUMS" | grep -qxF -- "$sum" ||
		die "the Go toolchain that was fetched is not the one that deploy/deps/go.sh names (found ${sum:-none})" \
			"For a newer one, set GO_FETCH and GO_SUMS there together."
}
