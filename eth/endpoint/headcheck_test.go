package endpoint

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// look asks one endpoint for its newest block.
func look(t *testing.T, p *Pool, which int) error {
	t.Helper()
	_, err := p.latest(t.Context(), p.remotes[which])
	return err
}

// kill makes an endpoint fail until its breaker opens.
func kill(t *testing.T, p *Pool, which int, n *fakeNode) {
	t.Helper()
	n.set(func() { n.whole = broken })
	for range failureThreshold {
		if look(t, p, which) == nil {
			t.Fatal("a broken endpoint answers")
		}
	}
}

func wantNewest(t *testing.T, p *Pool, want protocol.L2Block) {
	t.Helper()
	if head, _ := p.Known(); head.Number != want || p.newest() != want {
		t.Errorf("the newest block is %d and the floor %d, want %d", head.Number, p.newest(), want)
	}
}

// Some minutes ahead on a chain of its own: it neither becomes the newest nor
// makes the other one "behind", also when it goes away before any request.
func TestLeadOfMinutesIsProven(t *testing.T) {
	t.Parallel()
	good, far := newFakeNode(t), newFakeNode(t)
	far.head, far.hashSalt = 1900, 7
	p := poolOf(t, nil, good, far)
	if err := look(t, p, 0); err != nil {
		t.Fatal(err)
	}
	if err := look(t, p, 1); !errors.Is(err, fault.RPCWrongChain) {
		t.Errorf("it is believed: %v", err)
	}
	kill(t, p, 1, far)
	wantNewest(t, p, 1000)
	if head, err := p.Head(t.Context()); err != nil || head.Number != 1000 {
		t.Errorf("%d, %v", head.Number, err)
	}
}

func TestSmallLeadCostsNothing(t *testing.T) {
	t.Parallel()
	late, good := newFakeNode(t), newFakeNode(t)
	good.head = 1000 + uint64(maxLead)
	p := poolOf(t, nil, late, good)
	for range 5 {
		if err := errors.Join(look(t, p, 0), look(t, p, 1)); err != nil {
			t.Fatal(err)
		}
	}
	wantNewest(t, p, 1040)
	good.set(func() { good.head++ })
	for range 5 {
		if err := look(t, p, 1); err != nil {
			t.Fatal(err)
		}
	}
	// A lead that was proven over a block is not proven again over the same one.
	if asked := good.count("eth_getBlockByNumber"); asked != 11 {
		t.Errorf("%d requests for 10 looks and one proof", asked)
	}
}

// A later block with an earlier time is of another chain, however near it is.
func TestEarlierTimeIsContradiction(t *testing.T) {
	t.Parallel()
	good, odd := newFakeNode(t), newFakeNode(t)
	odd.head = 1005
	odd.answers["eth_getBlockByNumber"] = func(params []rawParam) (any, map[string]any) {
		block := odd.blockByTag(params).(map[string]any)
		if block["number"] == hex(1005) {
			block["timestamp"] = "0x10"
		}
		return block, nil
	}
	p := poolOf(t, nil, good, odd)
	if err := look(t, p, 0); err != nil {
		t.Fatal(err)
	}
	if err := look(t, p, 1); !errors.Is(err, fault.RPCWrongChain) {
		t.Errorf("it is believed: %v", err)
	}
	wantNewest(t, p, 1000)
}

// What one endpoint alone showed lasts as long as that one works.
func TestAbsurdFirstHeadGoesWithItsEndpoint(t *testing.T) {
	t.Parallel()
	good, liar := newFakeNode(t), newFakeNode(t)
	liar.head, liar.hashSalt = 1_000_000_000, 7
	p := poolOf(t, nil, good, liar)
	if err := look(t, p, 1); err != nil {
		t.Fatal(err)
	}
	wantNewest(t, p, 1_000_000_000)
	kill(t, p, 1, liar)
	if err := look(t, p, 0); err != nil {
		t.Fatal(err)
	}
	wantNewest(t, p, 1000)
}

// A head that another endpoint bore out is waited for when its endpoint goes.
func TestProvenHeadIsWaitedFor(t *testing.T) {
	t.Parallel()
	late, good := newFakeNode(t), newFakeNode(t)
	good.head = 1500
	now := time.Unix(1_700_000_000, 0)
	p := poolOf(t, func(o *Options) { o.Now = func() time.Time { return now } }, late, good)
	if err := errors.Join(look(t, p, 0), look(t, p, 1)); err != nil {
		t.Fatal(err)
	}
	kill(t, p, 1, good)
	for _, step := range []struct {
		after time.Duration
		want  protocol.L2Block
	}{{0, 1500}, {withdrawAfter, 1500}, {time.Second, 1000}} {
		now = now.Add(step.after)
		if err := look(t, p, 0); err != nil {
			t.Fatal(err)
		}
		wantNewest(t, p, step.want)
	}
}

// What an endpoint showed before both undid it counts against no endpoint.
func TestUndoneBlocksAreNoContradiction(t *testing.T) {
	t.Parallel()
	late, good := newFakeNode(t), newFakeNode(t)
	p := poolOf(t, nil, late, good)
	if err := look(t, p, 0); err != nil {
		t.Fatal(err)
	}
	late.set(func() { late.hashSalt = 3 })
	good.set(func() { good.hashSalt, good.head = 3, 1300 })
	if err := look(t, p, 1); err != nil {
		t.Error(err)
	}
	wantNewest(t, p, 1300)
	// One that cannot be asked any more decides nothing.
	late.set(func() { late.whole = broken })
	p.remotes[1].leadCheckedAgainst = protocol.Hash{}
	good.set(func() { good.head = 1400 })
	if err := look(t, p, 1); !errors.Is(err, fault.RPCBlockUnknown) {
		t.Error(err)
	}
	if s := p.Status().Endpoints[1]; s.Open || s.ErrorRate != 0 {
		t.Errorf("the endpoint was blamed: %+v", s)
	}
}

// Who stays on another chain is left alone for longer and longer.
func TestStrayEndpointRestsLonger(t *testing.T) {
	t.Parallel()
	good, far := newFakeNode(t), newFakeNode(t)
	far.head, far.hashSalt = 1900, 7
	now := time.Unix(1_700_000_000, 0)
	p := poolOf(t, func(o *Options) { o.Now = func() time.Time { return now } }, good, far)
	if err := look(t, p, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []time.Duration{1, 2, 4, 8} {
		if err := look(t, p, 1); !errors.Is(err, fault.RPCWrongChain) {
			t.Fatal(err)
		}
		rest := p.remotes[1].until.Sub(now)
		if rest != want*time.Second {
			t.Errorf("rests for %v, want %v s", rest, int(want))
		}
		now = now.Add(rest)
	}
}

// A receipt's block is waited for, within what the chain can have made, and not
// forever.
func TestLearnedHeightIsBounded(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	now := time.Unix(1_700_000_000, 0)
	p := poolOf(t, func(o *Options) { o.Now = func() time.Time { return now } }, n)
	p.learnHeight(5)
	if p.newest() != 0 {
		t.Error("believed before any head")
	}
	if err := look(t, p, 0); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		learn protocol.L2Block
		want  protocol.L2Block
	}{
		{0, 1000 + maxLead + 1, 1000},
		{0, 1000 + maxLead, 1040},
		{0, 1020, 1040},
		{heightHintTTL, 0, 1040},
		{1, 0, 1000},
		{10 * time.Second, 1230, 1230},
		{time.Hour, 1000 + maxLead + maxHintLead, 1000},
		{0, 1000 + maxHintLead, 1600},
	} {
		now = now.Add(step.after)
		p.learnHeight(step.learn)
		if got := p.newest(); got != step.want {
			t.Errorf("after %v and word of %d the floor is %d, want %d", step.after, step.learn, got, step.want)
		}
	}
}

// One false height of a lone endpoint is not believed: its true answers are not "behind" afterwards. A height that it
// gives twice is, as on a chain that makes blocks on demand.
func TestALeapIsConfirmed(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	p := poolOf(t, nil, n)
	if err := look(t, p, 0); err != nil {
		t.Fatal(err)
	}
	lies := 1
	n.set(func() {
		n.answers["eth_getBlockByNumber"] = func(params []json.RawMessage) (any, map[string]any) {
			if lies--; lies >= 0 {
				return n.block(1 << 40), nil
			}
			return n.blockByTag(params), nil
		}
	})
	if err := look(t, p, 0); !errors.Is(err, fault.RPCContradicted) {
		t.Errorf("believed: %v", err)
	}
	n.set(func() { n.head = 1001 })
	if err := look(t, p, 0); err != nil {
		t.Error(err)
	}
	wantNewest(t, p, 1001)
	n.set(func() { n.head = 900_000 })
	if err := look(t, p, 0); err != nil {
		t.Error(err)
	}
	wantNewest(t, p, 900_000)
}
