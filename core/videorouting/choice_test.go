package videorouting_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
)

// last chooses the last of what it allows.
type last struct{ never string }

func (l last) Allowed(offers []*videorouting.Offer) (out []int) {
	for i, o := range offers {
		if o.URI != l.never {
			out = append(out, i)
		}
	}
	return out
}

func (l last) Choose(offers []*videorouting.Offer) int {
	if a := l.Allowed(offers); len(a) > 0 {
		return a[len(a)-1]
	}
	return -1
}

func chosen(shared *videorouting.Suspensions, never string, names ...string) *videorouting.Pool[string] {
	p := videorouting.NewPoolOf[string](shared.For(""), last{never})
	for _, n := range names {
		p.Add(offer(n), n)
	}
	return p
}

func TestPoolUsesWhatIsChosenAndStays(t *testing.T) {
	t.Parallel()
	p := chosen(&videorouting.Suspensions{}, "c", "a", "b", "c")
	for range 3 {
		p.Release(take(t, p, t0, "b"), videorouting.Succeeded, 0.5, nil, t0)
	}
	p.Release(take(t, p, t0, "b"), videorouting.NodeFailed, 0, nil, t0)
	p.Release(take(t, p, t0, "a"), videorouting.NodeFailed, 0, nil, t0)
	if l, advice, _ := p.Take(t0, nil); l != nil || advice != videorouting.Discover {
		t.Fatalf("took %v, %v", l, advice)
	}
	if l := p.TakeAny(t0, nil, nil); l != nil {
		t.Fatalf("took %s for want of another", l.Offer.URI)
	}
}

func TestALiarIsNotUsedForWantOfAnother(t *testing.T) {
	t.Parallel()
	shared := &videorouting.Suspensions{}
	p := chosen(shared, "", "a", "b")
	p.Release(take(t, p, t0, "b"), videorouting.Lied, 0, nil, t0)
	shared.SetReason(id("b"), fault.PixelsMismatch)
	p.Add(offer("b"), "b again")
	p.Release(take(t, p, t0, "a"), videorouting.NodeFailed, 0, nil, t0)
	p.Add(offer("a"), "a again")
	if l := p.TakeAny(t0, []string{"a"}, nil); l == nil || l.Offer.URI != "a" {
		t.Fatalf("took %v", l)
	}
	other := chosen(shared, "", "b")
	if l := other.TakeAny(t0, nil, nil); l != nil {
		t.Fatal("another stream uses the liar")
	}
	got := shared.List(t0)
	want := []videorouting.Suspended{{Asked: "a", Until: t0.Add(5 * time.Second)},
		{Asked: "b", Until: t0.Add(10 * time.Minute), Code: fault.PixelsMismatch, Barred: true}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestLiesAreRemembered(t *testing.T) {
	t.Parallel()
	var s videorouting.Suspensions
	until := s.Bar(id("a"), t0)
	if got := s.Suspend(id("a"), t0); !got.Equal(until) || !s.Barred(id("a"), t0) {
		t.Error("a failure shortens the bar")
	}
	s.Clear(id("a"))
	if !s.Barred(id("a"), t0) {
		t.Error("a success of before lifts the bar")
	}
	now := until
	if s.Barred(id("a"), now) || !s.Until(id("a"), now).IsZero() {
		t.Error("barred at its end")
	}
	s.Suspend(id("b"), now) // forgets what is old
	s.Suspend(id("a"), now)
	s.Clear(id("a"))
	if got := s.Bar(id("a"), now).Sub(now); got != 20*time.Minute {
		t.Errorf("the second lie costs %v", got)
	}
}
