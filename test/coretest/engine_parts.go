package coretest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// must transcodes and checks what every result has to fulfill.
func must(t *testing.T, e Engine, job *core.TranscodeJob) *core.TranscodeResult {
	t.Helper()
	res, err := e.Transcode(t.Context(), job)
	if err != nil {
		t.Fatalf("segment %d of %s: %v", job.Number, job.Session, err)
	}
	if len(res.Renditions) != len(job.Profiles) {
		t.Fatalf("%d renditions for %d profiles", len(res.Renditions), len(job.Profiles))
	}
	for i, r := range res.Renditions {
		if len(r.Data) < core.MinRenditionBytes || r.Frames <= 0 || r.Pixels <= 0 {
			t.Errorf("rendition %d: %d bytes, %d frames, %d pixels", i, len(r.Data), r.Frames, r.Pixels)
		}
	}
	if res.DecodedFrames <= 0 || res.DecodedPixels <= 0 {
		t.Errorf("decoded %d frames, %d pixels", res.DecodedFrames, res.DecodedPixels)
	}
	return res
}

// same compares what a repeated segment has to have in common; the bytes may
// differ, an encoder need not be deterministic.
func same(t *testing.T, a, b *core.TranscodeResult) {
	t.Helper()
	if a.DecodedFrames != b.DecodedFrames || a.DecodedPixels != b.DecodedPixels {
		t.Errorf("decoded %d frames and %d pixels, then %d and %d", a.DecodedFrames, a.DecodedPixels, b.DecodedFrames,
			b.DecodedPixels)
	}
	for i := range a.Renditions {
		x, y := a.Renditions[i], b.Renditions[i]
		if x.Frames != y.Frames || x.Pixels != y.Pixels {
			t.Errorf("rendition %d: %d frames and %d pixels, then %d and %d", i, x.Frames, x.Pixels, y.Frames, y.Pixels)
		}
	}
}

func renditionsInOrder(t *testing.T, e Engine, clips Clips) {
	for n := range 3 {
		res := must(t, e, clips.job("order", n))
		for i := 1; i < len(res.Renditions); i++ {
			if res.Renditions[i].Pixels >= res.Renditions[i-1].Pixels {
				t.Errorf("rendition %d is not the smaller one: %d after %d pixels", i, res.Renditions[i].Pixels,
					res.Renditions[i-1].Pixels)
			}
		}
	}
}

func againGivesTheSame(t *testing.T, e Engine, clips Clips) {
	first := must(t, e, clips.job("again", 1))
	same(t, first, must(t, e, clips.job("again", 1)))
	reinit := clips.job("again", 1)
	reinit.Reinit = true
	same(t, first, must(t, e, reinit))
}

func anyOrder(t *testing.T, e Engine, clips Clips) {
	alone := make([]*core.TranscodeResult, 3)
	for n := range alone {
		alone[n] = must(t, e, clips.job(core.SessionID(fmt.Sprint("alone", n)), n))
	}
	for _, n := range []int{2, 0, 1, 1, 2} {
		same(t, alone[n], must(t, e, clips.job("shuffled", n)))
	}
}

func goesOnAfterAnError(t *testing.T, e Engine, clips Clips) {
	before := must(t, e, clips.job("errors", 0))
	bad := clips.job("errors", 1)
	bad.Input = clips.Bad
	res, err := e.Transcode(t.Context(), bad)
	if err == nil || res != nil {
		t.Fatalf("bad input: %v, %v", res, err)
	}
	if _, ok := errors.AsType[*fault.Fault](err); !ok {
		t.Errorf("bad input gives no fault but %v", err)
	}
	same(t, before, must(t, e, clips.job("errors", 0)))
}

func canceledJobFails(t *testing.T, e Engine, clips Clips) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res, err := e.Transcode(ctx, clips.job("cancel", 0)); err == nil || res != nil {
		t.Errorf("canceled before: %v, %v", res, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		// Either outcome is right, in part is not.
		res, err := e.Transcode(ctx, clips.job("cancel", 1))
		if (res == nil) == (err == nil) {
			t.Errorf("canceled in work: %v, %v", res, err)
		}
	})
	cancel()
	wg.Wait()
	must(t, e, clips.job("cancel", 2))
}

func sessionsCanBeEnded(t *testing.T, e Engine, clips Clips) {
	e.EndSession("unknown")
	first := must(t, e, clips.job("ended", 0))
	e.EndSession("ended")
	e.EndSession("ended")
	same(t, first, must(t, e, clips.job("ended", 0)))
}

func closedMeansClosed(t *testing.T, e Engine, clips Clips) {
	must(t, e, clips.job("closed", 0))
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if res, err := e.Transcode(t.Context(), clips.job("closed", 1)); err == nil || res != nil {
		t.Errorf("after close: %v, %v", res, err)
	}
	e.EndSession("closed")
	if err := e.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

func sessionsSideBySide(t *testing.T, e Engine, clips Clips) {
	want := []*core.TranscodeResult{must(t, e, clips.job("reference", 0)), must(t, e, clips.job("reference", 1))}
	var wg sync.WaitGroup
	for s := range 4 {
		wg.Go(func() {
			for n := range want {
				res, err := e.Transcode(t.Context(), clips.job(core.SessionID(fmt.Sprint("side", s)), n))
				if err != nil {
					t.Errorf("session %d, segment %d: %v", s, n, err)
					return
				}
				same(t, want[n], res)
			}
		})
	}
	wg.Wait()
}

func inputStaysTheCallers(t *testing.T, e Engine, clips Clips) {
	job := clips.job("input", 0)
	job.Input = bytes.Clone(job.Input)
	res := must(t, e, job)
	if !bytes.Equal(job.Input, clips.Good[0].Data) {
		t.Error("the input was changed")
	}
	data := bytes.Clone(res.Renditions[0].Data)
	clear(job.Input)
	if !bytes.Equal(data, res.Renditions[0].Data) {
		t.Error("the result lives in the input's memory")
	}
}

func profilesMayChange(t *testing.T, e Engine, clips Clips) {
	must(t, e, clips.job("profiles", 0))
	fewer := clips.job("profiles", 1)
	fewer.Profiles = fewer.Profiles[1:]
	must(t, e, fewer)
	must(t, e, clips.job("profiles", 2))
}
