package pipeline_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

// slowProbe takes a second for each file.
type slowProbe struct{ now, most atomic.Int64 }

func (p *slowProbe) Duration(ctx context.Context, _ []byte) (time.Duration, error) {
	p.most.Store(max(p.most.Load(), p.now.Add(1)))
	defer p.now.Add(-1)
	select {
	case <-time.After(time.Second):
		return time.Minute, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// TestPartiesAreMeasuredInTurn: one party with very many files has few measured at once, and
// delays another one's by few.
func TestPartiesAreMeasuredInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := new(slowProbe)
		m := pipeline.NewMeasuring(p)
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var refused atomic.Int64
		for range 600 {
			all.Go(func() {
				if _, err := m.For("many").Duration(ctx, nil); errors.Is(err, fault.JobsFull) {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		start := time.Now()
		if d, err := m.For("one").Duration(t.Context(), nil); err != nil || d != time.Minute {
			t.Errorf("%s, %v", d, err)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("the other party waited %s", took)
		}
		stop()
		all.Wait()
		if most := p.most.Load(); most > 4 || refused.Load() < 500 {
			t.Errorf("%d at once, %d refused", most, refused.Load())
		}
	})
}

// TestNothingToMeasureWith: a node without media workers says so.
func TestNothingToMeasureWith(t *testing.T) {
	t.Parallel()
	if pipeline.NewMeasuring(nil).For("one") != nil {
		t.Error("a probe without media")
	}
}
