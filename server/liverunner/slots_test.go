package liverunner

import (
	"fmt"
	"testing"
)

// TestSlotsAreShared: one that takes all it can gives way to others, the oldest request first, until they
// have as much; one owner of many addresses counts once; no request ends for a client that has as much.
func TestSlotsAreShared(t *testing.T) {
	t.Parallel()
	const most = 12
	p := newSlots(most)
	ended := make(chan string, most)
	held := make(map[string]*slot)
	take := func(name, from string) bool {
		pl := p.take(from, func() { ended <- name })
		if pl != nil {
			held[name] = pl
		}
		return pl != nil
	}
	for i := range most {
		if !take(fmt.Sprint("greedy", i), fmt.Sprintf("[2001:db8:1:%d::1]:1", i)) {
			t.Fatal("a free slot was not given")
		}
	}
	if take("more", "[2001:db8:1:ffff::1]:1") {
		t.Error("another address of the site with most took a slot")
	}
	for i := range most / 2 {
		if !take(fmt.Sprint("other", i), "192.0.2.1:1") {
			t.Fatal("one with less was refused")
		}
		name := <-ended
		if name[:6] != "greedy" {
			t.Error(name, "ended")
		}
		p.give(held[name])
		delete(held, name)
	}
	if take("other", "192.0.2.1:1") {
		t.Error("one with as many took another's slot")
	}
	if !take("neighbor", "192.0.2.2:1") || <-ended != "other0" {
		t.Error("of one site the address with most does not give way")
	}
	for _, pl := range held {
		p.give(pl)
	}
	if p.taken != 0 || len(p.clients) != 0 || len(p.sites) != 0 {
		t.Errorf("%+v is left", p)
	}
}

// TestTheOldestSlotIsTakenOver: of one client's requests the oldest ends.
func TestTheOldestSlotIsTakenOver(t *testing.T) {
	t.Parallel()
	p := newSlots(3)
	ended := make(chan int, 3)
	for i := range 3 {
		p.take("198.51.100.1:1", func() { ended <- i })
	}
	if p.take("192.0.2.1:1", func() {}) == nil || <-ended != 0 {
		t.Error("it is not the oldest that ended")
	}
}
