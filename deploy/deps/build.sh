# Building the libav prefix. Sourced by deps.sh.

# Where the libraries say they live. The .pc files are made relative afterwards,
# so the prefix can be anywhere and no machine's paths end up in a program.
PREFIX=/opt/tutti-deps

wanted() { sed -n "s/^$1=//p" "$RECIPE/versions"; }

# build_prefix TARGET: build in a directory beside it, rename when complete.
build_prefix() {
	target=$1
	need_tools "$compile_needs$build_needs"
	work=$(mktemp -d "$CACHE/deps/.build-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	VERSIONS=$work/versions
	DESTDIR=$work/stage
	JOBS=${TUTTI_JOBS:-$(nproc)}
	export PREFIX DESTDIR JOBS RECIPE
	export PKG_CONFIG_LIBDIR="$DESTDIR$PREFIX/lib/pkgconfig:$work/nvenc/usr/share/pkgconfig"
	unset PKG_CONFIG_PATH CFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MAKELEVEL MFLAGS
	prepare_target

	# Everything below is checked against recipe/sha256. dav1d and FFmpeg come with Debian's
	# patches, x264, LAME and zlib as upstream made them: Debian's part of this zlib has an empty
	# list of patches, and x264's cannot be fetched everywhere (the archive may answer 404 for
	# it). In Debian 12 it is one patch for x32, which no target of ours is. Of LAME only
	# the library of the encoder is made, which gets what FFmpeg has checked.
	PINNED=yes
	private_apt "$work/apt" "$(wanted release)"
	fetch_source "$work/x264" x264 "$(wanted x264)" ORIGINAL
	fetch_source "$work/lame" lame "$(wanted lame)" ORIGINAL
	fetch_source "$work/dav1d" dav1d "$(wanted dav1d)" FULL
	fetch_source "$work/ffmpeg" ffmpeg "$(wanted ffmpeg)" FULL
	[ -z "$TARGET" ] || fetch_source "$work/zlib" zlib "$(wanted zlib)" ORIGINAL
	fetch_package "$work/nvenc" libffmpeg-nvenc-dev "$(wanted ffnvcodec)"
	relocate "$work/nvenc/usr" /usr

	step "unpacking sources" unpack_all
	if [ -z "$TARGET" ]; then
		step "zlib" component "$work" zlib
	else
		step "building zlib" component "$work/zlib/src" zlib-source
	fi
	step "building x264" component "$work/x264/src" x264
	step "building LAME" component "$work/lame/src" lame
	step "building dav1d" component "$work/dav1d/src" dav1d
	step "building FFmpeg (the long one)" component "$work/ffmpeg/src" ffmpeg
	finish
}

# prepare_target: what the recipes are told of the machine they build for: triple
# is empty for this one.
prepare_target() {
	unset CC AR GOOS GOARCH
	export TARGET triple
	[ -n "$TARGET" ] || return 0
	cross_env
	export ffmpeg_arch ffmpeg_os ffmpeg_options
	export MESON_FILE=$work/meson.ini
	meson_file >"$MESON_FILE"
}

unpack_all() {
	for name in x264 lame ${TARGET:+zlib}; do
		mkdir "$work/$name/src" && tar -xf "$work/$name/"*.orig.tar.* -C "$work/$name/src" --strip-components=1 || return 1
	done
	# apt has checked the files against the signed index, and check_pins against ours.
	for name in dav1d ffmpeg; do
		dpkg-source --no-check -x "$work/$name/"*.dsc "$work/$name/src" || return 1
	done
}

# component DIR NAME: run NAME's recipe in DIR, stopping at its first error.
component() {
	cd "$1" && bash -eu "$RECIPE/$2.sh" && relocate "$DESTDIR$PREFIX" "$PREFIX"
}

# relocate ROOT PREFIX: .pc files under ROOT find their prefix by where they are,
# and name no other place: FFmpeg's repeat where it saw x264 while building.
relocate() {
	find "$1" -name '*.pc' -exec sed -i \
		-e "s| -L$1[^ ]*||g" \
		-e "s|^prefix=.*|prefix=\${pcfiledir}/../..|" \
		-e "s|=$2/|=\${prefix}/|" {} +
}

finish() {
	stage=$DESTDIR$PREFIX
	rm -rf "$stage/share"
	cp "$VERSIONS" "$stage/VERSIONS"
	check_prefix "$stage"
	rm -rf "$target"
	mv "$stage" "$target"
	say "deps: done: $(du -sh "$target" | cut -f1) in $target"
	sed 's/^/deps:   /' "$target/VERSIONS" >&2
}
