package live

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// blamed is a payment that says when it is blamed.
type blamed struct {
	fakePayment
	times int
}

func (*blamed) Value() pm.Value { return pm.WeiValue(core.NewWei(1)) }
func (b *blamed) Blame()        { b.times++ }

// starter is an orchestrator that takes a stream, or loses a payment.
type starter struct {
	lost   upstream.Payment
	client string
}

func (*starter) URI() string     { return "https://o.example:1" }
func (*starter) Account() string { return "" }
func (*starter) Price() *big.Rat { return nil }

func (o *starter) Start(_ context.Context, client string, _ []byte) ([]byte, Paid, error) {
	o.client = client
	if o.lost != nil {
		return nil, nil, upstream.Forgone(&RefusedError{Status: 500, Text: "no"}, o.lost)
	}
	return []byte(`{"publish_url":"/p","subscribe_url":"/s","control_url":"/c","events_url":"/e"}`), nil, nil
}

type starters []Orchestrator

func (s starters) Find(context.Context, string) ([]Orchestrator, error) { return s, nil }

// Orchestrators that fail to begin a stream are blamed once another one takes it, and not before: its client wrote the
// parameters. What they were paid is that client's, however many streams it begins.
func TestFailedStartsAreBlamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, 100)
	for _, takes := range []bool{false, true} {
		lost := new(blamed)
		first, last := &starter{lost: lost}, &starter{}
		list := starters{first, last}
		if !takes {
			list = list[:1]
		}
		b.o.Network, b.o.Limits.Try = list, time.Minute
		st, err := b.newStream(keyHolder("one"), "cam", "localhost", requestNumber, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = st.choose(t.Context())
		if want := map[bool]int{true: 1}[takes]; (err == nil) != takes || lost.times != want {
			t.Errorf("taken %v: %v, blamed %d times", takes, err, lost.times)
		}
		var refused *RefusedError
		if !takes && !errors.As(err, &refused) {
			t.Errorf("%v: the refusal is not in it", err)
		}
		if first.client != "key one" {
			t.Errorf("the client is %q", first.client)
		}
	}
	for by, want := range map[string]string{"": "stream cam", ownMachine: "stream cam", "address x": "address x"} {
		st := &stream{published: published{by: identity{name: by}, id: "cam"}}
		if got := st.client(); got != want {
			t.Errorf("%q: %q", by, got)
		}
	}
}
