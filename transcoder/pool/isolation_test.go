package pool_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// A segment that found no worker of its own free was never in work: that is not told
// as the end of its time, for which gateways pay.
func TestWaitingForAWorkerIsNoWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cells := max(2, runtime.NumCPU())
		d := &process{Fake: &coretest.Fake{On: failing(1<<30, fault.WorkerCrashed)}, lonely: &coretest.Fake{On: hang}}
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 1000})
		defer p.Close()
		var wg sync.WaitGroup
		for s := range cells {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
				defer cancel()
				// Each is of another sender: a second one of the same would wait elsewhere.
				_, _ = p.Transcode(ctx, from(fmt.Sprint("gateway", s), fmt.Sprint(s), 0))
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := p.Transcode(ctx, job("late", 0, 1)); fault.CodeOf(err) != fault.TranscoderBusy {
			t.Errorf("got %v", err)
		}
		wg.Wait()
	})
}

// While many senders end workers, a sender that is known for good work begins new streams
// concurrently, and does not wait for theirs.
func TestManyBadSendersDelayNoKnownOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var wait atomic.Bool
		on := func(ctx context.Context, n int, job *core.TranscodeJob) error {
			switch {
			case job.Party == "good":
				return nil
			case wait.Load():
				return hang(ctx, n, job)
			}
			return fault.New(fault.WorkerCrashed, "transcode", "as asked")
		}
		d := &tested{process: &process{Fake: &coretest.Fake{Name: "0", On: on}, lonely: &coretest.Fake{On: on}}}
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 999})
		defer p.Close()
		for n := range 20 {
			if _, err := p.Transcode(t.Context(), from("good", "old", n)); err != nil {
				t.Fatal(err)
			}
		}
		const bads = 12
		for n := range bads {
			_, _ = p.Transcode(t.Context(), from(fmt.Sprint("bad", n), fmt.Sprint("first", n), 0))
			if _, err := p.Transcode(t.Context(), from("good", "old", 20+n)); err != nil {
				t.Fatal(err)
			}
		}
		wait.Store(true)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for n := range 10 * bads {
			wg.Go(func() { _, _ = p.Transcode(ctx, from(fmt.Sprint("bad", n), fmt.Sprint("next", n), 0)) })
		}
		synctest.Wait()
		for n := range 10 {
			short, end := context.WithTimeout(t.Context(), time.Second)
			if _, err := p.Transcode(short, from("good", fmt.Sprint("new", n), 0)); err != nil {
				t.Errorf("new stream %d: %v", n, err)
			}
			end()
		}
		cancel()
		wg.Wait()
	})
}
