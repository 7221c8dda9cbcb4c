package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// TestMain lets the test program be the media worker that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == mediaWorker || os.Args[1] == watchDriver) {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// small generates a short stream of small frames.
func small(t *testing.T, segments int) []piece {
	t.Helper()
	src, err := clip.Generate(clip.Options{Width: 320, Height: 180, Segment: time.Second, Segments: segments,
		Bitrate: 300_000})
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := collect(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return pieces
}

// TestLibavInAWorkerKeepsTheContract is the shared suite on the real thing: libav
// in its sandbox, a process of its own.
func TestLibavInAWorkerKeepsTheContract(t *testing.T) {
	t.Parallel()
	clips := coretest.Clips{Bad: bytes.Repeat([]byte("not media "), 1000)}
	for _, p := range small(t, 4) {
		clips.Good = append(clips.Good, coretest.Clip{Data: p.data, Duration: p.duration})
	}
	coretest.EngineContract(t, func(tb testing.TB) coretest.Engine {
		c, err := worker.Start(tb.Context(),
			worker.Options{Device: "cpu", Args: []string{mediaWorker}, Env: []string{envPreset + "=ultrafast"}})
		if err != nil {
			tb.Fatal(err)
		}
		return c
	}, clips)
}

func TestLibavInAWorkerProbes(t *testing.T) {
	t.Parallel()
	c, err := worker.Start(t.Context(), worker.Options{Device: "cpu", Args: []string{mediaWorker}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Degraded(); err != nil {
		t.Log(err)
	}
	info, err := c.Probe(t.Context(), small(t, 1)[0].data)
	if err != nil || info.Status != transcoder.ProbeOK || info.VideoCodec != "h264" || info.AudioCodec != "aac" ||
		info.Width != 320 || info.FPS != 30 {
		t.Errorf("got %+v, %v", info, err)
	}
	if info, err := c.Probe(t.Context(), []byte("nothing")); err == nil || info.Status != transcoder.ProbeFailed {
		t.Errorf("nonsense: %+v, %v", info, err)
	}
}

func TestARunFromAPlaylist(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "source.m3u8")
	if err := keep(dir, list, small(t, 3)); err != nil {
		t.Fatal(err)
	}
	args := []string{"-in", list, "-live=false", "-concurrentSessions", "2", "-concurrentSessionDelay", "0",
		"-encoderPreset", "ultrafast", "-transcodingOptions", "P144p30fps16x9"}

	var out, errs strings.Builder
	if status := run(t.Context(), append(args, "-outPrefix", filepath.Join(dir, "out"), "-repeat", "2"), &out,
		&errs); status != exitOK {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	csv := strings.Split(strings.TrimSpace(out.String()), "\n")
	if csv[0] != "timestamp,session,segment,seg_dur,transcode_time,frames" || len(csv) != 1+2*2*3 {
		t.Errorf("standard output:\n%s", out.String())
	}
	for _, line := range csv[1:] {
		if f := strings.Split(line, ","); len(f) != 6 || f[3] != "1" || f[5] != "30" {
			t.Errorf("line %q", line)
		}
	}
	for _, name := range []string{
		"Concurrent Sessions", "Total Segs Transcoded", "Real-Time Segs Transcoded", "* Real-Time Segs Ratio *",
		"Total Source Duration", "Total Transcoding Duration", "* Real-Time Duration Ratio *",
	} {
		if n := strings.Count(errs.String(), name); n < 2 {
			t.Errorf("row %q appears %d times", name, n)
		}
	}
	for k := range 2 {
		for n := range 3 {
			if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("out_P144p30fps16x9_%d_%d.ts", k, n))); err != nil {
				t.Error(err)
			}
		}
	}

	out.Reset()
	if status := run(t.Context(), append(args, "-json", "-inProcess", "-segs", "5"), &out, &errs); status != exitOK {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	var doc document
	if err := json.Unmarshal([]byte(out.String()), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Runs) != 1 || doc.Runs[0].Segments != 10 || doc.Runs[0].Source != 10 || doc.Runs[0].P99 <= 0 ||
		doc.Limit != nil {
		t.Errorf("got %+v", doc)
	}
}

func TestAFailedSegmentEndsTheRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := filepath.Join(dir, "source.m3u8")
	if err := keep(dir, list, []piece{{bytes.Repeat([]byte("x"), 5000), time.Second}}); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	if status := run(t.Context(), []string{"-in", list}, &out, &errs); status != exitFailed ||
		!strings.Contains(errs.String(), "session 0, segment 0") {
		t.Errorf("status %d: %s", status, errs.String())
	}
}
