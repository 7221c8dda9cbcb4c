package broker_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

func TestOffersAreRefreshed(t *testing.T) {
	t.Parallel()
	a, b := fake(t, "a"), fake(t, "b")
	s := start(t, func(o *broker.Options, up *upstream.Options) {
		brief(o, up)
		o.RefreshEvery = time.Second
	}, a)
	s.mustAsk(t)
	s.use(a, b)
	eventually(t, "the new one is used", func() bool {
		s.clock.Forward(time.Second)
		text, _ := s.mustAsk(t)
		return text == `{"b":1}`
	})
	a.lacks()
	eventually(t, "one that has lost the model is left", func() bool {
		s.clock.Forward(time.Second)
		s.mustAsk(t)
		st := s.Pools()[0].Statuses
		return len(st) == 1 && st[0].Offer.URI == b.uri
	})
	s.use(a)
	a.with(func() { a.models[llm] = capability.Model{Warm: true, Capacity: 3} })
	eventually(t, "one that is not listed any more is left", func() bool {
		s.clock.Forward(time.Second)
		s.mustAsk(t)
		st := s.Pools()[0].Statuses
		return len(st) == 1 && st[0].Offer.URI == a.uri && st[0].Offer.Capacity == 3
	})
	s.mustAsk(t)
	before := a.headers[len(a.headers)-1].Get("Livepeer-Segment")
	s.clock.Forward(2 * time.Second)
	s.mustAsk(t)
	s.mustAsk(t)
	if after := a.headers[len(a.headers)-1].Get("Livepeer-Segment"); after != before {
		t.Error("a token that holds was exchanged")
	}
}

func TestOneThatIsSilentStaysForAWhile(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	s := start(t, func(opt *broker.Options, up *upstream.Options) {
		brief(opt, up)
		opt.RefreshEvery = time.Second
	}, o)
	s.mustAsk(t)
	o.offers(func(i *rpc.OrchestratorInfo) { i.Transcoder = capped })
	for range 2 {
		asked, _ := o.counts()
		s.clock.Forward(2 * time.Second)
		eventually(t, "it gets the request", func() bool {
			s.mustAsk(t)
			n, _ := o.counts()
			return n > asked
		})
		s.mustAsk(t)
	}
}

func TestRunKeepsOffersFresh(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	s := start(t, func(opt *broker.Options, _ *upstream.Options) { opt.RefreshEvery = time.Second }, o)
	s.mustAsk(t)
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.Run(ctx, func() { close(ready) }) }()
	<-ready
	asked, _ := o.counts()
	eventually(t, "the offer is requested again", func() bool { n, _ := o.counts(); return n > asked })
	s.clock.Forward(time.Hour)
	eventually(t, "an unused model is forgotten", func() bool { return len(s.Pools()) == 0 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); !errors.Is(err, fault.Canceled) {
		t.Errorf("after its end: %v", err)
	}
	if s.Name() == "" {
		t.Error("a component has a name")
	}
}

func TestPools(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	o := fake(t, "a").does(func(_ int, w http.ResponseWriter, _ *http.Request) {
		<-release
		answer(w, "a")
	})
	s := start(t, nil, o)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err != nil {
			t.Error(err)
		}
	}()
	eventually(t, "the job is counted", func() bool { return s.inFlight() == 1 })
	p := s.Pools()[0]
	if p.Model != llm || !p.Statuses[0].Offer.Warm || p.Statuses[0].Offer.Capacity != 8 {
		t.Errorf("%+v", p)
	}
	close(release)
	<-done
	if s.inFlight() != 0 {
		t.Error("it is counted still")
	}
}
