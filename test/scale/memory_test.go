package scale_test

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/test/coretest"
)

const (
	maxPerSession = 8 << 10
	maxPerWorker  = 64 << 10
)

// heap is the memory in use after everything unused was given back.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemoryOfIdleSessions takes sessions through orchestrate and pool, a segment of
// three renditions each, and leaves them there. What is kept of the renditions for
// download counts, too, but for their bytes.
func TestMemoryOfIdleSessions(t *testing.T) {
	const sessions = 4000
	c := newCluster(t, sessions/8)
	clock := coretest.NewClock(time.Unix(1_700_000_000, 0))
	o, err := orchestrate.New(orchestrate.Options{
		ServiceURI: "https://node.example:8935", Capabilities: c.Capabilities, Transcoder: c.Pool, Admitter: c.Pool,
		Now: clock.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	for range sessions {
		oneSegment(t, o)
	}
	per := (heap() - before) / sessions
	if u := o.Usage(); u.Sessions != sessions || c.Usage().Sessions != sessions {
		t.Fatalf("usage %v and %v", u, c.Usage())
	}
	t.Logf("%d bytes for an idle session in orchestrate and pool together", per)
	if per > maxPerSession {
		t.Errorf("%d bytes for a session, bound %d", per, maxPerSession)
	}
	clock.Forward(2 * core.SessionIdle)
	o.Sweep(clock.Now())
	if u := o.Usage(); u.Sessions != 0 || c.Usage().Sessions != 0 {
		t.Errorf("after all went: %v, %v", u, c.Usage())
	}
}

// oneSegment is a session's first segment, from the offer on.
func oneSegment(t *testing.T, o *orchestrate.Orchestrator) {
	t.Helper()
	info, err := o.Offer(t.Context(), orchestrate.OfferRequest{})
	if err != nil {
		t.Fatal(err)
	}
	token := info.Token
	seg, err := o.Admit(t.Context(), orchestrate.SegmentRequest{
		Manifest: core.ManifestID(token.Session), Duration: 2 * time.Second, Profiles: ladder, Token: &token,
		Capabilities: &capability.Capabilities{Bits: capability.Of(0, 1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer seg.Close()
	if _, err := seg.Transcode(t.Context(), rendition); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryOfTranscoders(t *testing.T) {
	const number = 5000
	before := heap()
	c := newCluster(t, number)
	per := (heap() - before) / number
	t.Logf("%d bytes for a transcoder in the pool, its puppet included", per)
	if per > maxPerWorker/8 {
		t.Errorf("%d bytes for a transcoder; the pool may have an eighth of %d", per, maxPerWorker)
	}
	// Nothing stays of those that went.
	for _, w := range c.all {
		w.at.Detach()
	}
	if ready := c.Ready(); ready != 0 {
		t.Errorf("%d are ready", ready)
	}
	c.all = nil
	if left := (heap() - before) / number; left > 200 {
		t.Errorf("%d bytes are left of each after it went", left)
	}
	runtime.KeepAlive(c)
}

// BenchmarkPlacement is a session that comes and goes in a cluster that is half full.
func BenchmarkPlacement(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint("transcoders=", n), func(b *testing.B) {
			c := newCluster(b, n)
			for k := range 6 * n {
				if err := c.Admit(request(k)); err != nil {
					b.Fatal(err)
				}
			}
			before := c.PlacementStats()
			b.ReportAllocs()
			b.ResetTimer()
			for k := range b.N {
				r := request(1<<24 + k)
				if err := c.Admit(r); err != nil {
					b.Fatal(err)
				}
				c.EndSession(r.ID)
			}
			b.ReportMetric(c.perSearch(before), "nodes/op")
		})
	}
}

// BenchmarkSegment is what the pool adds to a segment of a session that has its place,
// from all CPU cores at once.
func BenchmarkSegment(b *testing.B) {
	c := newCluster(b, 1000)
	ids := make([]core.SessionID, 6000)
	for k := range ids {
		ids[k] = request(k).ID
		if err := c.send(ids[k]); err != nil {
			b.Fatal(err)
		}
	}
	searches := c.PlacementStats().Searches
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for k := 0; pb.Next(); k++ {
			if err := c.send(ids[k%len(ids)]); err != nil {
				b.Error(err)
			}
		}
	})
	if n := c.PlacementStats().Searches - searches; n > 0 {
		b.Errorf("%d searches for sessions that have a place", n)
	}
}
