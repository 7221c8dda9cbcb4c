package broker_test

import (
	"context"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/dispatch"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/route"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// brief makes retries short.
func brief(o *broker.Options, _ *upstream.Options) { o.RetryWindow = 200 * time.Millisecond }

func TestNobodyCanDoIt(t *testing.T) {
	t.Parallel()
	offer := func(change func(*rpc.OrchestratorInfo)) *orchestrator { return fake(t, "a").offers(change) }
	for name, row := range map[string]struct {
		over   []*orchestrator
		change func(*broker.Options)
		want   fault.Code
	}{
		"empty list":  {nil, nil, fault.NoOrchestratorReachable},
		"nobody":      {[]*orchestrator{{uri: "https://127.0.0.1:1"}}, nil, fault.NoOrchestratorReachable},
		"other model": {[]*orchestrator{fake(t, "a").lacks()}, nil, fault.ModelUnknown},
		"other model, and one that does not answer": {[]*orchestrator{fake(t, "a").lacks(), {uri: "https://127.0.0.1:1"}}, nil, fault.ModelUnknown},
		"no capabilities":   {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Capabilities = nil })}, nil, fault.ModelUnknown},
		"no constraints":    {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Capabilities.Constraints = nil })}, nil, fault.ModelUnknown},
		"no models":         {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Capabilities.Constraints.PerCapability = nil })}, nil, fault.ModelUnknown},
		"models without it": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Capabilities.Constraints.PerCapability[33] = nil })}, nil, fault.ModelUnknown},
		"no token":          {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.AuthToken = nil })}, nil, fault.ModelUnknown},
		"no address":        {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Transcoder = "" })}, nil, fault.ModelUnknown},
		"not a URL":         {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Transcoder = "https://a b\x7f" })}, nil, fault.NoOrchestratorReachable},
		"capped":            {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Transcoder = capped })}, nil, fault.OrchestratorsFull},
		"old runner": {[]*orchestrator{fake(t, "a")}, func(o *broker.Options) {
			o.MinRunnerVersions = dispatch.MinVersions{llm: "0.15.0"}
		}, fault.ModelUnknown},
		"runner is new enough": {[]*orchestrator{fake(t, "a")}, func(o *broker.Options) {
			o.MinRunnerVersions = dispatch.MinVersions{llm: "0.14.0"}
		}, ""},
		"old node": {[]*orchestrator{fake(t, "a")}, func(o *broker.Options) { o.MinVersion = "1.0.0" }, fault.ModelUnknown},
		"blocked": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Address = slices.Repeat([]byte{7}, 20) })}, func(o *broker.Options) {
			o.Blocked = []core.Address{core.Address(slices.Repeat([]byte{7}, 20))}
		}, fault.ModelUnknown},
		"dear": {[]*orchestrator{offer(price)}, func(o *broker.Options) {
			o.MaxPrice = func(inference.Model) *big.Rat { return big.NewRat(9, 2) }
		}, fault.PriceTooHigh},
		"not dear": {[]*orchestrator{offer(price)}, func(o *broker.Options) {
			o.MaxPrice = func(inference.Model) *big.Rat { return big.NewRat(5, 1) }
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, func(o *broker.Options, up *upstream.Options) {
				brief(o, up)
				if row.change != nil {
					row.change(o)
				}
			}, row.over...)
			_, _, err := s.ask(t.Context(), chat(), broker.Hint{})
			if row.want == "" && err != nil || row.want != "" && !errors.Is(err, row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

func price(i *rpc.OrchestratorInfo) { i.PriceInfo = &rpc.PriceInfo{PricePerUnit: 10, PixelsPerUnit: 2} }

// lacks takes the model away and leaves another one.
func (o *orchestrator) lacks() *orchestrator {
	return o.with(func() {
		o.models = map[inference.Model]capability.Model{{Capability: capability.LLM, ID: "other"}: {Warm: true}}
	})
}

func TestListHookFails(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *broker.Options, up *upstream.Options) {
		brief(o, up)
		o.Orchestrators = func(context.Context) ([]string, error) { return nil, errors.New("hook is down") }
	})
	_, _, err := s.ask(t.Context(), chat(), broker.Hint{})
	if !errors.Is(err, fault.NoOrchestratorReachable) || !strings.Contains(err.Error(), "hook is down") {
		t.Errorf("%v", err)
	}
}

func TestAnUnknownModelIsNotLookedForAtEachRequest(t *testing.T) {
	t.Parallel()
	o := fake(t, "a").lacks()
	s := start(t, brief, o)
	for range 20 {
		if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); !errors.Is(err, fault.ModelUnknown) {
			t.Fatal(err)
		}
	}
	if asked, _ := o.counts(); asked > 2 {
		t.Errorf("asked %d times", asked)
	}
	s.clock.move(2 * time.Second)
	o.with(func() { o.models[llm] = capability.Model{Warm: true} })
	s.mustAsk(t)
}

func TestLoadedOnesAreNotWaitedForTogether(t *testing.T) {
	t.Parallel()
	quick, hangs := fake(t, "quick"), fake(t, "hangs")
	hangs.offers(func(*rpc.OrchestratorInfo) { <-hangs.quit }) // holds its answer until the test ends
	s := start(t, func(o *broker.Options, _ *upstream.Options) {
		o.Patience = route.Patience{First: time.Hour, Stop: time.Hour}
	}, quick, hangs)
	s.mustAsk(t)
}

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
		s.clock.move(time.Second)
		text, _ := s.mustAsk(t)
		return text == `{"b":1}`
	})
	a.lacks()
	eventually(t, "one that has lost the model is left", func() bool {
		s.clock.move(time.Second)
		s.mustAsk(t)
		st := s.Pools()[0].Standings
		return len(st) == 1 && st[0].Offer.URI == b.uri
	})
	s.use(a)
	a.with(func() { a.models[llm] = capability.Model{Warm: true, Capacity: 3} })
	eventually(t, "one that is not listed any more is left", func() bool {
		s.clock.move(time.Second)
		s.mustAsk(t)
		st := s.Pools()[0].Standings
		return len(st) == 1 && st[0].Offer.URI == a.uri && st[0].Offer.Capacity == 3
	})
	s.mustAsk(t)
	before := a.headers[len(a.headers)-1].Get("Livepeer-Segment")
	s.clock.move(2 * time.Second)
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
		s.clock.move(2 * time.Second)
		eventually(t, "it is asked", func() bool {
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
	eventually(t, "the offer is asked for again", func() bool { n, _ := o.counts(); return n > asked })
	s.clock.move(time.Hour)
	eventually(t, "a model that nobody uses is forgotten", func() bool { return len(s.Pools()) == 0 })
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

func TestModels(t *testing.T) {
	t.Parallel()
	image := inference.Model{Capability: capability.TextToImage, ID: "org/image"}
	a, b := fake(t, "a"), fake(t, "b").cold()
	a.with(func() { a.models[image] = capability.Model{Capacity: 1, RunnerVersion: "0.14.0"} })
	b.with(func() { b.models[llm] = capability.Model{Capacity: 2, RunnerVersion: "0.13.1"} })
	s := start(t, func(o *broker.Options, up *upstream.Options) {
		brief(o, up)
		o.RefreshEvery = time.Second
	}, a, b)
	got, err := s.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []inference.ModelState{
		{Model: image, State: inference.Absent, Capacity: 1, RunnerVersion: "0.14.0"},
		{Model: llm, State: inference.Ready, Warm: true, Capacity: 10, RunnerVersion: "0.13.1"},
	}
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if g, w := got[i], want[i]; g.Model != w.Model || g.State != w.State || g.Capacity != w.Capacity || g.RunnerVersion != w.RunnerVersion || g.Warm != w.Warm || !g.Offered() {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	asked, _ := a.counts()
	if _, err := s.Models(t.Context()); err != nil {
		t.Error(err)
	}
	if n, _ := a.counts(); n != asked {
		t.Error("the list is not kept for a moment")
	}
	s.use(b)
	eventually(t, "the list follows the orchestrators", func() bool {
		s.clock.move(2 * time.Second)
		got, err := s.Models(t.Context())
		return err == nil && len(got) == 1 && got[0].State == inference.Absent
	})
}

func TestModelsOfNobody(t *testing.T) {
	t.Parallel()
	s := start(t, brief, &orchestrator{uri: "https://127.0.0.1:1"})
	if _, err := s.Models(t.Context()); !errors.Is(err, fault.NoOrchestratorReachable) {
		t.Errorf("%v", err)
	}
	s.clock.move(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Models(ctx); !errors.Is(err, fault.Canceled) && !errors.Is(err, fault.NoOrchestratorReachable) {
		t.Errorf("without its client: %v", err)
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
	if p.Model != llm || !p.Standings[0].Offer.Warm || p.Standings[0].Offer.Capacity != 8 {
		t.Errorf("%+v", p)
	}
	close(release)
	<-done
	if s.inFlight() != 0 {
		t.Error("it is counted still")
	}
}
