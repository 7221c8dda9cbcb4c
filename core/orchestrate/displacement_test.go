package orchestrate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

const (
	hostA = "192.0.2.1"
	hostB = "192.0.2.2"
	hostC = "192.0.2.3"
)

// tokenFor is an offer's to a host.
func (n *node) tokenFor(host string) *orchestrate.Token {
	n.t.Helper()
	in, err := n.Offer(n.t.Context(), orchestrate.OfferRequest{From: host})
	if err != nil {
		n.t.Fatalf("offer to %s: %v", host, err)
	}
	return &in.Token
}

// admitFrom lets a segment of a host in, or not.
func (n *node) admitFrom(host string, tok *orchestrate.Token) (*orchestrate.Segment, error) {
	req := request(tok)
	req.From = host
	return n.Admit(n.t.Context(), req)
}

// sendFrom is a whole segment of a host that must succeed.
func (n *node) sendFrom(host string, tok *orchestrate.Token) {
	n.t.Helper()
	seg, err := n.admitFrom(host, tok)
	if err != nil {
		n.t.Fatalf("segment of %s: %v", host, err)
	}
	defer seg.Close()
	if _, err := seg.Transcode(n.t.Context(), []byte("segment")); err != nil {
		n.t.Fatalf("segment of %s: %v", host, err)
	}
}

// filled is a node of which a host has every session, the first one idle longest, and a token of
// which there is no session.
func filled(t *testing.T, host string, sessions int) (n *node, held []*orchestrate.Token, spare *orchestrate.Token) {
	t.Helper()
	n = newNode(t, func(o *orchestrate.Options) { o.Limit = sessions })
	spare = n.tokenFor(hostC)
	for range sessions {
		held = append(held, n.tokenFor(host))
	}
	for _, tok := range held {
		n.sendFrom(host, tok)
		n.clk.Forward(time.Second)
	}
	return n, held, spare
}

// wantCapped says that a host gets neither an offer nor a session.
func (n *node) wantCapped(host string, tok *orchestrate.Token) {
	n.t.Helper()
	_, err := n.Offer(n.t.Context(), orchestrate.OfferRequest{From: host})
	wantCode(n.t, err, fault.OrchestratorCapped)
	_, err = n.admitFrom(host, tok)
	wantCode(n.t, err, fault.OrchestratorCapped)
}

// pause is longer than what one finished segment keeps its session for.
const pause = 5 * time.Second

// TestTheMostGiveWay: of a full node, the party with most sessions gives up those that it
// only keeps open, the longest idle first, until the other has about as many.
func TestTheMostGiveWay(t *testing.T) {
	t.Parallel()
	n, held, spare := filled(t, hostA, 4)
	n.clk.Forward(pause)
	n.sendFrom(hostB, n.tokenFor(hostB))
	if got := n.fake.Ended(); !slices.Equal(got, []core.SessionID{held[0].Session}) {
		t.Errorf("ended: %v, want the longest idle one, %v", got, held[0].Session)
	}
	n.clk.Forward(pause)
	n.sendFrom(hostB, n.tokenFor(hostB))
	n.wantSessions(4)
	// Two each: neither gets more, nor back what it had.
	n.clk.Forward(pause)
	n.wantCapped(hostB, spare)
	n.wantCapped(hostA, spare)
	// A third party gets one, and no second.
	third := n.tokenFor(hostC)
	n.sendFrom(hostC, third)
	n.clk.Forward(pause)
	n.wantCapped(hostC, spare)
	n.wantSessions(4)
}

// TestAllSessionsOfAnIdleNode: a party that has all of them keeps them while no other asks.
func TestAllSessionsOfAnIdleNode(t *testing.T) {
	t.Parallel()
	n, held, spare := filled(t, hostA, 3)
	n.clk.Forward(30 * time.Second)
	for _, tok := range held {
		n.sendFrom(hostA, tok)
	}
	n.wantCapped(hostA, spare)
	if got := n.fake.Ended(); len(got) != 0 {
		t.Errorf("ended: %v", got)
	}
}

// TestTheOnlySessionGivesWay: a party's only session, which may have all of a device's encoders,
// is not kept by a short segment a minute where another party has none; a stream that keeps up is,
// and nothing goes back and forth between two streams.
func TestTheOnlySessionGivesWay(t *testing.T) {
	t.Parallel()
	n, held, spare := filled(t, hostA, 1)
	for range 20 {
		n.clk.Forward(2 * time.Second)
		n.sendFrom(hostA, held[0])
		n.wantCapped(hostB, spare)
	}
	n.clk.Forward(pause)
	n.wantCapped(hostB, spare)
	n.clk.Forward(40 * time.Second)
	other := n.tokenFor(hostB)
	n.sendFrom(hostB, other)
	if got := n.fake.Ended(); !slices.Equal(got, []core.SessionID{held[0].Session}) {
		t.Errorf("ended: %v, want %v", got, held[0].Session)
	}
	for range 20 {
		n.wantCapped(hostA, spare)
		n.clk.Forward(2 * time.Second)
		n.sendFrom(hostB, other)
	}
}

// TestStreamsThatKeepUpStay: a party's streams are not ended for another's while their
// segments come and are finished in time, nor in the middle of a segment.
func TestStreamsThatKeepUpStay(t *testing.T) {
	t.Parallel()
	n, held, spare := filled(t, hostA, 2)
	for range 20 {
		for _, tok := range held {
			n.sendFrom(hostA, tok)
		}
		n.wantCapped(hostB, spare)
		n.clk.Forward(2 * time.Second) // as long as a segment plays
	}
	n.clk.Forward(time.Minute)
	var open []*orchestrate.Segment
	for _, tok := range held {
		seg, err := n.admitFrom(hostA, tok)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, seg)
	}
	n.wantCapped(hostB, spare)
	for _, seg := range open {
		if _, err := seg.Transcode(t.Context(), []byte("segment")); err != nil {
			t.Error(err)
		}
		seg.Close()
	}
}

// TestSegmentsThatDoNotArriveKeepNothing: bodies that do not come to their end keep no
// session, neither one for long nor one after the other.
func TestSegmentsThatDoNotArriveKeepNothing(t *testing.T) {
	t.Parallel()
	n, held, _ := filled(t, hostA, 2)
	n.clk.Forward(time.Minute)
	var open []*orchestrate.Segment
	for range 3 {
		for _, tok := range held {
			seg, err := n.admitFrom(hostA, tok)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, seg)
		}
		n.clk.Forward(time.Second)
	}
	n.sendFrom(hostB, n.tokenFor(hostB))
	gone := 0
	for _, seg := range open {
		_, err := seg.Transcode(t.Context(), []byte("segment"))
		if err != nil {
			wantCode(t, err, fault.OrchestratorCapped)
			gone++
		}
		seg.Close()
	}
	if gone != 3 {
		t.Errorf("%d segments of the session that gave way are refused, want 3", gone)
	}
	n.wantSessions(2)
}

// TestNoSessionEndsForAnUnpaidSegment: a segment whose payment is refused ends none.
func TestNoSessionEndsForAnUnpaidSegment(t *testing.T) {
	t.Parallel()
	n, pay := paidNode(t, func(o *orchestrate.Options) { o.Limit = 2 })
	for range 2 {
		n.sendPaid(n.payerToken())
	}
	n.clk.Forward(pause)
	other := core.Address{19: 8}
	in, err := n.Offer(t.Context(), orchestrate.OfferRequest{Address: other[:]})
	if err != nil {
		t.Fatal(err)
	}
	req := request(&in.Token)
	req.Sender, req.Payment = other, payment(1)
	refused := fault.New(fault.InsufficientBalance, "pay", "")
	for _, valid := range []bool{false, true} { // valid tickets that are not written
		pay.OnAdmit = func(job *pm.Job) error {
			if valid {
				job.Verified()
			}
			return refused
		}
		_, err = n.Admit(t.Context(), req)
		wantCode(t, err, fault.InsufficientBalance)
		if got := n.fake.Ended(); len(got) != 0 {
			t.Errorf("ended for a segment that was not paid: %v", got)
		}
	}
	pay.OnAdmit = nil
	seg, err := n.Admit(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	seg.Close()
	if got := n.fake.Ended(); len(got) != 2 { // the one that gave way, and the new one
		t.Errorf("ended: %v", got)
	}
}

// devices carry so many sessions.
type devices struct {
	most int
	have map[core.SessionID]bool
}

func (d *devices) Admit(r core.SessionRequest) error {
	if len(d.have) >= d.most {
		return d.Capped()
	}
	d.have[r.ID] = true
	return nil
}

func (d *devices) Usage() orchestrate.Usage { return orchestrate.Usage{Sessions: len(d.have)} }

func (d *devices) Capped() *fault.Fault { return fault.New(fault.OrchestratorCapped, "admit", "") }

// ending takes sessions from devices.
type ending struct {
	core.Transcoder
	*devices
}

func (e ending) EndSession(id core.SessionID) {
	delete(e.have, id)
	e.Transcoder.EndSession(id)
}

// TestSessionsOfDevicesAreShared: the same holds where it is the devices that have no
// capacity, which only shows when they are asked for a session.
func TestSessionsOfDevicesAreShared(t *testing.T) {
	t.Parallel()
	d := &devices{most: 3, have: make(map[core.SessionID]bool)}
	n := newNode(t, func(o *orchestrate.Options) {
		o.Limit, o.Admitter, o.Transcoder = 0, d, ending{o.Transcoder, d}
	})
	for range 3 {
		n.sendFrom(hostA, n.tokenFor(hostA))
	}
	n.clk.Forward(pause)
	_, err := n.admitFrom(hostA, n.tokenFor(hostA))
	wantCode(t, err, fault.OrchestratorCapped)
	n.sendFrom(hostB, n.tokenFor(hostB))
	if n.wantSessions(3); len(d.have) != 3 {
		t.Errorf("the devices have %d sessions", len(d.have))
	}
}

// huge are sessions that fit on no device.
type huge struct {
	*devices
	ids map[core.SessionID]bool
}

func (h huge) Admit(r core.SessionRequest) error {
	if h.ids[r.ID] {
		return h.Capped()
	}
	return h.devices.Admit(r)
}

// TestSessionsThatFitNowhereEndFew: a party whose sessions fit on no device does not end
// those of others again and again.
func TestSessionsThatFitNowhereEndFew(t *testing.T) {
	t.Parallel()
	d := &devices{most: 12, have: make(map[core.SessionID]bool)}
	h := huge{d, make(map[core.SessionID]bool)}
	n := newNode(t, func(o *orchestrate.Options) {
		o.Limit, o.Admitter, o.Transcoder = 0, h, ending{o.Transcoder, d}
	})
	for range d.most {
		n.sendFrom(hostA, n.tokenFor(hostA))
	}
	n.clk.Forward(pause)
	for range 5 {
		tok := n.tokenFor(hostC)
		h.ids[tok.Session] = true
		_, err := n.admitFrom(hostC, tok)
		wantCode(t, err, fault.OrchestratorCapped)
	}
	if got := n.fake.Ended(); len(got) > 4 {
		t.Errorf("%d sessions ended for one that is never there", len(got))
	}
	n.sendFrom(hostB, n.tokenFor(hostB))
}
