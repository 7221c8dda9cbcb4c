package coretest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestSimDeviceKeepsTheContract(t *testing.T) {
	t.Parallel()
	coretest.EngineContract(t, func(testing.TB) coretest.Engine { return &coretest.SimDevice{Cost: 1e-12} },
		coretest.FakeClips())
}

func simJob(session string, renditions int) *core.TranscodeJob {
	job := &core.TranscodeJob{Session: core.SessionID(session), Input: []byte("x"), Duration: 2 * time.Second}
	for range renditions {
		job.Profiles = append(job.Profiles, core.Profile{Width: 1000, Height: 100})
	}
	return job
}

func wantSim(t *testing.T, d *coretest.SimDevice, job *core.TranscodeJob, want fault.Code) {
	t.Helper()
	_, err := d.Transcode(t.Context(), job)
	if want == "" && err != nil || want != "" && !errors.Is(err, want) {
		t.Errorf("session %s: got %v, want %q", job.Session, err, want)
	}
}

func TestSimDeviceRefusesWhatHardwareDoes(t *testing.T) {
	t.Parallel()
	d := &coretest.SimDevice{Encoders: 5, Memory: 1000, SessionMemory: 300, RenditionMemory: 100}
	wantSim(t, d, simJob("a", 2), "") // 2 encoders, 400 bytes
	wantSim(t, d, simJob("b", 4), fault.EncoderSessionsExhausted)
	wantSim(t, d, simJob("b", 3), "") // 5, 900
	wantSim(t, d, simJob("a", 2), "") // has its own already
	d.EndSession("b")
	d.Foreign(0, 300)
	wantSim(t, d, simJob("c", 3), fault.GPUOutOfMemory)
	d.Foreign(0, 0)
	wantSim(t, d, simJob("c", 3), "")
	if sessions, encoders, memory := d.Used(); sessions != 2 || encoders != 5 || memory != 900 {
		t.Errorf("in use %d, %d, %d", sessions, encoders, memory)
	}
}

func TestSimDeviceScript(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// One rendition is 3 million pixels a second: a ratio of 0.3.
		d := &coretest.SimDevice{Cost: 1e-7}
		timed := func(job *core.TranscodeJob) (time.Duration, error) {
			start := time.Now()
			_, err := d.Transcode(t.Context(), job)
			return time.Since(start).Round(time.Millisecond), err
		}
		if took, err := timed(simJob("a", 1)); took != 600*time.Millisecond || err != nil {
			t.Errorf("took %v, %v", took, err)
		}
		d.Slow(2)
		if took, _ := timed(simJob("a", 1)); took != 1200*time.Millisecond {
			t.Errorf("slowed down %v", took)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if took, err := timed(simJob("a", 1)); !errors.Is(err, fault.WorkerCrashed) || took != time.Second {
				t.Errorf("crashed after %v: %v", took, err)
			}
		})
		<-time.After(time.Second)
		d.Crash()
		wg.Wait()
		d.Hang()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := d.Transcode(ctx, simJob("a", 1)); !errors.Is(err, fault.DeadlineExceeded) {
			t.Errorf("hangs: %v", err)
		}
		d.Lose(fault.New(fault.UnrecoverableState, "transcode", "fell off the bus"))
		wantSim(t, d, simJob("a", 1), fault.UnrecoverableState)
		if d.Reprobe(t.Context()) == nil {
			t.Error("a lost device passes its test")
		}
		d.Recover()
		wantSim(t, d, simJob("a", 1), "")
		if err := d.Reprobe(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
