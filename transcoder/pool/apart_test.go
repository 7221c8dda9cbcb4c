package pool_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/coretest"
	"github.com/tuttinode/tutti/core/fault"
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
			wg.Go(func() { _ = bounded(t, p, fmt.Sprint(s), 0) })
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
