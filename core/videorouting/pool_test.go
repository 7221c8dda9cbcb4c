package videorouting_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func offer(uri string) videorouting.Offer {
	return videorouting.Offer{URI: uri, Token: true, Expires: t0.Add(30 * time.Minute)}
}

func id(asked string) videorouting.Identity { return videorouting.Identity{Asked: asked} }

// newPool has one offer per name; the info is the name.
func newPool(names ...string) *videorouting.Pool[string] {
	p := videorouting.NewPool[string](&videorouting.Suspensions{})
	for _, n := range names {
		p.Add(offer(n), n)
	}
	return p
}

func take(t *testing.T, p *videorouting.Pool[string], now time.Time, want string,
	tried ...string) *videorouting.Lease[string] {
	t.Helper()
	l, advice, _ := p.Take(now, tried)
	if l == nil {
		t.Fatalf("advice %v and no lease, want one at %s", advice, want)
	}
	if l.Offer.URI != want {
		t.Fatalf("leased %s, want %s", l.Offer.URI, want)
	}
	return l
}

func TestPoolStaysWithWhatKeepsPace(t *testing.T) {
	t.Parallel()
	p := newPool("a", "b")
	for range 3 {
		l := take(t, p, t0, "a")
		if end := p.Release(l, videorouting.Succeeded, 1.0, nil, t0); len(end) != 0 {
			t.Fatalf("sessions to end: %v", end)
		}
	}
}

func TestPoolLeavesASlowOneForASpare(t *testing.T) {
	t.Parallel()
	p := newPool("a", "b")
	l := take(t, p, t0, "a")
	p.Release(l, videorouting.Succeeded, 1.01, nil, t0)
	l, advice, end := p.Take(t0, nil)
	if l == nil || l.Offer.URI != "b" || !l.Moved || advice != videorouting.Use {
		t.Fatalf("lease %+v advice %v, want b, moved", l, advice)
	}
	if !slices.Equal(end, []string{"a"}) {
		t.Fatalf("ended %v, want a", end)
	}
}

// Every move has its reason, whatever the reason is.
func TestPoolSaysWhyAStreamMoved(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		how   videorouting.Outcome
		score float64
		err   error
		want  fault.Code
	}{
		"slow":         {videorouting.Succeeded, 1.4, nil, fault.OrchestratorSlow},
		"failed":       {videorouting.NodeFailed, 0, fault.New(fault.OrchestratorBroke, "send", ""), fault.OrchestratorBroke},
		"lied":         {videorouting.Lied, 0, fault.New(fault.PixelsMismatch, "check", ""), fault.PixelsMismatch},
		"price raised": {videorouting.Stale, 0, fault.New(fault.PriceRaised, "renew", ""), fault.PriceRaised},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPool("a", "b")
			l := take(t, p, t0, "a")
			if l.Moved || l.Left != nil {
				t.Errorf("the first lease: %+v", l)
			}
			l.Failed = row.err
			p.Release(l, row.how, row.score, nil, t0)
			l = take(t, p, t0, "b")
			if !l.Moved || !errors.Is(l.Left, row.want) || l.From != "a" {
				t.Errorf("moved %v from %q for %v, want %s", l.Moved, l.From, l.Left, row.want)
			}
			p.Release(l, videorouting.Succeeded, 0.1, nil, t0)
			if l = take(t, p, t0, "b"); l.Moved || l.Left != nil || l.From != "" {
				t.Errorf("it stays, and yet: %+v", l)
			}
		})
	}
}

func TestPoolKeepsASlowOneWithoutSpare(t *testing.T) {
	t.Parallel()
	p := newPool("a")
	p.Release(take(t, p, t0, "a"), videorouting.Succeeded, 3, nil, t0)
	l, advice, _ := p.Take(t0, nil)
	if l == nil || advice != videorouting.UseAndDiscover {
		t.Fatalf("lease %v advice %v", l, advice)
	}
	if l.Moved {
		t.Error("nothing moved")
	}
}

func TestPoolFailureMovesOnAndEndsTheSession(t *testing.T) {
	t.Parallel()
	p := newPool("a", "b")
	l := take(t, p, t0, "a")
	if end := p.Release(l, videorouting.StreamFailed, 0, nil, t0); !slices.Equal(end, []string{"a"}) {
		t.Fatalf("ended %v, want a", end)
	}
	take(t, p, t0, "b", "a")
	if l, advice, _ := p.Take(t0, []string{"a", "b"}); l != nil || advice != videorouting.Discover {
		t.Fatalf("lease %v advice %v, want discovery", l, advice)
	}
}

func TestPoolEndsAfterTheLastSegmentInFlight(t *testing.T) {
	t.Parallel()
	p := newPool("a")
	l1, l2 := take(t, p, t0, "a"), take(t, p, t0, "a")
	if end := p.Release(l1, videorouting.NodeFailed, 0, nil, t0); len(end) != 0 {
		t.Fatalf("ended %v while a segment is in flight", end)
	}
	if end := p.Release(l2, videorouting.Succeeded, 0.1, nil, t0); !slices.Equal(end, []string{"a"}) {
		t.Fatalf("ended %v, want a once", end)
	}
}

func TestPoolSuspendedOneIsLastResort(t *testing.T) {
	t.Parallel()
	p := newPool("a")
	p.Release(take(t, p, t0, "a"), videorouting.NodeFailed, 0, nil, t0)
	p.Add(offer("a"), "a") // discovered again
	if l, advice, _ := p.Take(t0, nil); l != nil || advice != videorouting.Discover {
		t.Fatalf("lease %v advice %v, want discovery before a suspended one", l, advice)
	}
	if l := p.TakeAny(t0, []string{"a"}, nil); l == nil || l.Offer.URI != "a" {
		t.Fatalf("last resort is %v, want a", l)
	}
	if l := newPool().TakeAny(t0, nil, nil); l != nil {
		t.Fatalf("an empty pool leased %v", l)
	}
}

func TestPoolLateOneIsNoResort(t *testing.T) {
	t.Parallel()
	p := newPool("a")
	if p.HasOther(t0, []string{"a"}) {
		t.Error("another one than the only one")
	}
	p.Release(take(t, p, t0, "a"), videorouting.NodeFailed, 0, nil, t0)
	p.Add(offer("a"), "a")
	if l := p.TakeAny(t0, []string{"a"}, []string{"a"}); l != nil {
		t.Fatalf("the one that is busy with the segment got it again: %v", l)
	}
	p.Add(offer("b"), "b")
	if !p.HasOther(t0, []string{"a"}) {
		t.Error("b was not found")
	}
	if l := p.TakeAny(t0, []string{"a"}, []string{"a"}); l == nil || l.Offer.URI != "b" {
		t.Fatalf("leased %v, want b", l)
	}
}

func TestPoolTakeAnyPrefersUntriedThenShorterSuspension(t *testing.T) {
	t.Parallel()
	shared := &videorouting.Suspensions{}
	shared.Suspend(id("b"), t0)
	shared.Suspend(id("c"), t0.Add(-time.Second))
	p := videorouting.NewPool[string](shared)
	for _, n := range []string{"a", "b", "c"} {
		p.Add(offer(n), n)
	}
	if l := p.TakeAny(t0, []string{"a"}, nil); l.Offer.URI != "c" {
		t.Fatalf("took %s, want c", l.Offer.URI)
	}
}

func TestPoolForgetsASuspensionInTime(t *testing.T) {
	t.Parallel()
	p := newPool("a")
	p.Release(take(t, p, t0, "a"), videorouting.StreamFailed, 0, nil, t0)
	p.Add(offer("a"), "a2")
	take(t, p, t0.Add(5*time.Second+1), "a")
}

func TestPoolRenewSwapsTheToken(t *testing.T) {
	t.Parallel()
	p := newPool("a")
	p.Add(offer("a"), "a")
	l := take(t, p, t0, "a")
	if !p.Alone(l) {
		t.Error("one segment in flight is alone")
	}
	if how, end := p.Renew(l, offer("a"), "a2"); how != videorouting.Renewed || !slices.Equal(end, []string{"a"}) {
		t.Fatalf("ended %v, want the old token", end)
	}
	if l.Info != "a2" {
		t.Fatalf("lease is on %s", l.Info)
	}
	p.Release(l, videorouting.Succeeded, 0, nil, t0)
	if l := take(t, p, t0, "a"); l.Info != "a2" {
		t.Fatalf("next lease is on %s", l.Info)
	}
}

func TestPoolNewTermsReplaceTheInfo(t *testing.T) {
	t.Parallel()
	p := newPool("a")
	p.Release(take(t, p, t0, "a"), videorouting.Succeeded, 0,
		&videorouting.NewTerms[string]{Offer: offer("a"), Info: "fresh"}, t0)
	if l := take(t, p, t0, "a"); l.Info != "fresh" {
		t.Fatalf("info %s", l.Info)
	}
	p.Release(take(t, p, t0, "a"), videorouting.Succeeded, 0,
		&videorouting.NewTerms[string]{Offer: offer("other"), Info: "wrong"}, t0)
	if l := take(t, p, t0, "a"); l.Info != "fresh" {
		t.Fatalf("an answer about another orchestrator was taken: %s", l.Info)
	}
}

func TestPoolCloseEndsUsedSessionsOnly(t *testing.T) {
	t.Parallel()
	p := newPool("a", "b")
	p.Release(take(t, p, t0, "a"), videorouting.Succeeded, 0, nil, t0)
	if end := p.Close(); !slices.Equal(end, []string{"a"}) {
		t.Fatalf("ended %v, want a", end)
	}
	p.Add(offer("c"), "c")
	if l, advice, _ := p.Take(t0, nil); l != nil || advice != videorouting.Discover {
		t.Fatalf("a closed pool leased %v", l)
	}
}

func TestSuspensionsDouble(t *testing.T) {
	t.Parallel()
	var s videorouting.Suspensions
	now := t0
	for _, want := range []time.Duration{5, 10, 20, 40, 60, 60} {
		until := s.Suspend(id("a"), now)
		if got := until.Sub(now); got != want*time.Second {
			t.Fatalf("suspended for %v, want %vs", got, want)
		}
		now = until
	}
	if !s.Until(id("a"), now).IsZero() {
		t.Error("still suspended at its end")
	}
	s.Clear(id("a"))
	if got := s.Suspend(id("a"), now).Sub(now); got != 5*time.Second {
		t.Errorf("after a success the first suspension is %v", got)
	}
}

// A stream leaves an orchestrator that says of its segments, again and again, that the input is
// bad, also where it does some of them. It keeps it where there is no other, and for a word now
// and then.
func TestPoolDoubtsBadInput(t *testing.T) {
	t.Parallel()
	bad := fault.New(fault.SegmentNotTranscodable, "transcode", "")
	for name, row := range map[string]struct {
		good, most int // good segments after each bad one, and how many bad ones are believed
	}{
		"always": {0, 4}, "half": {1, 4}, "one in four": {3, 5}, "now and then": {8, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPool("a", "b")
			said, stays := 0, true
			next := func(how videorouting.Outcome, err error) {
				l, _, _ := p.Take(t0, nil)
				if stays = stays && l.Offer.URI == "a"; !stays && l.Moved && !errors.Is(l.Left, bad) {
					t.Errorf("left for %v", l.Left)
				}
				l.Failed = err
				p.Release(l, how, 0.1, nil, t0)
			}
			for ; stays && said < 100; said++ {
				next(videorouting.InputBad, bad)
				for range row.good {
					next(videorouting.Succeeded, nil)
				}
			}
			if said > row.most {
				t.Errorf("%d bad segments were believed, want %d at most", said, row.most)
			}
			if row.most == 100 && said < 100 {
				t.Errorf("left after %d", said)
			}
		})
	}
	p := newPool("a")
	for range 5 {
		p.Release(take(t, p, t0, "a"), videorouting.InputBad, 0, nil, t0)
	}
}
