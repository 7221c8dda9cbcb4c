package broker_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Every row is what the first orchestrator does with a job; a second one would do
// it well.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		handle func(int, http.ResponseWriter, *http.Request)
		// stays is the error where one that has the model loaded would be asked, and no other one.
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
		"a page": {handle: func(_ int, w http.ResponseWriter,
			_ *http.Request) {
			io.WriteString(w, "<html>hello")
		}},
		"400":          {handle: status(400, "messages missing"), stays: fault.JobRefused},
		"413":          {handle: status(413, "too long"), stays: fault.JobRefused},
		"runner's 400": {handle: status(500, "runner returned 400: no"), stays: fault.JobRefused},
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
		t.Error("another orchestrator was asked")
	}
	s = start(t, nil, bad)
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
		up.Limits.Whole = 2 * time.Second
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
