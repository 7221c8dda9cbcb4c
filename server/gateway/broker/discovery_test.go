package broker_test

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// brief makes retries short.
func brief(o *broker.Options, _ *upstream.Options) { o.RetryWindow = 200 * time.Millisecond }

func TestNoOrchestratorCanDoIt(t *testing.T) {
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
		"other model, and one that does not answer": {[]*orchestrator{fake(t, "a").lacks(), {uri: "https://127.0.0.1:1"}},
			nil, fault.ModelUnknown},
		"no capabilities": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Capabilities = nil })}, nil,
			fault.ModelUnknown},
		"no constraints": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Capabilities.Constraints = nil })},
			nil, fault.ModelUnknown},
		"no models": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) {
			i.Capabilities.Constraints.PerCapability = nil
		})}, nil, fault.ModelUnknown},
		"models without it": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) {
			i.Capabilities.Constraints.PerCapability[33] = nil
		})}, nil, fault.ModelUnknown},
		"no token": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.AuthToken = nil })}, nil,
			fault.ModelUnknown},
		"no address": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Transcoder = "" })}, nil,
			fault.ModelUnknown},
		"not a URL": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Transcoder = "https://a b\x7f" })},
			nil, fault.ModelUnknown},
		"capped": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Transcoder = capped })}, nil,
			fault.OrchestratorsFull},
		"old runner": {[]*orchestrator{fake(t, "a")}, func(o *broker.Options) {
			o.MinRunnerVersions = airouting.MinVersions{llm: "0.15.0"}
		}, fault.ModelUnknown},
		"runner is new enough": {[]*orchestrator{fake(t, "a")}, func(o *broker.Options) {
			o.MinRunnerVersions = airouting.MinVersions{llm: "0.14.0"}
		}, ""},
		"old node": {[]*orchestrator{fake(t, "a")}, func(o *broker.Options) { o.MinVersion = "1.0.0" }, fault.ModelUnknown},
		"blocked": {[]*orchestrator{offer(func(i *rpc.OrchestratorInfo) { i.Address = slices.Repeat([]byte{7}, 20) })},
			func(o *broker.Options) {
				o.Blocked = []core.Address{core.Address(slices.Repeat([]byte{7}, 20))}
			}, fault.ModelUnknown},
		"expensive": {[]*orchestrator{offer(price)}, func(o *broker.Options) {
			o.MaxPrice = func(inference.Model) *big.Rat { return big.NewRat(9, 2) }
		}, fault.PriceTooHigh},
		"not expensive": {[]*orchestrator{offer(price)}, func(o *broker.Options) {
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
	s.clock.Forward(2 * time.Second)
	o.with(func() { o.models[llm] = capability.Model{Warm: true} })
	s.mustAsk(t)
}

func TestLoadedOnesAreNotWaitedForTogether(t *testing.T) {
	t.Parallel()
	quick, hangs := fake(t, "quick"), fake(t, "hangs")
	hangs.offers(func(*rpc.OrchestratorInfo) { <-hangs.quit }) // holds its answer until the test ends
	s := start(t, func(o *broker.Options, _ *upstream.Options) {
		o.DiscoveryWait = videorouting.DiscoveryWait{First: time.Hour, Stop: time.Hour}
	}, quick, hangs)
	s.mustAsk(t)
}
