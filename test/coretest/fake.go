package coretest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// FakeBad is an input that Fake refuses as no media.
const FakeBad = "not media"

// Fake is a transcoder without media: it gives every job the renditions asked
// for, with counts that follow from the job. The zero value is ready. Set the
// fields before the first call.
type Fake struct {
	// Name is what Device returns; empty means "cpu".
	Name string
	// Latency is how long a job takes.
	Latency time.Duration
	// RenditionBytes is a rendition's size; 0 means 100.
	RenditionBytes int
	// On runs in each job before the work, with the job's number counted from 1;
	// an error fails the job.
	On func(ctx context.Context, n int, job *core.TranscodeJob) error

	mu     sync.Mutex // covers the fields below
	jobs   int
	active map[core.SessionID]bool
	faults []string
	closed bool
	ended  []core.SessionID
}

// Device names the fake's device.
func (f *Fake) Device() string {
	if f.Name == "" {
		return "cpu"
	}
	return f.Name
}

// Transcode answers as the knobs say.
func (f *Fake) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	n, err := f.begin(job)
	if err != nil {
		return nil, err
	}
	defer f.finish(job)
	start := time.Now()
	if f.On != nil {
		if err := f.On(ctx, n, job); err != nil {
			return nil, err
		}
	}
	if err := wait(ctx, f.Latency); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(job.Input, []byte(FakeBad)) {
		return nil, fault.New(fault.InvalidData, "open segment", "Invalid data found when processing input")
	}
	return f.result(job, time.Since(start)), nil
}

func wait(ctx context.Context, d time.Duration) error {
	if d > 0 && ctx.Err() == nil {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.CodeOf(err), "transcode", err)
	}
	return nil
}

func (f *Fake) begin(job *core.TranscodeJob) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, fault.New(fault.TranscoderStopped, "transcode", "the engine is closed")
	}
	if f.active == nil {
		f.active = make(map[core.SessionID]bool)
	}
	if f.active[job.Session] {
		f.faults = append(f.faults, fmt.Sprintf("segment %d of session %s overlaps another", job.Number, job.Session))
	}
	f.active[job.Session] = true
	f.jobs++
	return f.jobs, nil
}

func (f *Fake) finish(job *core.TranscodeJob) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.active, job.Session)
}

// result counts 30 frames a second, 1920×1080 in and the requested size out.
func (f *Fake) result(job *core.TranscodeJob, took time.Duration) *core.TranscodeResult {
	frames := max(1, int64(30*job.Duration/time.Second))
	res := &core.TranscodeResult{
		DecodedFrames: core.Frames(frames), DecodedPixels: core.Pixels(frames * 1920 * 1080),
		MediaTime: took, SourceDuration: job.Duration,
	}
	size := f.RenditionBytes
	if size == 0 {
		size = 100
	}
	for _, p := range job.Profiles {
		data := make([]byte, size)
		copy(data, fmt.Sprintf("%s %d %s;", job.Session, job.Number, p.Name))
		res.Renditions = append(res.Renditions, core.Rendition{
			Data: data, Frames: core.Frames(frames), Pixels: core.Pixels(frames * int64(p.Width) * int64(p.Height)),
		})
	}
	return res
}

// EndSession remembers the session.
func (f *Fake) EndSession(id core.SessionID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = append(f.ended, id)
}

// Close makes every later job fail.
func (f *Fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return nil
}

// Jobs returns how many jobs were begun.
func (f *Fake) Jobs() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.jobs
}

// Active returns how many jobs are in work.
func (f *Fake) Active() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.active)
}

// Ended lists the sessions that were ended.
func (f *Fake) Ended() []core.SessionID {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]core.SessionID(nil), f.ended...)
}

// Violations lists what callers did against the contract.
func (f *Fake) Violations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.faults...)
}
