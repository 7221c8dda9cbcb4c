package libav_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// made keeps every clip made in this run, by its recipe.
var made sync.Map

type recipe struct {
	once sync.Once
	data []byte
	err  error
}

// program is a program of the libav prefix that the tests were built with.
func program(t testing.TB, name string) string {
	t.Helper()
	prefix := os.Getenv("TUTTI_DEPS")
	if prefix == "" {
		t.Skip("TUTTI_DEPS is not set, so there is no ffmpeg to make clips with: run `make test`")
	}
	return filepath.Join(prefix, "bin", name)
}

// make runs ffmpeg with the arguments, where OUT stands for the file to make, and
// returns that file. The same recipe is made once.
func makeClip(t testing.TB, ext, args string) []byte {
	t.Helper()
	ffmpeg := program(t, "ffmpeg")
	v, _ := made.LoadOrStore(ext+" "+args, &recipe{})
	r := v.(*recipe)
	r.once.Do(func() {
		dir, err := os.MkdirTemp("", "clip")
		if err != nil {
			r.err = err
			return
		}
		defer os.RemoveAll(dir)
		out := filepath.Join(dir, "clip"+ext)
		full := append([]string{"-hide_banner", "-loglevel", "error", "-nostdin", "-threads", "1"}, strings.Fields(args)...)
		cmd := exec.Command(ffmpeg, append(full, "-y", out)...)
		if text, err := cmd.CombinedOutput(); err != nil {
			r.err = fmt.Errorf("ffmpeg %s: %w: %s", args, err, text)
			return
		}
		r.data, r.err = os.ReadFile(out)
	})
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.data
}

// Parts of recipes: a moving test pattern, a tone, and plain H.264 with AAC.
const (
	x264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -threads 1"
	aac  = "-c:a aac -b:a 64k -ar 44100"
)

func pattern(size string, rate, seconds any) string {
	return fmt.Sprintf("-f lavfi -i testsrc2=size=%s:rate=%v:duration=%v", size, rate, seconds)
}

func tone(seconds any) string {
	return fmt.Sprintf("-f lavfi -i sine=frequency=440:sample_rate=44100:duration=%v", seconds)
}

// segment is an ordinary segment: 2 s, 60 fps, 160×90, with sound, its first
// frame at 10 s.
func segment(t testing.TB) []byte {
	return makeClip(t, ".ts",
		pattern("160x90", 60, 2)+" "+tone(2)+" "+x264+" -g 60 "+aac+" -output_ts_offset 10 -muxdelay 0 -muxpreload 0")
}

func engine(t testing.TB) *libav.Engine {
	t.Helper()
	e, err := libav.New(libav.Options{Device: "cpu", Preset: "ultrafast", Cores: 2, Version: "0.0.0-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// small is the cheapest profile.
func small(name string, change func(*core.Profile)) core.Profile {
	p := core.Profile{Name: name, Width: 256, Height: 144, Bitrate: 200_000}
	if change != nil {
		change(&p)
	}
	return p
}

func fps(num, den uint32) func(*core.Profile) {
	return func(p *core.Profile) { p.FPS = core.Framerate{Num: num, Den: den} }
}

func job(data []byte, profiles ...core.Profile) *core.TranscodeJob {
	return &core.TranscodeJob{Session: "s", Manifest: "m", Input: data, Profiles: profiles, Origin: "offchain"}
}

// transcode runs a job on an engine of its own, which must succeed.
func transcode(t testing.TB, data []byte, profiles ...core.Profile) *core.TranscodeResult {
	t.Helper()
	return run(t, engine(t), job(data, profiles...))
}

func run(t testing.TB, e *libav.Engine, j *core.TranscodeJob) *core.TranscodeResult {
	t.Helper()
	r, err := e.Transcode(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Renditions) != len(j.Profiles) {
		t.Fatalf("%d renditions for %d profiles", len(r.Renditions), len(j.Profiles))
	}
	return r
}

func verify(t testing.TB, data []byte) *libav.FileReport {
	t.Helper()
	r, err := libav.Inspect(context.Background(), data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
