package libav_test

import (
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

// times are the presentation times of the frames, in 1/90000 s.
func times(r *libav.FileReport) []int64 {
	var out []int64
	for _, f := range r.Video.Frames {
		out = append(out, scaled(f.PTS, r.Video.BaseNum, r.Video.BaseDen))
	}
	return out
}

func audioTimes(r *libav.FileReport) []int64 {
	var out []int64
	for _, p := range r.Audio.Packets {
		out = append(out, scaled(p.PTS, r.Audio.BaseNum, r.Audio.BaseDen))
	}
	return out
}

func scaled(t, num, den int64) int64 {
	return mediafile.Rescale(t, mediafile.TimeBase{Num: num, Den: den}, mediafile.MPEGClock)
}

// sums are the checksums of the audio packets.
func sums(r *libav.FileReport) []string {
	var out []string
	if r.Audio != nil {
		for _, p := range r.Audio.Packets {
			out = append(out, p.MD5)
		}
	}
	return out
}
