package verify_test

import (
	"bytes"
	"context"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// TestRenditionsOfOurEngine: what our own engine reports is what is counted, and has
// the size that is wanted.
func TestRenditionsOfOurEngine(t *testing.T) {
	t.Parallel()
	engine, err := libav.New(libav.Options{Device: "cpu", Preset: "ultrafast", Cores: 1})
	if err != nil {
		t.Fatal(err)
	}
	profiles := []core.Profile{
		{Name: "small", Width: 240, Height: 135, Bitrate: 200_000},
		{Name: "slow", Width: 160, Height: 90, Bitrate: 100_000, FPS: core.Framerate{Num: 10, Den: 1}},
		{Name: "high", Width: 320, Height: 180, Bitrate: 300_000, Profile: core.ProfileHigh},
		{Name: "fast", Width: 256, Height: 144, Bitrate: 300_000, FPS: core.Framerate{Num: 60000, Den: 1001}},
		{Name: "movie", Width: 256, Height: 144, Bitrate: 300_000, Format: core.FormatMP4},
	}
	for name, args := range map[string]string{
		"plain": picture + x264, "b-frames": picture + tone + medium, "open gop": kinds["open gop"], "mbaff": kinds["mbaff"],
		"portrait": "-f lavfi -i testsrc2=size=180x320:rate=30:duration=1 " + x264, "variable rate": kinds["variable rate"],
		"one frame": kinds["one frame"],
	} {
		t.Run(name, func(t *testing.T) {
			data := clip(t, args, "ts")
			source := hold(t, data, "ts")
			out, err := engine.Transcode(context.Background(), &core.TranscodeJob{
				Session: core.SessionID(name), Manifest: "m", Input: data, Duration: time.Second, Profiles: profiles,
				Origin: "offchain",
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range out.Renditions {
				v := hold(t, r.Data, profiles[i].Format.Ext()[1:])
				if v.Frames != r.Frames || v.Pixels != r.Pixels {
					t.Errorf("%s: counted %d frames, %d pixels; reported %d, %d", profiles[i].Name, v.Frames, v.Pixels, r.Frames,
						r.Pixels)
				}
				if err := verify.CheckSize(v, verify.Size{Width: source.Width, Height: source.Height}, profiles[i]); err != nil {
					t.Errorf("%s: %v", profiles[i].Name, err)
				}
			}
		})
	}
}

// TestSizesThatChange: a client's source that changes its size within a segment, has two videos, or whose
// headers tell of another size than its frames have, does not make an honest transcoder's result look false.
func TestSizesThatChange(t *testing.T) {
	t.Parallel()
	engine, err := libav.New(libav.Options{Device: "cpu", Preset: "ultrafast", Cores: 1})
	if err != nil {
		t.Fatal(err)
	}
	profiles := []core.Profile{{Name: "small", Width: 240, Height: 135, Bitrate: 200_000}}
	wide := clip(t, picture+x264, "ts")
	square := clip(t, "-f lavfi -i testsrc2=size=480x480:rate=30:duration=0.1 "+x264, "ts")
	// As many pixels as in the wide ones, in another shape.
	equal := clip(t, "-f lavfi -i testsrc2=size=240x240:rate=30:duration=0.5 "+x264, "ts")
	two := "-f lavfi -i testsrc2=size=480x480:rate=30:duration=0.1 " + picture + "-map 0 -map 1 " + x264
	swapped := picture + "-f lavfi -i testsrc2=size=480x480:rate=30:duration=0.1 -map 0 -map 1 " + x264
	boxes := clip(t, picture+x264, "mp4")
	at := bytes.Index(boxes, []byte("avc1\x00\x00\x00\x00\x00\x00\x00\x01"))
	if at < 0 {
		t.Fatal("the clip has no sample entry")
	}
	copy(boxes[at+4+24:], []byte{1, 224, 1, 224}) // 480×480
	for name, data := range map[string][]byte{
		"larger first": slices.Concat(square, wide), "smaller first": slices.Concat(wide, square),
		"a broken beginning": slices.Concat(square[:len(square)/2/188*188], wide), "a sample entry": boxes,
		"as large, first": slices.Concat(equal, wide), "as large, then": slices.Concat(wide, equal),
		"two videos": clip(t, two, "ts"), "two videos, swapped": clip(t, swapped, "ts"),
		"two videos as boxes": clip(t, two, "mp4"), "two videos as boxes, swapped": clip(t, swapped, "mp4"),
		"as large, broken": slices.Concat(equal[:len(equal)/2/188*188], wide),
	} {
		t.Run(name, func(t *testing.T) {
			out, err := engine.Transcode(t.Context(), &core.TranscodeJob{
				Session: core.SessionID(name), Manifest: "m", Input: data, Duration: time.Second,
				Profiles: profiles, Origin: "offchain",
			})
			if err != nil {
				t.Fatal(err)
			}
			headers := verify.SniffSegment(data)
			r := verify.Result{
				Profiles: profiles, Input: verify.ReadSource(data, time.Second),
				Source:     verify.Size{Width: headers.Width, Height: headers.Height},
				Renditions: [][]byte{out.Renditions[0].Data}, Pixels: []core.Pixels{out.Renditions[0].Pixels},
			}
			if err := r.Check(); err != nil {
				t.Errorf("headers say %d×%d: %v", headers.Width, headers.Height, err)
			}
		})
	}
}

// cpu is the CPU time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAgainstDecode counts a rendition of 720p, 2 s, 3 Mbit/s, and decodes it
// concurrently; it reports how many times the CPU time a decode takes.
func BenchmarkAgainstDecode(b *testing.B) {
	data := clip(b, "-f lavfi -i testsrc2=size=1280x720:rate=30:duration=2,noise=alls=12:allf=t -c:v libx264 -pix_fmt "+
		"yuv420p -preset veryfast -b:v 3M -g 60", "ts")
	var count, decode time.Duration
	const counts = 10
	for b.Loop() {
		begin := cpu()
		for range counts {
			if v, err := verify.Count(data); err != nil || v.Frames != 60 {
				b.Fatal(v, err)
			}
		}
		between := cpu()
		r, err := libav.Inspect(context.Background(), data)
		if err != nil || len(r.Video.Frames) != 60 {
			b.Fatal(err)
		}
		count, decode = count+between-begin, decode+cpu()-between
	}
	b.SetBytes(int64(len(data)))
	b.ReportMetric(float64(count.Microseconds())/float64(counts*b.N), "count-µs")
	b.ReportMetric(float64(decode.Microseconds())/float64(b.N), "decode-µs")
	b.ReportMetric(counts*float64(decode)/float64(count), "times")
	if b.N > 1 && decode < 20*count/counts {
		b.Errorf("a decode takes %v, counting %v", decode, count/counts)
	}
}
