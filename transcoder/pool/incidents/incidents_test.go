package incidents_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

var begin = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func work(party, stream string, n int) *incidents.Segment {
	return incidents.SegmentOf(&core.TranscodeJob{
		Party: party, Manifest: core.ManifestID(stream), Input: fmt.Appendf(nil, "%s %s %d", party, stream, n),
		Profiles: []core.Profile{{Width: 640, Height: 360}},
	})
}

func treated(
	t *testing.T, r *incidents.Record, w *incidents.Segment, good int, now time.Time, want incidents.Treatment,
) {
	t.Helper()
	if got := r.TreatmentFor(w, good, now); got != want {
		t.Errorf("treatment %d, want %d", got, want)
	}
}

func TestASegmentIsKnownByItsBytes(t *testing.T) {
	t.Parallel()
	r := incidents.New()
	treated(t, r, work("a", "s", 1), 0, begin, incidents.Shared)
	r.Blame(work("a", "s", 1), begin)
	other := incidents.SegmentOf(&core.TranscodeJob{Party: "b", Manifest: "x", Input: []byte("a s 1"),
		Profiles: []core.Profile{{Width: 640, Height: 360}}})
	treated(t, r, other, 99, begin, incidents.Refused)
	differently := incidents.SegmentOf(&core.TranscodeJob{Party: "b", Manifest: "x", Input: []byte("a s 1")})
	treated(t, r, differently, 99, begin, incidents.Single)
	treated(t, r, work("b", "x", 1), 0, begin, incidents.Shared)
	treated(t, r, other, 99, begin.Add(11*time.Minute), incidents.Shared)
}

func TestAStreamIsRefusedForAWhile(t *testing.T) {
	t.Parallel()
	r, now := incidents.New(), begin
	r.Blame(work("a", "s", 1), now)
	treated(t, r, work("a", "s", 2), 99, now, incidents.Single)
	rest := 30 * time.Second
	for n := range 4 {
		r.Blame(work("a", "s", 2+n), now)
		treated(t, r, work("a", "s", 100), 99, now.Add(rest-1), incidents.Refused)
		treated(t, r, work("a", "s", 100), 99, now.Add(rest), incidents.Single)
		now, rest = now.Add(rest), rest*2
	}
	for range 10 {
		r.Succeeded(work("a", "s", 100), now)
	}
	treated(t, r, work("a", "s", 100), 99, now, incidents.Shared)
}

func TestASendersNewStreams(t *testing.T) {
	t.Parallel()
	r := incidents.New()
	r.RetryBegan(work("a", "first", 1), begin)
	treated(t, r, work("a", "next", 1), 0, begin, incidents.Single)
	r.RetryEnded(work("a", "first", 1), begin)
	treated(t, r, work("a", "next", 1), 0, begin, incidents.Shared)

	for n := range 8 {
		r.Blame(work("a", fmt.Sprint(n), 1), begin)
		for _, row := range []struct {
			good int
			want incidents.Treatment
		}{
			{3 * (n + 1), incidents.Shared}, {3*(n+1) - 1, incidents.Flagged}, {0, incidents.Single},
		} {
			if n >= 5 && row.good == 0 {
				row.want = incidents.Deferred
			}
			treated(t, r, work("a", "new", 1), row.good, begin, row.want)
		}
	}
	treated(t, r, work("b", "new", 1), 0, begin, incidents.Shared)
	treated(t, r, work("a", "new", 1), 0, begin.Add(3*time.Minute), incidents.Single)
	treated(t, r, work("a", "new", 1), 0, begin.Add(8*time.Minute), incidents.Shared)
}

func TestManySenders(t *testing.T) {
	t.Parallel()
	r := incidents.New()
	for n := range 4 {
		treated(t, r, work("honest", "new", 1), 0, begin, incidents.Shared)
		r.Blame(work(fmt.Sprint(n), "s", 1), begin)
	}
	treated(t, r, work("honest", "new", 1), 0, begin, incidents.Unverified)
	treated(t, r, work("honest", "old", 1), 3, begin, incidents.Shared)
}

// Incidents of others are not held against a sender that is known for good work, and one
// of its own ends that.
func TestKnownSenders(t *testing.T) {
	t.Parallel()
	r := incidents.New()
	for n := range 20 {
		r.Succeeded(work("known", "old", n), begin)
	}
	for n := range 12 {
		r.Blame(work(fmt.Sprint(n), "s", 1), begin)
	}
	treated(t, r, work("known", "new", 1), 0, begin, incidents.Shared)
	treated(t, r, work("unknown", "new", 1), 0, begin, incidents.Unverified)
	treated(t, r, work("known", "new", 1), 0, begin.Add(2*time.Hour), incidents.Shared)
	r.RetryBegan(work("known", "old", 21), begin)
	treated(t, r, work("known", "new", 1), 0, begin, incidents.Isolated)
	r.RetryEnded(work("known", "old", 21), begin)
	treated(t, r, work("known", "new", 1), 0, begin, incidents.Shared)
	r.Blame(work("known", "bad", 1), begin)
	treated(t, r, work("known", "new", 1), 0, begin, incidents.Single)
	r.RetryBegan(work("unknown", "old", 1), begin)
	treated(t, r, work("unknown", "new", 1), 0, begin, incidents.Single)
}

func TestWhatADeviceDidIsForgotten(t *testing.T) {
	t.Parallel()
	r := incidents.New()
	w := work("a", "s", 1)
	w.Seal()
	r.Blame(w, begin)
	r.TakeBack(w, begin)
	treated(t, r, work("a", "s", 1), 0, begin, incidents.Shared)
}

// What is remembered is bounded, and the latest is kept.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	r := incidents.New()
	for n := range 5000 {
		r.Blame(work(fmt.Sprint("sender", n), fmt.Sprint("stream", n), n),
			begin.Add(time.Duration(n)*time.Millisecond))
		r.Succeeded(work(fmt.Sprint("other", n), "s", n), begin.Add(time.Duration(n)*time.Millisecond))
	}
	if n := r.Len(); n > 5*1024 {
		t.Errorf("%d entries", n)
	}
	now := begin.Add(5 * time.Second)
	treated(t, r, work("sender4999", "stream4999", 4999), 0, now, incidents.Refused)
}

// A stream that runs late beside others waits longer and longer between its attempts, until it has done as many
// segments in a row as were late. It is never refused, and its gateway's new streams are not begun when there are many.
func TestAStreamThatRunsLateWaits(t *testing.T) {
	t.Parallel()
	r, now := incidents.New(), begin
	r.RanLate(work("a", "s", 0), true, now)
	treated(t, r, work("a", "s", 1), 0, now, incidents.Single)
	for n, rest := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 2 * time.Minute} {
		r.RanLate(work("a", "s", n+1), true, now)
		treated(t, r, work("a", "s", 9), 0, now.Add(rest-1), incidents.Waiting)
		now = now.Add(rest)
		treated(t, r, work("a", "s", 9), 0, now, incidents.Single)
	}
	for range 4 {
		r.Succeeded(work("a", "s", 9), now)
		treated(t, r, work("a", "s", 9), 99, now, incidents.Single)
	}
	r.Succeeded(work("a", "s", 9), now)
	treated(t, r, work("a", "s", 9), 99, now, incidents.Shared)
	r.RanLate(work("a", "s", 10), false, now)
	treated(t, r, work("a", "s", 11), 99, now, incidents.Waiting)
	for n := range 6 {
		r.RanLate(work("b", fmt.Sprint(n), 0), true, now)
	}
	treated(t, r, work("b", "new", 0), 0, now, incidents.Deferred)
	treated(t, r, work("c", "new", 0), 0, now, incidents.Shared)
}
