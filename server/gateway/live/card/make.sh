#!/bin/sh
# Makes the test card again: 2 s of ffmpeg's test pattern, 1080p at 30 pictures a second, without B-frames, so that
# it can be sent over and over. It wants an ffmpeg with libx264, such as the one of make deps.
set -eu
cd "$(dirname "$0")"
ffmpeg -hide_banner -loglevel error -nostdin -y -f lavfi -i testsrc=size=1920x1080:rate=30 -frames:v 60 -an \
	-map_metadata -1 -fflags +bitexact -flags:v +bitexact -pix_fmt yuv420p -c:v libx264 -preset medium -crf 32 -bf 0 \
	-g 30 -sc_threshold 0 -profile:v high -bsf:v filter_units=remove_types=6 -f mpegts card.ts
