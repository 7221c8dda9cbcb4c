package libav_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// Whatever comes in gives as many renditions as were asked for, each a file, or
// a fault with a code. Anything else, a crash above all, is a find.
func FuzzTranscode(f *testing.F) {
	for _, pattern := range []string{"testdata/*.ts", "testdata/*.mp4", "testdata/*.webm", "mediafile/testdata/*.ts"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, byte(0))
			f.Add(data[:len(data)/2], byte(3))
		}
	}
	e, err := libav.New(libav.Options{Device: "cpu", Preset: "ultrafast", Cores: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = e.Close() })
	f.Fuzz(func(t *testing.T, data []byte, kind byte) {
		j := job(data, small("x", func(p *core.Profile) {
			p.Width, p.Height, p.Format = 146, 50, core.Format(kind&1)
			if kind&2 != 0 {
				p.FPS = core.Framerate{Num: 30}
			}
		}))
		j.Signature = kind&4 != 0
		if kind&8 != 0 {
			j.Clip = &core.Clip{From: 100 * time.Millisecond}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		got, err := e.Transcode(ctx, j)
		if err != nil {
			if fault.CodeOf(err) == fault.Unexpected {
				t.Fatalf("no code: %v", err)
			}
			return
		}
		if len(got.Renditions) != 1 || len(got.Renditions[0].Data) < core.MinRenditionBytes {
			t.Fatalf("%d renditions", len(got.Renditions))
		}
	})
}
