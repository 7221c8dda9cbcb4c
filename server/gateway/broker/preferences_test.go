package broker_test

import (
	"errors"
	"math/big"
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// wishing is a hint with preferences that name orchestrators.
func wishing(t *testing.T, p airouting.Preferences, order, only []*orchestrator) broker.Hint {
	t.Helper()
	for list, over := range map[*[]airouting.Provider][]*orchestrator{&p.Order: order, &p.Only: only} {
		for _, o := range over {
			name, err := airouting.ParseProvider(o.uri)
			if err != nil {
				t.Fatal(err)
			}
			*list = append(*list, name)
		}
	}
	return broker.Hint{Preferences: &p}
}

func TestPreferredOrchestrators(t *testing.T) {
	t.Parallel()
	down := func(_ int, w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusServiceUnavailable, "OrchestratorFull", "insufficient capacity")
	}
	a, b, c := fake(t, "a"), fake(t, "b"), fake(t, "c").does(down)
	s := start(t, brief, a, b, c)
	type list = []*orchestrator
	for name, tt := range map[string]struct {
		hint broker.Hint
		want string
		err  fault.Code
	}{
		"only":              {wishing(t, airouting.Preferences{}, nil, list{b}), `{"b":`, ""},
		"order":             {wishing(t, airouting.Preferences{}, list{b, a}, nil), `{"b":`, ""},
		"order, first full": {wishing(t, airouting.Preferences{}, list{c, a}, nil), `{"a":`, ""},
		"no fallback of an order": {wishing(t, airouting.Preferences{NoFallbacks: true}, list{c}, nil), "",
			fault.OrchestratorsFull},
		"nothing is left": {wishing(t, airouting.Preferences{Ignore: wishing(t, airouting.Preferences{}, list{b},
			nil).Preferences.Order}, nil, list{b}), "", fault.OrchestratorsExcluded},
	} {
		text, _, err := s.ask(t.Context(), chat(), tt.hint)
		switch {
		case tt.err != "" && fault.CodeOf(err) != tt.err:
			t.Errorf("%s: %s %v, want %s", name, text, err, tt.err)
		case tt.err == "" && (err != nil || text[:min(len(text), len(tt.want))] != tt.want):
			t.Errorf("%s: %s %v", name, text, err)
		}
	}
}

// Without fallbacks, the first orchestrator's failure is the client's; another one is not asked.
func TestNoFallbacks(t *testing.T) {
	t.Parallel()
	fails := func(_ int, w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusInternalServerError, "JobFailed", "out of memory")
	}
	a, b := fake(t, "a").does(fails), fake(t, "b").does(fails)
	s := start(t, brief, a, b)
	_, _, err := s.ask(t.Context(), chat(), wishing(t, airouting.Preferences{NoFallbacks: true}, nil, nil))
	_, atA := a.counts()
	_, atB := b.counts()
	if !errors.Is(err, fault.JobFailed) || atA+atB != 1 {
		t.Errorf("%v, after %d and %d jobs", err, atA, atB)
	}
}

// What a client pays at most is kept also where the price is raised after the orchestrator was chosen.
func TestPreferredPrice(t *testing.T) {
	t.Parallel()
	o := fake(t, "a").offers(price) // 5 wei a unit
	s := start(t, func(b *broker.Options, up *upstream.Options) { brief(b, up) }, o)
	most := func(n int64) broker.Hint {
		return wishing(t, airouting.Preferences{MaxPrice: big.NewRat(n, 1)}, nil, nil)
	}
	if _, _, err := s.ask(t.Context(), chat(), most(5)); err != nil {
		t.Error(err)
	}
	if _, _, err := s.ask(t.Context(), chat(), most(4)); !errors.Is(err, fault.OrchestratorsExcluded) ||
		!errors.Is(err, airouting.ErrAbovePrice) {
		t.Errorf("a price above what the client pays: %v", err)
	}
	o.does(func(n int, w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "ExpiredAuthToken", "expired auth token")
	})
	o.offers(func(i *rpc.OrchestratorInfo) { i.PriceInfo = &rpc.PriceInfo{PricePerUnit: 6, PixelsPerUnit: 1} })
	_, before := o.counts()
	_, _, err := s.ask(t.Context(), chat(), most(5))
	if _, after := o.counts(); !errors.Is(err, airouting.ErrAbovePrice) || after != before+1 {
		t.Errorf("a raised price: %v, after %d jobs", err, after-before)
	}
}

// An explanation sends nothing to an orchestrator, and makes the gateway neither search nor remember.
func TestExplain(t *testing.T) {
	t.Parallel()
	a := fake(t, "a")
	s := start(t, nil, a)
	if choices, at := s.Explain(chat(), broker.Hint{}); len(choices) > 0 || !at.IsZero() || len(s.Pools()) > 0 {
		t.Errorf("before the first job: %v at %v", choices, at)
	}
	s.mustAsk(t)
	choices, at := s.Explain(chat(), broker.Hint{})
	if len(choices) != 1 || choices[0].Rank != 1 || choices[0].Reason != airouting.Loaded || at.IsZero() {
		t.Errorf("%v at %v", choices, at)
	}
	if asked, jobs := a.counts(); asked != 1 || jobs != 1 || s.inFlight() != 0 {
		t.Errorf("asked %d times, %d jobs", asked, jobs)
	}
}
