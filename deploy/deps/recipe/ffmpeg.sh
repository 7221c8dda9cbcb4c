# FFmpeg, static and trimmed to what a transcoder of live segments meets, plus
# the matching ffmpeg and ffprobe: the independent judge of the tests and the
# peer of the benchmarks. Called by build.sh in the source directory.
#
# NVIDIA's libraries are opened at run time, so the result also runs without
# them. libavdevice stays enabled because go-astiav names it; were it missing,
# a system FFmpeg of another version could slip into the same program.
list() { grep -v '^#' "$RECIPE/ffmpeg.parts" | awk -v kind="$1" '$1 == kind { for (i = 2; i <= NF; i++) printf "%s%s", n++ ? "," : "", $i }'; }

# For another machine there is nothing that could run the two programs.
cross=()
[ -z "$triple" ] || cross=(--enable-cross-compile --cross-prefix="$triple-" --arch="$ffmpeg_arch" --target-os="$ffmpeg_os"
	--pkg-config=pkg-config --disable-ffmpeg --disable-ffprobe)

# LAME has no .pc file, so FFmpeg is told where it is.
./configure --prefix="$PREFIX" --pkg-config-flags=--static \
	--extra-cflags="-I$DESTDIR$PREFIX/include" --extra-ldflags="-L$DESTDIR$PREFIX/lib" \
	--enable-static --disable-shared --enable-pic --enable-gpl \
	--disable-doc --disable-debug --disable-autodetect --disable-network \
	--disable-everything --disable-programs --enable-ffmpeg --enable-ffprobe \
	--enable-pthreads --enable-zlib --enable-libx264 --enable-libdav1d --enable-libmp3lame \
	--enable-ffnvcodec --enable-nvenc --enable-nvdec --enable-cuvid --enable-cuda-llvm \
	--enable-decoder="$(list decoder)" \
	--enable-hwaccel="$(list hwaccel)" \
	--enable-encoder="$(list encoder)" \
	--enable-parser="$(list parser)" \
	--enable-demuxer="$(list demuxer)" \
	--enable-muxer="$(list muxer)" \
	--enable-bsf="$(list bsf)" \
	--enable-protocol="$(list protocol)" \
	--enable-indev="$(list indev)" \
	--enable-filter="$(list filter)" \
	"${cross[@]}" ${ffmpeg_options:-}
make -j"$JOBS"
make install DESTDIR="$DESTDIR"
