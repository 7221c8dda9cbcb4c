package broker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

func TestDoAtOurOwnKind(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	s := start(t, nil, o)
	text, a := s.mustAsk(t)
	if text != `{"a":1}` || a.Orchestrator != o.uri || a.Tries != 1 || a.Node != "tutti/9" || a.Status != 200 || a.Length != 7 {
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

func TestDoPrefersWhoLosesNothing(t *testing.T) {
	t.Parallel()
	network, own := fake(t, "network").foreign(), fake(t, "own").cold()
	s := start(t, nil, network, own)
	s.mustAsk(t)
	eventually(t, "both are known", func() bool { return len(s.Pools()[0].Standings) == 2 })
	if text, _, err := s.ask(t.Context(), chat(), broker.Hint{Rich: true}); err != nil || text != `{"own":1}` {
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

// Every row is what the first orchestrator does with a job; a second one would do
// it well.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		handle func(int, http.ResponseWriter, *http.Request)
		// stays is the error where nobody else is asked.
		stays fault.Code
	}{
		"reset before the header": {handle: reset},
		"empty answer":            {handle: func(int, http.ResponseWriter, *http.Request) {}},
		"cut after the header": {handle: func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		"no capacity":         {handle: status(503, "insufficient capacity")},
		"too many":            {handle: status(429, "")},
		"500":                 {handle: status(500, "runner failed")},
		"502":                 {handle: status(502, "bad gateway")},
		"504":                 {handle: status(504, "late")},
		"drains":              {handle: coded(403, "Draining", "OrchestratorCapped")},
		"line full":           {handle: coded(503, "ModelLineFull", "insufficient capacity")},
		"not served any more": {handle: coded(503, "ModelNotServed", "insufficient capacity")},
		"404":                 {handle: status(404, "page not found")},
		"403":                 {handle: status(403, "incompatible capabilities")},
		"nonce":               {handle: status(400, "invalid ticket senderNonce")},
		"balance":             {handle: status(400, "Insufficient balance")},
		"a page":              {handle: func(_ int, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>hello") }},
		"400":                 {handle: status(400, "messages missing"), stays: fault.JobRefused},
		"413":                 {handle: status(413, "too long"), stays: fault.JobRefused},
		"runner's 400":        {handle: status(500, "runner returned 400: no"), stays: fault.JobRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kind := range []string{"own", "network"} {
				bad, good := fake(t, "bad").does(row.handle), fake(t, "good").cold()
				if kind == "network" {
					bad.foreign()
					good.foreign()
				}
				s := start(t, nil, bad, good)
				text, a, err := s.ask(t.Context(), chat(), broker.Hint{})
				_, goods := good.counts()
				switch {
				case row.stays != "" && (!errors.Is(err, row.stays) || goods != 0):
					t.Errorf("%s: %v, and the other was asked %d times", kind, err, goods)
				case row.stays == "" && (err != nil || text != `{"good":1}` || a.Tries < 2):
					t.Errorf("%s: %s %+v %v", kind, text, a, err)
				}
				eventually(t, "nothing is in flight", func() bool { return s.inFlight() == 0 })
			}
		})
	}
}

func TestAMistakeInARunnersWordsPasses(t *testing.T) {
	t.Parallel()
	bad := fake(t, "bad").does(func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(400)
		io.WriteString(w, `{"error":{"message":"no"}}`)
	})
	good := fake(t, "good").cold()
	s := start(t, nil, bad, good)
	text, a, err := s.ask(t.Context(), chat(), broker.Hint{})
	if err != nil || a.Status != 400 || text != `{"error":{"message":"no"}}` {
		t.Errorf("%s %+v %v", text, a, err)
	}
	if _, n := good.counts(); n != 0 {
		t.Error("somebody else was asked")
	}
	for range 20 { // 4xx never make one rest
		if _, a, _ := s.ask(t.Context(), chat(), broker.Hint{}); a == nil || a.Orchestrator != bad.uri {
			t.Fatal("the orchestrator is avoided for its clients' mistakes")
		}
	}
}

func TestSlowFirstByteGoesElsewhere(t *testing.T) {
	t.Parallel()
	slow := fake(t, "slow").does(func(_ int, _ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	})
	good := fake(t, "good").cold()
	s := start(t, func(o *broker.Options, up *upstream.Options) {
		up.FirstByte = 2 * time.Second
		o.RetryWindow = time.Second // over by then: one more is made up for
	}, slow, good)
	if text, _ := s.mustAsk(t); text != `{"good":1}` {
		t.Errorf("%s", text)
	}
}

func TestNoConnectionGoesElsewhere(t *testing.T) {
	t.Parallel()
	bad, good := fake(t, "bad"), fake(t, "good").cold()
	s := start(t, nil, bad, good)
	if text, _ := s.mustAsk(t); text != `{"bad":1}` {
		t.Fatalf("%s", text)
	}
	bad.down.Store(true)
	bad.server.CloseClientConnections()
	for range 3 {
		if text, _ := s.mustAsk(t); text != `{"good":1}` {
			t.Errorf("%s", text)
		}
	}
}

func TestOnlySoManyOthers(t *testing.T) {
	t.Parallel()
	var all []*orchestrator
	for i := range 6 {
		all = append(all, fake(t, fmt.Sprint(i)).does(status(500, "no")))
	}
	s := start(t, nil, all...)
	_, _, err := s.ask(t.Context(), chat(), broker.Hint{})
	if !errors.Is(err, fault.JobFailed) {
		t.Errorf("%v", err)
	}
	sum := 0
	for _, o := range all {
		_, n := o.counts()
		if n > 1 {
			t.Error("one was asked again")
		}
		sum += n
	}
	if sum > 3 {
		t.Errorf("%d orchestrators worked on one job", sum)
	}
}

func TestFullOnesCostNoBudget(t *testing.T) {
	t.Parallel()
	var all []*orchestrator
	for i := range 6 {
		all = append(all, fake(t, fmt.Sprint(i)).does(status(503, "insufficient capacity")))
	}
	free := fake(t, "free").cold()
	s := start(t, nil, append(all, free)...)
	s.mustAsk(t)
	all = append(all, free.does(status(503, "insufficient capacity")))
	brief := start(t, func(o *broker.Options, _ *upstream.Options) { o.RetryWindow = 300 * time.Millisecond }, all...)
	if _, _, err := brief.ask(t.Context(), chat(), broker.Hint{}); !errors.Is(err, fault.OrchestratorsFull) {
		t.Errorf("all are full: %v", err)
	}
}

func TestAFullOneIsAskedAgain(t *testing.T) {
	t.Parallel()
	o := fake(t, "a").does(func(n int, w http.ResponseWriter, _ *http.Request) {
		if n < 3 {
			refuse(w, 503, "", "insufficient capacity")
			return
		}
		answer(w, "a")
	})
	s := start(t, nil, o)
	if _, a := s.mustAsk(t); a.Tries != 3 || a.Queue == 0 {
		t.Errorf("%+v", a)
	}
}

func TestABrokenAnswerIsNeverRepeated(t *testing.T) {
	t.Parallel()
	bad := fake(t, "bad").does(func(_ int, w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	good := fake(t, "good").cold()
	s := start(t, nil, bad, good)
	for i := range 3 {
		text, _, err := s.ask(t.Context(), chat(), broker.Hint{})
		if !errors.Is(err, fault.CompletionBroken) || i > 0 && text != "" && !strings.HasPrefix(text, "data: 1") {
			t.Errorf("%q, %v", text, err)
		}
	}
	if _, n := good.counts(); n != 0 {
		t.Error("a job was repeated after its answer had begun")
	}
	// Three in a row are enough.
	if text, _ := s.mustAsk(t); text != `{"good":1}` {
		t.Errorf("%s", text)
	}
}

func TestARestartCostsNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"own", "network"} {
		o := fake(t, "a")
		if kind == "network" {
			o.foreign()
		}
		s := start(t, nil, o)
		s.mustAsk(t)
		o.restart()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, a, err := s.ask(t.Context(), chat(), broker.Hint{}); err != nil || a.Tries != 1 {
					t.Errorf("%s: %+v %v", kind, a, err)
				}
			})
		}
		wg.Wait()
		if asked, _ := o.counts(); asked != 2 {
			t.Errorf("%s: asked for terms %d times, want once more for all", kind, asked)
		}
	}
}

func TestATokenThatNeverHoldsIsNotRenewedForEver(t *testing.T) {
	t.Parallel()
	bad := fake(t, "bad").does(coded(403, "InvalidAuthToken", "invalid auth token"))
	good := fake(t, "good").cold()
	s := start(t, nil, bad, good)
	if text, _ := s.mustAsk(t); text != `{"good":1}` {
		t.Errorf("%s", text)
	}
	if _, jobs := bad.counts(); jobs != 2 {
		t.Errorf("asked %d times", jobs)
	}
}

func TestStaleTicketParamsAreRenewed(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]string{3: `{"bad":1}`, 100: `{"good":1}`} {
		bad := fake(t, "bad").does(func(n int, w http.ResponseWriter, _ *http.Request) {
			if n <= limit {
				refuse(w, 400, "", "TicketParams expired")
				return
			}
			answer(w, "bad")
		})
		good := fake(t, "good").cold()
		s := start(t, nil, bad, good)
		if text, _ := s.mustAsk(t); text != want {
			t.Errorf("after %d refusals: %s", limit, text)
		}
		if _, jobs := bad.counts(); jobs != 4 {
			t.Errorf("asked %d times", jobs)
		}
	}
}

func TestAnExpiredTokenIsRenewedFirst(t *testing.T) {
	t.Parallel()
	o := fake(t, "a").offers(func(info *rpc.OrchestratorInfo) { info.AuthToken.Expiration = time.Now().Add(10 * time.Minute).Unix() })
	s := start(t, nil, o)
	s.mustAsk(t)
	s.clock.move(11 * time.Minute)
	o.offers(func(info *rpc.OrchestratorInfo) { info.AuthToken.Expiration = time.Now().Add(time.Hour).Unix() })
	s.mustAsk(t)
	if asked, jobs := o.counts(); asked != 2 || jobs != 2 {
		t.Errorf("asked %d times for %d jobs", asked, jobs)
	}
}

func TestTheOnlyOneComesBack(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	s := start(t, func(o *broker.Options, _ *upstream.Options) { o.RetryWindow = time.Minute }, o)
	s.mustAsk(t)
	o.down.Store(true)
	o.server.CloseClientConnections()
	back := time.AfterFunc(300*time.Millisecond, func() { o.down.Store(false) })
	defer back.Stop()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestTheOrchestratorIsToldWhenTheClientLeaves(t *testing.T) {
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
		for _, st := range s.Pools()[0].Standings {
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
	eventually(t, "all are known", func() bool { return len(s.Pools()[0].Standings) == 4 })
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
