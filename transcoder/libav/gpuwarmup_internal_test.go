package libav

import (
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/fakegpu"
)

// TestGPUWithoutEncoderSlots: where the CPU encodes, no more segments are in
// work at once than it has cores, and the reason is kept.
func TestGPUWithoutEncoderSlots(t *testing.T) {
	room := func(e *Engine) (n int64) {
		s := e.slots.Load().all
		for s.TryAcquire(1) {
			n++
		}
		s.Release(n)
		return n
	}
	b := newGPUBench(t)
	if reason, none := b.NoEncoder(); none || reason != "" || room(b.Engine) != gpuSegments {
		t.Errorf("an encoder: %q, %t, room for %d", reason, none, room(b.Engine))
	}
	b = newGPUBench(t, "device0.encodes=0")
	reason, none := b.NoEncoder()
	if want := "OpenEncodeSessionEx failed: unsupported device (2): (no details)"; !none || reason != want ||
		room(b.Engine) != 2 {
		t.Errorf("no encoder: %q, %t, room for %d", reason, none, room(b.Engine))
	}
	if reason, none := (&Engine{}).NoEncoder(); !none || reason != "" {
		t.Errorf("the CPU: %q, %t", reason, none)
	}
}

// TestGPUWarmUp: the device has done everything once before the first segment, and
// holds nothing of it.
func TestGPUWarmUp(t *testing.T) {
	d := fakegpu.Load(t)
	for script, want := range map[string]struct{ decoded, uploaded, encoded, downloaded bool }{
		"":                       {true, true, true, false},
		"device0.encodes=0":      {true, false, false, true},
		"encoder.cap=0":          {true, false, false, true},
		"device0.decodes=vp9":    {false, true, true, false},
		"device0.decode.every=1": {false, true, true, false},
		"cuda.module=222":        {true, true, false, false},
	} {
		before := d.Counts(0)
		b := newGPUBench(t, script)
		c := d.Counts(0)
		const picture = 256 * 144
		got := struct{ decoded, uploaded, encoded, downloaded bool }{c.PicturesDecoded > before.PicturesDecoded,
			c.UploadedBytes-before.UploadedBytes > picture, c.PicturesEncoded > before.PicturesEncoded,
			c.DownloadedBytes-before.DownloadedBytes > picture}
		if got != want {
			t.Errorf("%q: %+v, want %+v", script, got, want)
		}
		if c.Held.Decoders != 0 || c.Held.Encoders != 0 {
			t.Errorf("%q: holds %+v", script, c.Held)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestGPUFilters counts the filters of usual ladders, each of which has its kernels
// compiled and loaded apart.
func TestGPUFilters(t *testing.T) {
	b := newGPUBench(t)
	for _, row := range []struct {
		size  string
		sizes [][2]int
		want  int64
	}{
		{"854x480", [][2]int{{426, 240}}, 1}, {"1280x720", [][2]int{{854, 480}, {640, 360}, {426, 240}}, 3},
		{"640x360", [][2]int{{426, 240}, {320, 180}}, 2}, {"960x540", [][2]int{{320, 180}}, 2},
	} {
		b.clip = clipOf(t, row.size)
		j := b.job(row.size)
		j.Profiles = nil
		for _, s := range row.sizes {
			j.Profiles = append(
				j.Profiles,
				core.Profile{Name: fmt.Sprint(s), Width: s[0], Height: s[1], Bitrate: 300_000},
			)
		}
		if _, took := b.segment(t, j); took.Modules != row.want {
			t.Errorf("%s to %v: %d filters, want %d", row.size, row.sizes, took.Modules, row.want)
		}
		if _, took := b.segment(t, j); took.Modules != 0 {
			t.Errorf("%s: %d more for the next segment", row.size, took.Modules)
		}
	}
}

func clipOf(t *testing.T, size string) []byte {
	return keptClip(t, ".ts", "-frames:v 2 -s "+size+" -c:v libx264 -preset ultrafast -pix_fmt yuv420p -threads 1", 10)
}
