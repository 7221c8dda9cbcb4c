package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/fakegpu"
)

// A run on two cards, and an ffmpeg beside it on the same ones: both do the work
// there, and what the cards did is in the document.
func TestCardsAreMeasured(t *testing.T) {
	d := fakegpu.Build(t)
	d.Script("devices=2")
	t.Setenv("LD_LIBRARY_PATH", d.Directory())
	dir := t.TempDir()
	list := filepath.Join(dir, "source.m3u8")
	if err := keep(dir, list, small(t, 3)); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	status := run(t.Context(), []string{
		"-gpu", "all", "-in", list, "-concurrentSessions", "2", "-concurrentSessionDelay", "0", "-json",
		"-transcodingOptions", "P144p30fps16x9,P240p30fps16x9", "-against", ffmpeg(t),
	}, &out, &errs)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	var doc document
	if err := json.Unmarshal([]byte(out.String()), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Settings["Devices"] != "0,1" || len(doc.Runs) != 1 || doc.Runs[0].Segments != 6 || doc.Against == nil || doc.Against.Ratio <= 0 {
		t.Errorf("got %+v", doc)
	}
	if gpus := doc.Runs[0].GPUs; len(gpus) != 2 || gpus[0].Memory == 0 || gpus[0].EncoderSessions < 2 || gpus[1].EncoderSessions < 2 {
		t.Errorf("the cards: %+v", gpus)
	}
	for n := range 2 {
		if c := d.Counts(n); c.PicturesDecoded == 0 || c.PicturesEncoded == 0 {
			t.Errorf("card %d did nothing: %+v", n, c)
		}
	}
}
