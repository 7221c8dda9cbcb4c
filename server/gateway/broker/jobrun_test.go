package broker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

func TestDoAtOurOwnKind(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	s := start(t, nil, o)
	text, a := s.mustAsk(t)
	if text != `{"a":1}` || a.Orchestrator != o.uri || a.Tries != 1 || !a.Peer.IsLoopback() || a.Node !=
		"tutti/9" || a.Status != 200 ||
		a.Length != 7 {
		t.Errorf("%s %+v", text, a)
	}
	if got := o.bodies[0]; got != string(chat().Body) {
		t.Errorf("the request arrived as %s", got)
	}
	if s.inFlight() != 0 {
		t.Error("a job is in flight still")
	}
}

func TestDoAtTheExistingNetwork(t *testing.T) {
	t.Parallel()
	o := fake(t, "a").foreign()
	s := start(t, nil, o)
	_, a := s.mustAsk(t)
	if a.Node != "" {
		t.Errorf("taken for one of ours: %q", a.Node)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(o.bodies[0]), &got); err != nil {
		t.Fatal(err)
	}
	if _, there := got["seed"]; there || got["model"] != llm.ID || got["stream"] != false {
		t.Errorf("the request arrived as %s", o.bodies[0])
	}
	for _, h := range []string{"Tutti-Node", "X-Request-Id", "Tutti-Operation"} {
		if o.headers[0].Get(h) != "" {
			t.Errorf("%s is sent", h)
		}
	}
	embed := chat()
	embed.Operation = inference.Embedding
	if _, _, err := s.ask(t.Context(), embed, broker.Hint{}); !errors.Is(err, fault.OperationUnknown) {
		t.Errorf("an embedding: %v", err)
	}
}

func TestDoPrefersNodesThatLoseNothing(t *testing.T) {
	t.Parallel()
	network, own := fake(t, "network").foreign(), fake(t, "own").cold()
	s := start(t, nil, network, own)
	s.mustAsk(t)
	eventually(t, "both are known", func() bool { return len(s.Pools()[0].Statuses) == 2 })
	if text, _, err := s.ask(t.Context(), chat(), broker.Hint{NeedsOwnNode: true}); err != nil || text != `{"own":1}` {
		t.Errorf("%s, %v", text, err)
	}
	if text, _ := s.mustAsk(t); text != `{"network":1}` {
		t.Errorf("a plain request went to %s", text)
	}
}

func TestDiscoveryIsShared(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	s := start(t, nil, o)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if asked, jobs := o.counts(); asked != 1 || jobs != 50 {
		t.Errorf("asked %d times for %d jobs", asked, jobs)
	}
}

func TestTheJobIsCanceledWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	for _, begun := range []bool{false, true} {
		arrived, gone := make(chan struct{}), make(chan struct{})
		o := fake(t, "a").does(func(_ int, w http.ResponseWriter, r *http.Request) {
			if begun {
				io.WriteString(w, ": hello\n\n")
				w.(http.Flusher).Flush()
			}
			close(arrived)
			<-r.Context().Done()
			close(gone)
		})
		s := start(t, nil, o)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { <-arrived; cancel() }()
		_, _, err := s.ask(ctx, chat(), broker.Hint{})
		if !errors.Is(err, fault.Canceled) {
			t.Errorf("begun %v: %v", begun, err)
		}
		<-gone
		for _, st := range s.Pools()[0].Statuses {
			if st.InFlight != 0 || !st.Resting.IsZero() {
				t.Errorf("begun %v: %+v", begun, st)
			}
		}
	}
}

func TestConversationsStay(t *testing.T) {
	t.Parallel()
	var all []*orchestrator
	for i := range 4 {
		all = append(all, fake(t, fmt.Sprint(i)))
	}
	s := start(t, nil, all...)
	s.mustAsk(t)
	eventually(t, "all are known", func() bool { return len(s.Pools()[0].Statuses) == 4 })
	for c := range uint64(10) {
		home := ""
		var prompt []uint64
		for turn := range uint64(5) {
			prompt = append(prompt, c<<32|turn)
			text, _, err := s.ask(t.Context(), chat(), broker.Hint{Affinity: prompt})
			if err != nil {
				t.Fatal(err)
			}
			if home != "" && text != home {
				t.Errorf("conversation %d moved from %s to %s", c, home, text)
			}
			home = text
		}
	}
}

// Many jobs at a fleet of which one fails and one is full now and then: all come
// out, and nothing is left in flight.
func TestManyJobs(t *testing.T) {
	t.Parallel()
	flaky := fake(t, "flaky").does(func(n int, w http.ResponseWriter, _ *http.Request) {
		switch n % 4 {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			refuse(w, 503, "", "insufficient capacity")
		default:
			answer(w, "flaky")
		}
	})
	s := start(t, nil, flaky, fake(t, "b"), fake(t, "c").foreign())
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := s.inFlight(); n != 0 {
		t.Errorf("%d in flight", n)
	}
}
