package videorouting_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/videorouting"
)

// at is an offer of an orchestrator asked at one address that takes work at another.
func at(asked, uri string, owner byte) videorouting.Offer {
	o := offer(uri)
	o.Asked, o.Registered = asked, core.Address{owner}
	return o
}

// TestALiarMayNotChangeItsAddress: neither a new service address nor a new entry in the
// list gives it a new start, while others at the address it claimed are left in peace.
func TestALiarMayNotChangeItsAddress(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]videorouting.Outcome{"lied": videorouting.Lied, "failed": videorouting.NodeFailed} {
		shared := &videorouting.Suspensions{}
		p := videorouting.NewPool[string](shared)
		p.Add(at("list", "one", 1), "one")
		p.Release(take(t, p, t0, "one"), how, 0, nil, t0)
		for _, again := range []videorouting.Offer{at("list", "two", 1), at("other", "two", 1), at("list", "one", 9)} {
			if shared.Until(again.Identity(), t0).IsZero() {
				t.Errorf("%s: %+v is used again", name, again.Identity())
			}
			p.Add(again, "again")
		}
		if l, _, _ := p.Take(t0, nil); l != nil {
			t.Errorf("%s: took %+v", name, l.Offer)
		}
		if l := p.TakeAny(t0, nil, nil); (l == nil) != (how == videorouting.Lied) {
			t.Errorf("%s: for want of another: %v", name, l)
		}
		if o := at("honest", "one", 2); !shared.Until(o.Identity(), t0).IsZero() {
			t.Errorf("%s: the one whose address it claimed is blamed", name)
		}
	}
}

// TestOneAddressIsOneSpare: an orchestrator that calls itself something else at each
// question has one place.
func TestOneAddressIsOneSpare(t *testing.T) {
	t.Parallel()
	p := newPool()
	for _, uri := range []string{"one", "two", "three"} {
		p.Add(at("list", uri, 1), uri)
	}
	if got := p.Offers(); len(got) != 1 || got[0].URI != "three" {
		t.Errorf("%d spares", len(got))
	}
	take(t, p, t0, "three")
	p.Add(at("list", "four", 1), "four")
	if l, _, _ := p.Take(t0, []string{"list"}); l != nil {
		t.Error("it was tried, and is tried again under another name")
	}
}

func priced(session string, wei int64) videorouting.Offer {
	o := at("list", "a", 1)
	o.Session = core.SessionID(session)
	if wei > 0 {
		o.Price = big.NewRat(wei, 1)
	}
	return o
}

// TestPricesAreHeldToTheChoice: new terms and renewals may ask for twice the price that the
// orchestrator was chosen with, however often they come.
func TestPricesAreHeldToTheChoice(t *testing.T) {
	t.Parallel()
	p := newPool()
	p.Add(priced("s", 10), "chosen")
	newTerms := func(o videorouting.Offer, want string) {
		t.Helper()
		p.Release(take(t, p, t0, "a"), videorouting.Succeeded, 0, &videorouting.NewTerms[string]{Offer: o, Info: "news"}, t0)
		l := take(t, p, t0, "a")
		if p.Release(l, videorouting.Succeeded, 0, nil, t0); l.Info != want {
			t.Errorf("%s at %v is %s, want %s", o.Session, o.Price, l.Info, want)
		}
	}
	newTerms(priced("other", 1), "chosen")
	newTerms(priced("s", 21), "chosen")
	newTerms(priced("s", 20), "news")
	for _, row := range []struct {
		wei  int64
		want videorouting.Renewal
	}{{20, videorouting.Renewed}, {21, videorouting.TooExpensive}, {40, videorouting.TooExpensive},
		{0, videorouting.Renewed}, {20, videorouting.Renewed}} {
		l := take(t, p, t0, "a")
		if got, _ := p.Renew(l, priced("next", row.wei), "next"); got != row.want {
			t.Errorf("renewed at %d: %v, want %v", row.wei, got, row.want)
		}
		p.Release(l, videorouting.Succeeded, 0, nil, t0)
	}
	p.Release(take(t, p, t0, "a"), videorouting.Stale, 0, nil, t0)
	p.Add(priced("chosen again", 50), "chosen again")
	newTerms(priced("chosen again", 100), "news")
}

func TestFreeStaysFree(t *testing.T) {
	t.Parallel()
	p := newPool()
	p.Add(priced("s", 0), "free")
	if how, _ := p.Renew(take(t, p, t0, "a"), priced("t", 1), "expensive"); how != videorouting.TooExpensive {
		t.Errorf("renewed: %v", how)
	}
}

func TestOutdatedIsBelievedOnceOfOldTerms(t *testing.T) {
	t.Parallel()
	var o videorouting.Outdated
	both, owner := videorouting.Identity{Asked: "a", Owner: core.Address{1}},
		videorouting.Identity{Asked: "b", Owner: core.Address{1}}
	for i, row := range []struct {
		by       videorouting.Identity
		got, now time.Duration
		want     bool
	}{
		{both, 0, time.Minute, true},
		{both, time.Second, time.Minute, true}, // another stream's, of before too
		{both, time.Minute, 61 * time.Second, false},
		{owner, time.Minute, 61 * time.Second, false},
		{id("c"), time.Minute, 61 * time.Second, true},
		{both, 5 * time.Minute, 10 * time.Minute, false},
		{both, 5 * time.Minute, 11 * time.Minute, true},
	} {
		if got := o.Believe(row.by, t0.Add(row.got), t0.Add(row.now)); got != row.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

func TestNamesHaveBounds(t *testing.T) {
	t.Parallel()
	w := videorouting.Wants{}
	long := offer("https://o:1")
	long.Session = core.SessionID(make([]byte, 65))
	far := offer("https://" + string(make([]byte, 256)))
	for _, o := range []videorouting.Offer{long, far} {
		if err := w.Usable(&o); err == nil {
			t.Errorf("%d and %d bytes are taken", len(o.Session), len(o.URI))
		}
	}
}
