package orchestrate_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

var (
	errNoRandom = errors.New("no randomness")
	discard     = slog.New(slog.DiscardHandler)
)

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errNoRandom }

func TestLimit(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	first, second, third := n.token(), n.token(), n.token()
	n.send(first)
	n.send(second)

	_, err := n.Offer(t.Context(), orchestrate.OfferRequest{})
	wantCode(t, err, fault.OrchestratorCapped)
	_, err = n.Admit(t.Context(), request(third))
	wantCode(t, err, fault.OrchestratorCapped)
	// Sessions that are here go on.
	n.send(first)

	n.SetMaxSessions(3)
	n.send(third)
	// A lowered limit ends nothing.
	n.SetMaxSessions(1)
	n.send(second)
	n.wantSessions(3)
}

func TestAdmitterDecidesBesideTheLimit(t *testing.T) {
	t.Parallel()
	a := &admitter{}
	n := newNode(t, func(o *orchestrate.Options) { o.Limit, o.Admitter = 0, a })
	first, second := n.token(), n.token()
	n.send(first)
	a.refuse = fault.New(fault.OrchestratorCapped, "admit", "")
	_, err := n.Admit(t.Context(), request(second))
	wantCode(t, err, fault.OrchestratorCapped)
	// It is called for new sessions only.
	n.send(first)

	a.refuse, a.usage = nil, orchestrate.Usage{Sessions: 5, Limit: 5}
	_, err = n.Offer(t.Context(), orchestrate.OfferRequest{})
	wantCode(t, err, fault.OrchestratorCapped)
	if got := n.Usage(); got != (orchestrate.Usage{Sessions: 1, Limit: 5}) {
		t.Errorf("usage %v", got)
	}
}

func TestFailedUploadFreesItsSession(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *orchestrate.Options) { o.Limit = 1 })
	tok := n.token()
	seg := n.admit(tok)
	n.wantSessions(1)
	seg.Close()
	seg.Close()
	n.wantSessions(0)
	if !slices.Equal(n.fake.Ended(), []core.SessionID{tok.Session}) {
		t.Errorf("ended at the transcoder: %v", n.fake.Ended())
	}
}

func TestIdleSessionEnds(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *orchestrate.Options) { o.Limit = 1 })
	tok := n.token()
	n.send(tok)
	n.clk.Forward(core.SessionIdle - time.Second)
	n.Sweep(n.clk.Now())
	n.wantSessions(1)
	n.clk.Forward(time.Second)
	n.Sweep(n.clk.Now())
	n.wantSessions(0)
	if !slices.Equal(n.fake.Ended(), []core.SessionID{tok.Session}) {
		t.Errorf("ended at the transcoder: %v", n.fake.Ended())
	}
	// Its token is still good.
	n.send(tok)
}

func TestIdleSessionKeepsNoNewOneOut(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *orchestrate.Options) { o.Limit = 1 })
	n.send(n.token())
	n.clk.Forward(core.SessionIdle)
	n.send(n.token())
}

func TestSessionWithSegmentInHandIsNotIdle(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	seg := n.admit(n.token())
	n.clk.Forward(2 * core.SessionIdle)
	n.Sweep(n.clk.Now())
	n.wantSessions(1)
	seg.Close()
}

func TestEndSession(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.token()

	err := n.EndSession(&orchestrate.Token{Session: tok.Session, Expires: tok.Expires})
	wantCode(t, err, fault.EndTokenInvalid)
	if got := fault.Wire(err); got != "Invalid auth token" {
		t.Errorf("gateways get %q", got)
	}
	wantCode(t, n.EndSession(nil), fault.EndTokenInvalid)
	// Unknown is no error.
	if err := n.EndSession(tok); err != nil {
		t.Error(err)
	}

	n.send(tok)
	n.clk.Forward(orchestrate.TokenLife + time.Hour)
	// Expired is no error. (The session itself went idle meanwhile.)
	if err := n.EndSession(tok); err != nil {
		t.Error(err)
	}
}

func TestEndSessionWaitsForItsSegments(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.token()
	seg := n.admit(tok)
	if err := n.EndSession(tok); err != nil {
		t.Fatal(err)
	}
	n.wantSessions(1)
	if _, err := seg.Transcode(t.Context(), []byte("segment")); err != nil {
		t.Fatal(err)
	}
	seg.Close()
	n.wantSessions(0)
	if !slices.Equal(n.fake.Ended(), []core.SessionID{tok.Session}) {
		t.Errorf("ended at the transcoder: %v", n.fake.Ended())
	}
}

func TestSegmentAfterEndRevives(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.token()
	first := n.admit(tok)
	if err := n.EndSession(tok); err != nil {
		t.Fatal(err)
	}
	n.send(tok)
	first.Close()
	n.wantSessions(1)
}

func TestRunEndsEverything(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.send(n.token())
	ctx, cancel := context.WithCancel(t.Context())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- n.Run(ctx, func() { close(ready) }) }()
	<-ready
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	n.wantSessions(0)
	if len(n.fake.Ended()) != 1 {
		t.Errorf("ended at the transcoder: %v", n.fake.Ended())
	}
}

// Sessions end in the order in which they fell idle, whatever order they began in,
// and those with a segment in progress keep none of them alive.
func TestIdleSessionsEndInTheirOrder(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *orchestrate.Options) { o.Limit = 0 })
	first, second, third := n.token(), n.token(), n.token()
	held := n.admit(first)
	if _, err := held.Transcode(t.Context(), []byte("segment")); err != nil {
		t.Fatal(err)
	}
	n.send(second)
	n.send(third)
	n.clk.Forward(core.SessionIdle / 2)
	n.send(second)
	n.clk.Forward(core.SessionIdle / 2)
	n.Sweep(n.clk.Now())
	if got := n.fake.Ended(); !slices.Equal(got, []core.SessionID{third.Session}) {
		t.Errorf("ended at first %v", got)
	}
	n.clk.Forward(core.SessionIdle / 2)
	n.send(n.token()) // a new session finds the same out
	if got := n.fake.Ended(); !slices.Equal(got, []core.SessionID{third.Session, second.Session}) {
		t.Errorf("then %v", got)
	}
	held.Close()
	n.wantSessions(2)
	n.clk.Forward(core.SessionIdle)
	n.Sweep(n.clk.Now())
	n.wantSessions(0)
}

// Where no device is ready there are no offers either, although nothing is in use.
func TestNoOffersWithoutADevice(t *testing.T) {
	t.Parallel()
	a := &admitter{usage: orchestrate.Usage{Refusal: fault.New(fault.NoTranscoders, "admit", "none is attached")}}
	n := newNode(t, func(o *orchestrate.Options) { o.Limit, o.Admitter = 0, a })
	_, err := n.Offer(t.Context(), orchestrate.OfferRequest{})
	wantCode(t, err, fault.NoTranscoders)
	if got := fault.Wire(err); got != "OrchestratorCapped" {
		t.Errorf("gateways get %q", got)
	}
	// A node with models offers them to gateways that compare orchestrators.
	ai, _ := aiNode(t, ready(1), func(o *orchestrate.Options) { o.Limit, o.Admitter = 0, a })
	if _, err := ai.Offer(t.Context(), orchestrate.OfferRequest{}); err != nil {
		t.Error(err)
	}
	job := capability.ForJob(capability.Job{})
	_, err = ai.Offer(t.Context(), orchestrate.OfferRequest{Wanted: &job})
	wantCode(t, err, fault.NoTranscoders)
}
