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

// crowded is a good device whose test takes longer than its time while several segments
// take all CPU cores that they can get.
type crowded struct {
	*process
	blocking, tests, failed atomic.Int32
}

func (d *crowded) Reprobe(ctx context.Context) error {
	d.tests.Add(1)
	for d.blocking.Load() >= 2 {
		select {
		case <-ctx.Done():
			d.failed.Add(1)
			return fault.New(fault.DeviceTestFailed, "test device", "it takes too long")
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

func (d *crowded) on(ctx context.Context, n int, job *core.TranscodeJob) error {
	if job.Party == "good" {
		return nil
	}
	d.blocking.Add(1)
	defer d.blocking.Add(-1)
	return hang(ctx, n, job)
}

// However many senders block a device at once, one after another or all together, it is
// not taken for broken, and new streams of a sender that is known are done.
func TestACrowdThatBlocksIsNoBrokenDevice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gap  time.Duration
		long int // so many block for as long as the longest segment may take
	}{
		"together": {}, "one after another": {gap: 700 * time.Millisecond}, "some for long": {long: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { blockTogether(t, c.gap, c.long) })
		})
	}
}

func blockTogether(t *testing.T, gap time.Duration, long int) {
	d := &crowded{process: &process{Fake: &coretest.Fake{Name: "0"}, lonely: &coretest.Fake{}}}
	d.On, d.lonely.On = d.on, d.on
	p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 9999})
	defer p.Close()
	for n := range 20 {
		if _, err := p.Transcode(t.Context(), from("good", "old", n)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			<-time.After(time.Duration(i) * gap)
			for n := 0; ctx.Err() == nil; n++ {
				job := from(fmt.Sprint("bad", i), fmt.Sprint("s", n), n)
				if i < long {
					job.Duration = core.MaxSegmentDuration
				}
				_, _ = p.Transcode(ctx, job)
				<-time.After(200 * time.Millisecond)
			}
		})
	}
	for second := range 180 {
		<-time.After(time.Second)
		if p.Ready() != 1 {
			t.Errorf("after %d s the device gets nothing", second)
			break
		}
		if second%20 == 19 {
			soon, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := p.Transcode(soon, from("good", fmt.Sprint("new", second), 0))
			if cancel(); err != nil {
				t.Errorf("a new stream after %d s: %v", second, err)
			}
		}
	}
	stop()
	wg.Wait()
	t.Logf("%d tests, %d failed", d.tests.Load(), d.failed.Load())
}

// Segments that say they are long do not keep the workers from others that unknown senders
// share while many do harm.
func TestLongSegmentsOfUnknownSendersEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &crowded{process: &process{Fake: &coretest.Fake{Name: "0"}, lonely: &coretest.Fake{}}}
		d.On, d.lonely.On = d.on, d.on
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 9999})
		defer p.Close()
		var wg sync.WaitGroup
		block := func(prefix string, i int, long time.Duration) {
			wg.Go(func() {
				job := from(fmt.Sprint(prefix, i), fmt.Sprint("s", i), i)
				job.Duration = long
				_, _ = p.Transcode(t.Context(), job)
			})
		}
		for i := range 4 {
			block("crowd", i, time.Second)
		}
		wg.Wait()
		const many = 4 // more than have a worker at once where there are two CPU cores
		for i := range max(many, 2*runtime.NumCPU()) {
			block("long", i, core.MaxSegmentDuration)
		}
		synctest.Wait()
		<-time.After(2 * time.Minute)
		if n := d.blocking.Load(); n > int32(max(2, runtime.NumCPU()/2)) {
			t.Errorf("%d block at once", n)
		}
		began := time.Now()
		wg.Wait()
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("the last had ended after another %v", took)
		}
	})
}
