package pool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// Streams that block a device together are not known for sure to do so on purpose. All the same they do not block it
// without an end: neither new streams of other gateways nor those in work are kept out, whether the blocking ones come
// as one stream each or as a new one for each segment, and whether the device has other work or none.
func TestStreamsThatRunLateAgainAndAgainWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		blocking, honest int
		fresh            bool
	}{{1, 4, false}, {8, 1, true}, {8, 3, true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { runLateAgain(t, c.blocking, c.honest, c.fresh) })
		})
	}
}

func runLateAgain(t *testing.T, blocking, honest int, fresh bool) {
	d, blocked := newSharedCPU(400*time.Millisecond), atomic.Int64{}
	work := d.on
	d.On = func(ctx context.Context, n int, job *core.TranscodeJob) error {
		if !strings.HasPrefix(job.Party, "bad") {
			return work(ctx, n, job)
		}
		defer func(at time.Time) { blocked.Add(int64(time.Since(at))) }(time.Now())
		endless := *job
		endless.Manifest = "endless"
		return work(ctx, n, &endless)
	}
	d.lonely.On = d.On
	p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 9999})
	defer p.Close()
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	send := func(every time.Duration, job func(n int) *core.TranscodeJob) {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_, _ = p.Transcode(ctx, job(n))
				select {
				case <-time.After(every):
				case <-ctx.Done():
				}
			}
		})
	}
	for s := range honest {
		send(1200*time.Millisecond, func(n int) *core.TranscodeJob { return from("good", fmt.Sprint("h", s), n) })
	}
	<-time.After(time.Minute)
	for s := range blocking {
		send(100*time.Millisecond, func(n int) *core.TranscodeJob {
			stream := "s"
			if fresh {
				stream = fmt.Sprint("s", n)
			}
			return from(fmt.Sprint("bad", s), stream, n)
		})
	}
	began, failed := time.Now(), 0
	const others = 60
	for n := range others {
		<-time.After(10 * time.Second)
		soon, cancel := context.WithTimeout(ctx, 8*time.Second)
		if _, err := p.Transcode(soon, from(fmt.Sprint("new", n), fmt.Sprint("new", n), 0)); err != nil {
			failed++
			if errors.Is(err, fault.SegmentRefused) {
				t.Errorf("an honest stream: %v", err)
			}
		}
		cancel()
	}
	all := time.Since(began)
	stop()
	wg.Wait()
	if failed > others/4 || p.Ready() != 1 {
		t.Errorf("%d of %d new gateways are kept out, %d ready", failed, others, p.Ready())
	}
	// A sender is begun with once a minute, and its segment takes 8 s.
	if each := time.Duration(blocked.Load()) / time.Duration(blocking); each > all/3 {
		t.Errorf("each blocks for %v of %v", each, all)
	}
}

// The load of other programs costs a look at each thread of the node: it is not read for each segment.
func TestOtherProgramsAreReadNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, reads := newSharedCPU(100*time.Millisecond), 0
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 9, OtherLoad: func() time.Duration {
			reads++
			return 0
		}})
		defer p.Close()
		for n := range 50 {
			if _, err := p.Transcode(t.Context(), from("gateway", "s", n)); err != nil {
				t.Fatal(err)
			}
		}
		if reads == 0 || reads > 12 {
			t.Errorf("read %d times in five seconds", reads)
		}
	})
}
