package gateway_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/gateway"
)

// reports takes what a gateway reports.
type reports struct {
	mu       sync.Mutex
	sent     []string
	segments []telemetry.Segment
}

func (r *reports) Send(kind telemetry.EventKind, data any) {
	b, _ := json.Marshal(data)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, string(kind)+" "+string(b))
}

func (r *reports) SegmentDone(s *telemetry.Segment) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.segments = append(r.segments, *s)
}

// retried reports whether a segment took more than one attempt.
func (r *reports) retried() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.segments, func(s telemetry.Segment) bool { return len(s.Attempts) > 1 })
}

// Discoveries and segments are reported, a segment with all attempts that it took.
func TestSegmentsAndDiscoveriesAreReported(t *testing.T) {
	t.Parallel()
	bad, good := newFake(t), newFake(t)
	bad.set(behavior{status: 500})
	r := &reports{}
	n := start(t, []string{bad.uri, good.uri}, func(o *gateway.Options) { o.Events, o.Segments = r, r })
	pushed := 0
	wait(t, "a second attempt", func() bool { // which of them is first is drawn by chance
		n.push(fmt.Sprintf("/live/show%d/7.ts", pushed), media).want(t, media)
		pushed++
		return pushed >= 6 && r.retried()
	})
	wait(t, "reports", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.segments) == pushed })
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.segments {
		last := s.Attempts[len(s.Attempts)-1]
		if !strings.HasPrefix(string(s.Manifest), "show") || s.Name != "7.ts" || s.Number != 7 || s.Bytes != len(media) ||
			!s.Success || s.Took <= 0 || s.Began.IsZero() || last.By.URI != good.uri || last.Error != "" {
			t.Errorf("%+v", s)
		}
		if len(s.Attempts) > 1 {
			if first := s.Attempts[0]; first.By.URI != bad.uri || first.Error == "" {
				t.Errorf("the first attempt is %+v", first)
			}
		}
	}
	found := strings.Join(r.sent, "\n")
	if !strings.Contains(found, `discovery_results [{"address":"`) ||
		!strings.Contains(found, `"url":"`+good.uri+`","latency_ms":"`) {
		t.Errorf("discoveries: %s", found)
	}
}

// A service that scores all orchestrators below the minimum moves no work to nowhere: the gateway goes by its own
// measurements, and says so.
func TestAServiceCannotExcludeAll(t *testing.T) {
	t.Parallel()
	one, two := newStaked(t, 1, 1), newStaked(t, 1, 1)
	var overruled atomic.Int64
	n := onChain(t, []staked{one, two}, func(o *gateway.Options) {
		o.Selection.MinPerfScore = 0.5
		o.Selection.Score = func(core.Address) (float64, bool) { return 0, true }
		o.Selection.Overruled = func() { overruled.Add(1) }
	})
	for i := range 5 {
		n.push(fmt.Sprintf("/live/show%d/0.ts", i), media).want(t, media)
	}
	if overruled.Load() == 0 {
		t.Error("nothing says that the scores do not count")
	}
}
