package libav_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
)

func gop(seconds float64) func(*core.Profile) {
	return func(p *core.Profile) { p.GOP = core.GOP(seconds * 1e9) }
}

func intra(p *core.Profile) { p.GOP = core.GOPIntra }

func both(a, b func(*core.Profile)) func(*core.Profile) {
	return func(p *core.Profile) { a(p); b(p) }
}

func keep(*core.Profile) {}

// The counts of the network's conformance vectors. keys 0 is not checked.
func TestFrameCounts(t *testing.T) {
	t.Parallel()
	slow := pattern("160x90", 1, 10) + " " + x264 + " -muxdelay 0 -muxpreload 0 -output_ts_offset 10"
	tests := []struct {
		name    string
		source  string // empty for the ordinary segment
		change  func(*core.Profile)
		decoded int
		encoded []int
		keys    int
	}{
		{"60 to 30", "", fps(30, 1), 120, []int{60}, 0},
		{"60 to 15", "", fps(15, 0), 120, []int{30}, 0},
		{"60 to 123", "", fps(123, 1), 120, []int{246}, 0},
		{"60 to 23.976", "", fps(24000, 1001), 120, []int{48, 49}, 0},
		{"60 to 29.97", "", fps(30000, 1001), 120, []int{60, 61}, 0},
		{"60 to 59.94", "", fps(60000, 1001), 120, []int{119, 120}, 0},
		{"as it is", "", keep, 120, []int{120}, 0},
		{"key frames at 30", "", both(fps(30, 1), gop(0.3)), 120, []int{60}, 7},
		{"key frames as it is", "", gop(0.3), 120, []int{120}, 7},
		{"1 fps, gop 2 s", slow, gop(2), 10, []int{10}, 5},
		{"1 fps, intra", slow, intra, 10, []int{10}, 10},
		{"1 fps to 10, intra", slow, both(fps(10, 1), intra), 10, []int{100}, 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			source := segment(t)
			if tt.source != "" {
				source = makeClip(t, ".ts", tt.source)
			}
			got := transcode(t, source, small("x", tt.change))
			out := verify(t, got.Renditions[0].Data)
			if int(got.DecodedFrames) != tt.decoded {
				t.Errorf("%d decoded, want %d", got.DecodedFrames, tt.decoded)
			}
			n := int(got.Renditions[0].Frames)
			if !slices.Contains(tt.encoded, n) || len(out.Video.Frames) != n {
				t.Errorf("%d encoded, %d in the file, want one of %v", n, len(out.Video.Frames), tt.encoded)
			}
			if k := out.Video.KeyPackets(); tt.keys != 0 && k != tt.keys {
				t.Errorf("%d key frames, want %d", k, tt.keys)
			}
		})
	}
}

// Whatever the length, at least one frame comes out, also at a lower rate.
func TestVeryShort(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3, 5, 6, 10} {
		t.Run(fmt.Sprintf("%d frames", n), func(t *testing.T) {
			t.Parallel()
			source := makeClip(t, ".ts", pattern("160x90", 3, 10)+fmt.Sprintf(" -frames:v %d ", n)+x264)
			got := transcode(t, source, small("1 fps", fps(1, 1)), small("as it is", nil),
				small("mp4", func(p *core.Profile) { p.Format = core.FormatMP4 }))
			for i, r := range got.Renditions {
				if r.Frames < 1 || len(verify(t, r.Data).Video.Frames) != int(r.Frames) {
					t.Errorf("rendition %d: %d frames reported, %d found", i, r.Frames, len(verify(t, r.Data).Video.Frames))
				}
			}
			if got.Renditions[1].Frames != core.Frames(n) {
				t.Errorf("%d frames kept of %d", got.Renditions[1].Frames, n)
			}
		})
	}
}

// A source that turns in the middle of a segment gives a rendition that turns.
func TestRotationInside(t *testing.T) {
	t.Parallel()
	part := func(size string, at int) []byte {
		return makeClip(t, ".ts",
			pattern(size, 60, 2)+" "+x264+fmt.Sprintf(" -g 60 -bf 0 -muxdelay 0 -muxpreload 0 -output_ts_offset %d", at))
	}
	var source []byte
	source = append(source, part("100x56", 10)...)
	source = append(source, part("56x100", 12)...)
	source = append(source, part("100x56", 14)...)
	want := [][2]int{{256, 144}, {146, 260}, {256, 144}}
	profiles := []core.Profile{small("as it is", nil), small("30", fps(30, 1)),
		small("mp4", func(p *core.Profile) { p.Format = core.FormatMP4 })}
	got := transcode(t, source, profiles...)
	if got.DecodedPixels != 360*56*100 {
		t.Errorf("%d pixels decoded", got.DecodedPixels)
	}
	for i, each := range []int{120, 60, 120} {
		out := verify(t, got.Renditions[i].Data)
		if len(out.Video.Frames) != 3*each {
			t.Errorf("rendition %d: %d frames, want %d", i, len(out.Video.Frames), 3*each)
			continue
		}
		for n, f := range out.Video.Frames {
			if size := want[n/each]; f.Width != size[0] || f.Height != size[1] {
				t.Errorf("rendition %d, frame %d: %dx%d, want %v", i, n, f.Width, f.Height, size)
				break
			}
		}
		if out.Video.Pixels() != int64(got.Renditions[i].Pixels) {
			t.Errorf("rendition %d: %d pixels, reported %d", i, out.Video.Pixels(), got.Renditions[i].Pixels)
		}
	}
}

// Every container in, every container out, one after the other in one session.
func TestMixedFormats(t *testing.T) {
	t.Parallel()
	e := engine(t)
	for i, ext := range []string{".ts", ".ts", ".mp4", ".mp4"} {
		format := core.Format(i % 2)
		source := makeClip(t, ext, pattern("160x90", 60, 2)+" "+tone(2)+" "+x264+" -g 60 "+aac)
		got := run(t, e, job(source, small("x", both(fps(30, 1), func(p *core.Profile) { p.Format = format }))))
		out := verify(t, got.Renditions[0].Data)
		if got.DecodedFrames != 120 || len(out.Video.Frames) != 60 {
			t.Errorf("%s to %s: %d decoded, %d encoded", ext, format.Ext(), got.DecodedFrames, len(out.Video.Frames))
		}
		if src := verify(t, source); !slices.Equal(sums(src), sums(out)) {
			t.Errorf("%s to %s: audio differs", ext, format.Ext())
		}
	}
}

// Segments out of order, with gaps and again come out as if each were alone.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	at := func(n int) []byte {
		return makeClip(t, ".ts", pattern("160x90", 60,
			2)+" "+tone(2)+" "+x264+" -g 60 "+aac+fmt.Sprintf(" -muxdelay 0 -muxpreload 0 -output_ts_offset %d", 10+2*n))
	}
	profile := small("x", both(fps(123, 1), gop(0.3)))
	e := engine(t)
	for _, n := range []int{1, 0, 3, 2, 0, 3, 3} {
		got := run(t, e, job(at(n), profile))
		alone := transcode(t, at(n), profile)
		if got.DecodedFrames != 120 || got.Renditions[0].Frames != 246 {
			t.Errorf("segment %d: %d decoded, %d encoded", n, got.DecodedFrames, got.Renditions[0].Frames)
		}
		a, b := verify(t, got.Renditions[0].Data), verify(t, alone.Renditions[0].Data)
		if !slices.Equal(times(a), times(b)) || times(a)[0] != int64(10+2*n)*90000 {
			t.Errorf("segment %d: times differ from those alone, beginning at %d and %d", n, times(a)[0], times(b)[0])
		}
	}
}
