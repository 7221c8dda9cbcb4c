#!/bin/sh
# Makes the clips of this folder again, from nothing but white pictures and a
# test pattern. It wants an ffmpeg with libx264, libx265 and libvpx.
set -eu
cd "$(dirname "$0")"
make() {
	out=$1
	shift
	ffmpeg -hide_banner -loglevel error -nostdin -y -f lavfi -i "$source" -frames:v "$frames" -an \
		-map_metadata -1 -fflags +bitexact -flags:v +bitexact "$@" "$out"
}
# pad fills a transport stream up with null packets: some readers want more than
# ten packets before they believe that it is one.
pad() {
	for _ in 1 2 3 4 5; do
		printf '\107\037\377\020'
		head -c 184 /dev/zero | tr '\0' '\377'
	done >>"$1"
}
source=color=white:size=144x144:rate=25 frames=5
for f in yuv420p yuv422p yuv444p yuv420p10le yuv422p10le yuv444p10le; do
	make "h264_$f.ts" -pix_fmt $f -c:v libx264 -preset veryfast -bsf:v filter_units=remove_types=6 -f mpegts
	pad "h264_$f.ts"
done
make hevc.ts -pix_fmt yuv420p -c:v libx265 -x265-params log-level=error:info=0 -f mpegts
pad hevc.ts
make vp8.webm -pix_fmt yuv420p -c:v libvpx -f webm
make vp9.webm -pix_fmt yuv420p -c:v libvpx-vp9 -f webm
source=color=white:size=1920x1080:rate=25 frames=5
make memory.ts -pix_fmt yuv420p -c:v libx264 -preset veryfast -bsf:v filter_units=remove_types=6 -f mpegts
pad memory.ts
source=testsrc2=size=1280x720:rate=30 frames=30
make pace.ts -pix_fmt yuv420p -c:v libx264 -preset slow -b:v 600k -g 30 -bsf:v filter_units=remove_types=6 -f mpegts
