package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/fakegpu"
)

// driver is the simulated one, for this process and those that it starts.
func driver(t *testing.T, script ...string) *fakegpu.Driver {
	t.Helper()
	d := fakegpu.Build(t)
	d.Script(script...)
	t.Setenv("LD_LIBRARY_PATH", d.Directory())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return d
}

// cardRun is the document of a run with two renditions of a clip of so many segments.
func cardRun(t *testing.T, segments int, args ...string) document {
	t.Helper()
	dir := t.TempDir()
	list := filepath.Join(dir, "source.m3u8")
	if err := keep(dir, list, small(t, segments)); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	args = append(args, "-in", list, "-concurrentSessionDelay", "0", "-json",
		"-transcodingOptions", "P144p30fps16x9,P240p30fps16x9")
	if status := run(t.Context(), args, &out, &errs); status != exitOK {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	var doc document
	if err := json.Unmarshal([]byte(out.String()), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// A run on two GPUs, and an ffmpeg alongside it on the same ones: both do the work
// there, and what the GPUs did is in the document.
func TestCardsAreMeasured(t *testing.T) {
	d := driver(t, "devices=2")
	doc := cardRun(t, 3, "-gpu", "all", "-concurrentSessions", "2", "-against", ffmpeg(t))
	if doc.Settings["Devices"] != "0,1" || len(doc.Runs) != 1 || doc.Runs[0].Segments != 6 || doc.Against == nil ||
		doc.Against.Ratio <= 0 {
		t.Errorf("got %+v", doc)
	}
	if gpus := doc.Runs[0].GPUs; len(gpus) != 2 || gpus[0].Memory == 0 || gpus[0].EncoderSessions < 2 ||
		gpus[1].EncoderSessions < 2 {
		t.Errorf("the GPUs: %+v", gpus)
	}
	for n := range 2 {
		if c := d.Counts(n); c.PicturesDecoded == 0 || c.PicturesEncoded == 0 {
			t.Errorf("GPU %d did nothing: %+v", n, c)
		}
	}
}

// On a GPU without an encoder the CPU encodes for the other program too, whether
// the driver or libav alone says that there is none.
func TestACardWithoutEncoderIsCompared(t *testing.T) {
	for _, noticed := range []string{"by the driver", "by libav"} {
		d := driver(t, "device.encodes=0", "device.compute=86")
		if noticed == "by libav" {
			d.Remove(t, "libnvidia-ml.so.1")
		}
		before := d.Counts(0)
		doc := cardRun(t, 2, "-gpu", "0", "-live=false", "-encoderPreset", "ultrafast", "-against", ffmpeg(t),
			"-repeat", "2")
		c := d.Counts(0)
		// Twice for the figures, twice in pairs with the other program.
		if got, least := c.PicturesDecoded-before.PicturesDecoded, int64(6*60); got < least || c.PicturesEncoded != 0 {
			t.Errorf("%s: %d frames decoded, want at least %d; %d encoded", noticed, got, least, c.PicturesEncoded)
		}
		if a := doc.Against; a == nil || len(a.Ratios) != 2 || a.Ratios[0] > a.Ratios[1] || a.Ratios[1] != a.Ratio {
			t.Errorf("%s: %+v", noticed, doc.Against)
		}
	}
}

// A session that ends with each segment takes decoder and encoders with it, and a run
// that is bounded by time starts its input over.
func TestSessionsMadeAnew(t *testing.T) {
	d := driver(t)
	opened := func(args ...string) (encoders int64, f figures) {
		before := d.Counts(0)
		doc := cardRun(t, 3, append([]string{"-gpu", "0", "-live=false"}, args...)...)
		return d.Counts(0).EncodersOpened - before.EncodersOpened, doc.Runs[0]
	}
	kept, f := opened()
	if f.Segments != 3 || f.First <= 0 || f.Later <= 0 || f.Slowest < f.P50 || f.Processor <= 0 {
		t.Errorf("kept: %+v", f)
	}
	// The third segment's two encoders and the second's come on top of the first's.
	if fresh, f := opened("-fresh"); fresh != kept+4 || f.Segments != 3 {
		t.Errorf("%d encoders opened, %d where sessions are kept: %+v", fresh, kept, f)
	}
	if long, f := opened("-until", "3s"); long != kept || f.Segments <= 3 || f.Wall < 3 {
		t.Errorf("for three seconds: %d encoders opened: %+v", long, f)
	}
	if _, f := opened("-until", "1ns", "-segs", "2"); f.Segments != 1 {
		t.Errorf("for no time: %+v", f)
	}
}
