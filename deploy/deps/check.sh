# Is a prefix what the programs need? Sourced by deps.sh; used on what was just
# built and on a prefix the user brings.

# check_prefix DIR: say everything that is missing, not only the first.
check_prefix() {
	problems=
	for library in libavcodec libavdevice libavfilter libavformat libavutil libswresample libswscale; do
		PKG_CONFIG_LIBDIR="$1/lib/pkgconfig" PKG_CONFIG_PATH='' pkg-config --exists "$library" 2>/dev/null ||
			problems="$problems $library"
	done
	[ -z "$problems" ] || die "$1 has no usable:$problems (looked in $1/lib/pkgconfig)" \
		"TUTTI_DEPS must hold FFmpeg 7.1; unset it to let 'make deps' build one."
	# libavcodec 61 is FFmpeg 7; the Go bindings are written for exactly that.
	version=$(PKG_CONFIG_LIBDIR="$1/lib/pkgconfig" PKG_CONFIG_PATH='' pkg-config --modversion libavcodec)
	case $version in
	61.19.* | 61.[2-9][0-9].*) ;;
	*) die "$1 has libavcodec $version, which is not FFmpeg 7.1's (61.19)" \
		"Unset TUTTI_DEPS to let 'make deps' build it." ;;
	esac
	for program in ffmpeg ffprobe; do
		[ -x "$1/bin/$program" ] ||
			say "deps: note: $1/bin/$program is missing; tests and benchmarks that judge with it cannot run"
	done
}
