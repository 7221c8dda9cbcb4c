package libav_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// Where the source's frames are kept, every output time is the source's.
func TestTimesAreKept(t *testing.T) {
	t.Parallel()
	const still = " -muxdelay 0 -muxpreload 0 "
	bframes := "-c:v libx264 -preset veryfast -bf 3 -pix_fmt yuv420p -threads 1 "
	tests := []struct{ name, ext, args string }{
		{"plain", ".ts", pattern("160x90", 60, 2) + " " + tone(2) + " " + x264 + " " + aac + still + "-output_ts_offset 10"},
		{"B-frames", ".ts", pattern("160x90", 30, 2) + " " + tone(2) + " " + bframes + aac + still + "-output_ts_offset 10"},
		{"B-frames at the start of the clock", ".ts", pattern("160x90", 30, 2) + " " + tone(2) + " " + bframes + aac + still},
		{"29.97", ".ts", pattern("160x90", "30000/1001", 2) + " " + bframes + still + "-output_ts_offset 100"},
		{"59.94", ".ts", pattern("160x90", "60000/1001", 1) + " " + bframes + still + "-output_ts_offset 100"},
		{"variable rate with a hole", ".ts", pattern("160x90", 30, 2) +
			" -vf select='not(mod(n\\,7))+gt(n\\,40)+lt(n\\,5)' -fps_mode vfr " + bframes + still + "-output_ts_offset 10"},
		{"the clock begins again", ".ts", pattern("160x90", 30, 2) + " " + tone(2) + " " + bframes + aac + still +
			"-output_ts_offset 95442.7"},
		{"shortly before the clock begins again", ".ts",
			pattern("160x90", 30, 1) + " " + tone(1) + " " + bframes + aac + still + "-output_ts_offset 95430"},
		{"open GOP", ".ts", pattern("160x90", 30, 3) + " " + bframes + "-g 15 -x264-params open-gop=1 " + still +
			"-output_ts_offset 10"},
		{"MP4", ".mp4", pattern("160x90", 30, 2) + " " + tone(2) + " " + bframes + aac},
		{"MP4 of 29.97", ".mp4", pattern("160x90", "30000/1001", 2) + " " + bframes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			source := makeClip(t, tt.ext, tt.args)
			src := verify(t, source)
			for _, format := range []core.Format{core.FormatMPEGTS, core.FormatMP4} {
				for _, profile := range []core.H264Profile{core.ProfileConstrainedHigh, core.ProfileHigh} {
					got := transcode(t, source, small("x", func(p *core.Profile) { p.Format, p.Profile = format, profile }))
					out := verify(t, got.Renditions[0].Data)
					a, b := unwrapped(times(src)), unwrapped(times(out))
					if d := difference(a, b); d != "" {
						t.Errorf("%s, profile %d: %s", format.Ext(), profile, d)
					}
					if src.Audio == nil {
						continue
					}
					if !slices.Equal(sums(src), sums(out)) {
						t.Errorf("%s: audio differs", format.Ext())
					}
					if d := audioDifference(src, out, format); d != "" {
						t.Errorf("%s: audio: %s", format.Ext(), d)
					}
				}
			}
		})
	}
}

// unwrapped maps times before the 33-bit clock's end and negative times, which
// say the same, to one form.
func unwrapped(in []int64) []int64 {
	var out []int64
	for _, t := range in {
		out = append(out, t&(1<<33-1))
	}
	return out
}

// difference says how two lists of times differ first, "" when they do not.
func difference(want, got []int64) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d times, want %d", len(got), len(want))
	}
	for i := range want {
		if want[i] != got[i] {
			return fmt.Sprintf("time %d is %d, want %d", i, got[i], want[i])
		}
	}
	return ""
}

// audioDifference compares audio times. A tick may be lost to rounding, since
// MPEG-TS gives a time to groups of packets only; and it cannot say times below
// 0, which the priming of AAC in MP4 has: those are squeezed.
func audioDifference(src, out *libav.FileReport, format core.Format) string {
	a, b := audioTimes(src), audioTimes(out)
	if len(a) != len(b) {
		return fmt.Sprintf("%d times, want %d", len(b), len(a))
	}
	if src.Container != "mpegts" && format == core.FormatMPEGTS && a[0] < 0 {
		a, b = a[2:], b[2:]
	}
	a, b = unwrapped(a), unwrapped(b)
	for i := range a {
		if d := a[i] - b[i]; d < -2 || d > 2 {
			return fmt.Sprintf("time %d is %d, want %d", i, b[i], a[i])
		}
	}
	return ""
}

// On a fixed rate the first frame keeps its time and the others sit on a grid.
func TestFixedRateTimes(t *testing.T) {
	t.Parallel()
	got := transcode(t, segment(t), small("x", fps(24, 1)))
	for n, at := range times(verify(t, got.Renditions[0].Data)) {
		if want := int64(900000 + n*3750); at != want {
			t.Fatalf("frame %d at %d, want %d", n, at, want)
		}
	}
}

// Constrained profiles hold no frame back; the others may.
func TestReordering(t *testing.T) {
	t.Parallel()
	source := makeClip(t, ".ts", pattern("160x90", 30, 2)+" "+x264)
	// The fastest presets use no tools that would tell the profiles apart.
	e, err := libav.New(libav.Options{Device: "cpu", Preset: "veryfast", Cores: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	tests := []struct {
		profile core.H264Profile
		idc     int
		reorder bool
	}{
		{core.ProfileBaseline, 66, false},
		{core.ProfileConstrainedHigh, 100, false},
		{core.ProfileMain, 77, true},
		{core.ProfileHigh, 100, true},
	}
	for _, tt := range tests {
		got, err := e.Transcode(context.Background(), job(source,
			small("x", func(p *core.Profile) { p.Profile = tt.profile })))
		if err != nil {
			t.Fatal(err)
		}
		out := verify(t, got.Renditions[0].Data)
		if out.Video.Reordered > 0 != tt.reorder || out.Video.Profile&^(1<<9|1<<11) != tt.idc {
			t.Errorf("profile %d: H.264 profile %d, %d frames held back", tt.profile, out.Video.Profile, out.Video.Reordered)
		}
	}
}

func TestReportedRate(t *testing.T) {
	t.Parallel()
	source := makeClip(t, ".ts", pattern("160x90", "30000/1001", 2)+" "+x264)
	for _, format := range []core.Format{core.FormatMPEGTS, core.FormatMP4} {
		got := transcode(t, source,
			small("as it is", func(p *core.Profile) { p.Format = format }),
			small("25", both(fps(25, 1), func(p *core.Profile) { p.Format = format })))
		for i, want := range []float64{30000.0 / 1001, 25} {
			v := verify(t, got.Renditions[i].Data).Video
			if rate := float64(v.RateNum) / float64(v.RateDen); rate < want*0.999 || rate > want*1.001 {
				t.Errorf("%s: %d/%d frames per second, want %v", format.Ext(), v.RateNum, v.RateDen, want)
			}
		}
	}
}
