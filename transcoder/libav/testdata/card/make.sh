#!/bin/sh
# Makes the clips beside this file. FFMPEG is Debian 12's.
set -eu
cd "$(dirname "$0")"
clip() { # FILE SIZE ARGUMENTS…
	file=$1 size=$2
	shift 2
	"${FFMPEG:-ffmpeg}" -hide_banner -loglevel error -y -f lavfi -i "testsrc2=size=$size:rate=25:duration=0.8" \
		-fflags +bitexact -flags:v +bitexact "$@" -map_metadata -1 "$file"
}
hevc="-c:v libx265 -preset medium -crf 28 -x265-params keyint=20:bframes=3:info=0:log-level=error"
clip hevc.ts 320x180 $hevc -pix_fmt yuv420p -muxdelay 0 -muxpreload 0 -output_ts_offset 10
clip hevc10.mp4 320x180 $hevc -pix_fmt yuv420p10le -tag:v hvc1
clip hevc422.mp4 320x180 $hevc -pix_fmt yuv422p10le -tag:v hvc1
clip hevc444.mp4 320x180 $hevc -pix_fmt yuv444p -tag:v hvc1
clip vp8.webm 320x180 -c:v libvpx -b:v 400k -auto-alt-ref 1 -lag-in-frames 10
clip vp9.webm 320x180 -c:v libvpx-vp9 -crf 35 -b:v 0 -auto-alt-ref 1 -lag-in-frames 10 -pix_fmt yuv420p
clip vp910.webm 320x180 -c:v libvpx-vp9 -crf 35 -b:v 0 -pix_fmt yuv420p10le
clip vp9odd.webm 80x46 -vf scale=322:182,format=yuv444p,crop=321:181:0:0:exact=1,format=yuv420p \
	-c:v libvpx-vp9 -crf 35 -b:v 0
clip av1.mp4 320x180 -c:v libaom-av1 -cpu-used 6 -crf 40 -b:v 0 -pix_fmt yuv420p
clip av110.mp4 320x180 -c:v libaom-av1 -cpu-used 6 -crf 40 -b:v 0 -pix_fmt yuv420p10le
