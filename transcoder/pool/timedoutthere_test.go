package pool_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// Segments that take a little less than half of their time there: the first tutti transcoder
// reports that its time is over, and the second, which has all that remains, does them. The first one is
// as good as the second.
func TestSegmentsOfHalfTheirTimeTakeNoTranscoderAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		for i := range 2 {
			f := &coretest.Fake{Name: fmt.Sprint("rig", i)}
			f.On = func(ctx context.Context, _ int, _ *core.TranscodeJob) error {
				deadline, _ := ctx.Deadline()
				limit := time.Until(deadline) * 9 / 10 // as it is sent to the transcoder
				takes := time.NewTimer(min(limit, 3700*time.Millisecond))
				defer takes.Stop()
				select {
				case <-takes.C:
				case <-ctx.Done():
					return ctx.Err()
				}
				if limit < 3700*time.Millisecond {
					return fault.New(fault.TranscodeTimeout, "transcode", "")
				}
				return nil
			}
			if _, err := p.Attach(f, device.Resources{Remote: true, Sessions: 20}); err != nil {
				t.Fatal(err)
			}
		}
		for s := range 12 {
			id := fmt.Sprint("s", s)
			if err := bounded(t, p, id, 0); err != nil {
				t.Error(err)
			}
			p.EndSession(core.SessionID(id))
			if n := p.Ready(); n != 2 {
				t.Fatalf("%d transcoders are ready after %d segments", n, s+1)
			}
		}
	})
}
