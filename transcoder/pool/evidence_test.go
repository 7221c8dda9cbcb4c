package pool_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// tested is a process whose device can be tested.
type tested struct {
	*process
	broken atomic.Bool
	tests  atomic.Int32
}

func (d *tested) Reprobe(context.Context) error {
	d.tests.Add(1)
	if d.broken.Load() {
		return fault.New(fault.DeviceTestFailed, "test device", "as asked")
	}
	return nil
}

// deviceThatEnds is one whose workers end over some segments.
func deviceThatEnds(ends func(*core.TranscodeJob) bool) *tested {
	on := func(_ context.Context, _ int, job *core.TranscodeJob) error {
		if ends(job) {
			return fault.New(fault.WorkerCrashed, "transcode", "as asked")
		}
		return nil
	}
	return &tested{process: &process{Fake: &coretest.Fake{Name: "0", On: on}, lonely: &coretest.Fake{On: on}}}
}

// from is a segment of a stream of a sender.
func from(party, stream string, n int) *core.TranscodeJob {
	j := segment(stream, n)
	j.Party, j.Session = party, core.SessionID(fmt.Sprint(stream, " of ", party))
	return j
}

// A device over which the workers of honest streams end, one after another, is tested
// and gets nothing more. What was held against the streams is forgotten.
func TestABrokenDeviceIsFoundByItsTest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deviceThatEnds(func(*core.TranscodeJob) bool { return true })
		d.broken.Store(true)
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 99})
		defer p.Close()
		for n := range 2 {
			_, err := p.Transcode(t.Context(), from(fmt.Sprint("gateway", n), fmt.Sprint("s", n), 0))
			if !errors.Is(err, fault.WorkerCrashed) || errors.Is(err, fault.SegmentRefused) != (n == 0) {
				t.Errorf("stream %d: %v", n, err)
			}
		}
		synctest.Wait()
		if u := p.Devices()[0]; u.State != device.Quarantined || d.tests.Load() != 1 {
			t.Fatalf("after %d tests: %+v", d.tests.Load(), u)
		}
		good := &coretest.Fake{Name: "1"}
		if _, err := p.Attach(good, device.Resources{}); err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			if _, err := p.Transcode(t.Context(), from(fmt.Sprint("gateway", n), fmt.Sprint("s", n), 0)); err != nil {
				t.Errorf("stream %d on another device: %v", n, err)
			}
		}
	})
}

// A device that passes its test is not punished, however many streams end its workers
// and although no other stream shows that it works.
func TestAGoodDeviceIsNotPunished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deviceThatEnds(func(job *core.TranscodeJob) bool { return job.Party == "bad" })
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 999})
		defer p.Close()
		codes := make(map[fault.Code]int)
		for n := range 60 {
			_, err := p.Transcode(t.Context(), from("bad", fmt.Sprint("s", n), n))
			codes[fault.CodeOf(err)]++
			synctest.Wait()
			if p.Ready() != 1 {
				t.Fatalf("not ready after %d", n)
			}
			<-time.After(time.Second / 3)
		}
		// One incident is forgotten in a minute: the rest of the streams is not begun.
		if d.Jobs() != 1 || d.tests.Load() != 1 || codes[fault.SenderDeferred] < 50 ||
			codes[fault.SegmentRefused] == 0 {
			t.Errorf("%d jobs in the shared worker, %d tests, %v", d.Jobs(), d.tests.Load(), codes)
		}
		for n := range 5 {
			if _, err := p.Transcode(t.Context(), from("good", "s", n)); err != nil {
				t.Error(err)
			}
		}
		if d.Jobs() != 6 {
			t.Errorf("%d jobs in the shared worker", d.Jobs())
		}
	})
}

// A segment that blocks its worker for all of its time while others are done is known
// for it: it is refused when it comes again, and its stream has a worker of its own.
func TestASegmentThatBlocksItsWorkerIsKnown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		on := func(ctx context.Context, n int, job *core.TranscodeJob) error {
			if job.Party == "bad" {
				return hang(ctx, n, job)
			}
			return nil
		}
		d := &tested{process: &process{Fake: &coretest.Fake{Name: "0", On: on}, lonely: &coretest.Fake{On: on}}}
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 99})
		defer p.Close()
		push := func(stream string, n int) error {
			// The gateway leaves a little earlier than this node's own time ends.
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			defer time.AfterFunc(7990*time.Millisecond, cancel).Stop()
			_, err := p.Transcode(ctx, from("bad", stream, n))
			return err
		}
		done := make(chan error, 1)
		go func() { done <- push("s", 0) }()
		for n := range 10 {
			if _, err := p.Transcode(t.Context(), from("good", "s", n)); err != nil {
				t.Error(err)
			}
			<-time.After(time.Second)
		}
		if err := <-done; err == nil {
			t.Error("the first was done")
		}
		if err := push("s", 0); !errors.Is(err, fault.SegmentRefused) || errors.Is(err, context.Canceled) {
			t.Errorf("the same again: %v", err)
		}
		jobs := d.Jobs()
		if err := push("s", 1); !errors.Is(err, fault.SegmentRefused) || !errors.Is(err, context.Canceled) {
			t.Errorf("another of the stream: %v", err)
		}
		if err := push("s", 2); !errors.Is(err, fault.SegmentRefused) || d.Jobs() != jobs || d.alone.Load() != 1 {
			t.Errorf("the stream: %v, %d alone", err, d.alone.Load())
		}
		if p.Ready() != 1 || d.tests.Load() != 0 {
			t.Errorf("%d ready, %d tests", p.Ready(), d.tests.Load())
		}
	})
}
