# What packages are made and judged with: the C library and the authorities that
# an image carries, and the tools of the distribution that look at packages and
# units. Sourced by deps.sh.

# image_parts ARCH: print where the files are that an image for ARCH (amd64, arm64)
# holds beside the programs.
image_parts() {
	IMAGE_DIR=$CACHE/image/$1-$(sha256sum <"$HERE/packaging.sh" | cut -c1-16)
	[ -e "$IMAGE_DIR/VERSIONS" ] || locked make_image_parts "$1"
	printf '%s\n' "$IMAGE_DIR"
}

make_image_parts() {
	[ ! -e "$IMAGE_DIR/VERSIONS" ] || return 0
	mkdir -p "$CACHE/image"
	rm -rf "$CACHE"/image/.get-*
	: >"$LOG"
	say "deps: getting what an image for $1 needs once, into $IMAGE_DIR (log: $LOG)"
	(get_image_parts "$1")
}

get_image_parts() {
	work=$(mktemp -d "$CACHE/image/.get-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	mkdir "$work/tree"
	VERSIONS=$work/tree/VERSIONS
	APT_ARCH=$1
	private_apt "$work/apt" "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)"
	for package in libc6 ca-certificates; do
		fetch_package "$work/tree" "$package" ''
	done
	rm -rf "$IMAGE_DIR"
	mv "$work/tree" "$IMAGE_DIR"
}

# judges: print where systemd-analyze and rpm are, with the libraries they need.
judges='systemd libsystemd-shared rpm rpm2cpio cpio'

ensure_judges() {
	JUDGES_DIR=$CACHE/judges/$(sha256sum <"$HERE/packaging.sh" | cut -c1-16)
	[ -e "$JUDGES_DIR/VERSIONS" ] || locked make_judges
	printf '%s\n' "$JUDGES_DIR"
}

make_judges() {
	[ ! -e "$JUDGES_DIR/VERSIONS" ] || return 0
	mkdir -p "$CACHE/judges"
	: >"$LOG"
	say "deps: getting what looks at packages once, into $JUDGES_DIR (log: $LOG)"
	(unpacked "$JUDGES_DIR" "$judges")
}

# ensure_nfpm: print the program that writes debs and rpms, at the version that
# deploy/nfpm names; it is built for this machine, whatever is packed.
ensure_nfpm() {
	nfpm_dir=$CACHE/nfpm/$(cat "$ROOT/deploy/nfpm/go.mod" "$ROOT/deploy/nfpm/go.sum" | sha256sum | cut -c1-16)
	[ -x "$nfpm_dir/nfpm" ] || locked make_nfpm
	printf '%s\n' "$nfpm_dir/nfpm"
}

make_nfpm() {
	[ ! -x "$nfpm_dir/nfpm" ] || return 0
	find_go || die "there is no Go" "Run 'make deps' first."
	mkdir -p "$nfpm_dir"
	: >"$LOG"
	REMEDY="Go fetches its parts through its module proxy: is that reachable? GOPROXY and HTTPS_PROXY are honored."
	step "building nfpm" in_dir "$ROOT/deploy/nfpm" env -u GOOS -u GOARCH -u CC GOFLAGS= GOWORK=off CGO_ENABLED=0 \
		"$GO" build -o "$nfpm_dir/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
	REMEDY=
}
