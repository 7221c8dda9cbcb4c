package libav_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
)

// tag is a packet of a track of ID3 tags, which are rare.
func tag(seconds float64) []byte {
	at := uint64(seconds * 90_000)
	p := bytes.Repeat([]byte{0xff}, 188)
	copy(p, []byte{0x47, 0x41, 0x23, 0x10, 0, 0, 1, 0xbd, 0, 14, 0x84, 0x80, 5,
		0x21 | byte(at>>29)&0x0e, byte(at >> 22), byte(at>>14) | 1, byte(at >> 7), byte(at<<1) | 1, 'I', 'D', '3', 4, 0, 0})
	return p
}

// A clock that jumps in the middle of a segment costs no frame and no segment: encoders
// that are restarted, and cameras that set their time, do that.
func TestClockJumpsInsideASegment(t *testing.T) {
	t.Parallel()
	const still = " -muxdelay 0 -muxpreload 0 -output_ts_offset "
	part := func(at string) []byte {
		return makeClip(t, ".ts", pattern("160x90", 30, 1)+" "+tone(1)+" "+x264+" -bf 2 "+aac+still+at)
	}
	tests := []struct {
		name   string
		source []byte
	}{
		{"forward by an hour", slices.Concat(part("10"), part("3610"))},
		{"forward by a minute", slices.Concat(part("10"), part("70"))},
		{"back to the beginning", slices.Concat(part("3600"), part("1"))},
		{"back by 10 s", slices.Concat(part("20"), part("10"))},
		{"forward, after tags", slices.Concat(tag(10), tag(10.5), part("10"), part("3610"))},
		{"forward, before tags", slices.Concat(part("10"), part("3610"), tag(3610), tag(3610.5))},
		{"there and back", slices.Concat(part("10"), part("5000"), part("12"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := 30 * len(tt.source) / len(part("10")) // about
			for name, change := range map[string]func(*core.Profile){
				"as it is": func(*core.Profile) {}, "30 fps": fps(30,
					1), "MP4": func(p *core.Profile) { p.Format = core.FormatMP4 },
				"MP4, 25 fps": func(p *core.Profile) { fps(25, 1)(p); p.Format = core.FormatMP4 },
			} {
				got := transcode(t, tt.source, small("x", change))
				out := verify(t, got.Renditions[0].Data)
				at := unwrapped(times(out))
				odd := 0
				for i := 1; i < len(at); i++ {
					if step := at[i] - at[i-1]; step < 2700 || step > 4000 {
						odd++
					}
				}
				t.Logf("%s: %d frames, %d odd steps", name, len(at), odd)
				if n := len(at); n < want*5/6-3 || n > want+3 {
					t.Errorf("%s: %d frames, want about %d", name, n, want)
				}
				if odd > 2 {
					t.Errorf("%s: %d steps are not those of the frame rate: %v", name, odd, at)
				}
			}
		})
	}
}
