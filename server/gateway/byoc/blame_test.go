package byoc_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	external "github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// twoClients are keys of two clients.
func twoClients() *apikeys.Guard {
	return apikeys.New(apikeys.Options{Now: time.Now, Static: []apikeys.Key{
		{ID: "k-1", Name: "one", Hash: apikeys.HashOf("tk-one")},
		{ID: "k-2", Name: "two", Hash: apikeys.HashOf("tk-two")},
	}})
}

// creditRig is a paidRig with its sender.
func creditRig(t *testing.T, credit uint64, change func(*setup), list ...*orchestrator) (*gateway, *sender.Sender) {
	t.Helper()
	p := ticketOptions(t, 20, credit)
	g := paidRig(t, credit, func(x *setup) {
		x.payments = upstream.NewTicketPayments(p)
		if change != nil {
			change(x)
		}
	}, list...)
	return g, p.Sender
}

// credit is what the only orchestrator holds.
func credit(s *sender.Sender) (c sender.Credit) {
	for _, c = range s.Credits() {
		break
	}
	return c
}

func wei(n int64) pm.Value { return pm.Price{PerUnit: n}.Of(1) }

func answers(status int, text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, text, status) }
}

// A client writes the requests, and chooses the time that they may take: whatever becomes of them, the orchestrator
// goes on working for other clients.
func TestClientsStopNoOrchestrator(t *testing.T) {
	t.Parallel()
	now := newClock()
	events := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
	}
	for name, row := range map[string]struct {
		clock func() time.Time
		fails func(w http.ResponseWriter, r *http.Request)
	}{
		"a worker that fails":            {nil, answers(http.StatusInternalServerError, "boom")},
		"no slot":                        {nil, answers(http.StatusServiceUnavailable, "full")},
		"a worker that refuses":          {nil, answers(http.StatusForbidden, "no")},
		"a worker that wants to be paid": {nil, answers(http.StatusPaymentRequired, "pay")},
		"a worker that repeats its client": {nil, answers(http.StatusBadRequest,
			`{"unknown input":"Insufficient balance"}`)},
		"a worker that breaks off": {nil, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		"a job without time": {nil, func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}},
		"an answer longer than its time": {now.Now, func(w http.ResponseWriter, _ *http.Request) {
			events(w)
			now.forward(10 * time.Second)
			panic(http.ErrAbortHandler)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOrchestrator(t)
			o.request = func(w http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, "/bad") {
					row.fails(w, r)
					return true
				}
				return false
			}
			g, s := creditRig(t, 6000, func(x *setup) {
				x.Keys, x.Limits.Grace = twoClients(), time.Millisecond
				if row.clock != nil {
					x.Now = row.clock
				}
			}, o)
			for range 8 {
				g.do(t, "POST", "/process/request/bad", job(`{}`, "{}", 1), "tk-one", "{}")
			}
			if o.tickets() == 0 {
				t.Error("nothing was paid")
			}
			res, text := g.do(t, "POST", "/process/request/x", job(`{}`, "{}", 1), "tk-two", "{}")
			if c := credit(s); res.StatusCode != http.StatusOK || c.Stopped {
				t.Errorf("another client: %s %s; %+v", res.Status, text, c)
			}
		})
	}
}

// A client whose streams end as soon as they began, as their worker does with what it was given, stops no orchestrator.
func TestStreamsThatEndAtOnce(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.says = func(int64) string { return "0" }
	o.stream = func(w http.ResponseWriter, r *http.Request) bool {
		j, err := external.ReadWire(r.Header.Get("Livepeer"))
		if r.PathValue("what") != "start" || err != nil {
			return false
		}
		o.begin(w, &j)
		o.closeChannels(j.ID)
		return true
	}
	g, s := creditRig(t, 6000, func(x *setup) { x.Keys, x.Now = twoClients(), newClock().Now }, o)
	for n := range 6 {
		id := fmt.Sprint("s", n)
		g.do(t, "POST", "/process/stream/start", job(`{}`, "{}", 1), "tk-one", `{"stream_id":"`+id+`"}`)
		until(t, "end of its payments", func() bool {
			_, text := g.do(t, "GET", "/process/stream/"+id+"/status", "", "tk-one", "")
			return strings.Contains(text, `"orchestrator":""`) && credit(s).InProgress.Sign() == 0 ||
				strings.Contains(text, "StreamNotFound")
		})
	}
	res, text := g.do(t, "POST", "/process/request/x", job(`{}`, "{}", 1), "tk-two", "{}")
	if c := credit(s); res.StatusCode != http.StatusOK || c.Stopped || o.tickets() == 0 {
		t.Errorf("another client: %s %s; %+v", res.Status, text, c)
	}
}

// An orchestrator that fails at jobs that another one does then is stopped for it, whoever the clients are.
func TestFailuresAtJobsThatOthersDo(t *testing.T) {
	t.Parallel()
	bad, good := newOrchestrator(t), newOrchestrator(t)
	bad.request = func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "boom", 500)
		return true
	}
	bad.says = func(int64) string { return "0" }
	asked := int32(0)
	good.token = func(http.ResponseWriter, *http.Request) bool { // it answers after the other one
		asked++
		until(t, "other answer", func() bool { return bad.answered.Load() >= asked })
		return false
	}
	g, s := creditRig(t, 6000, func(x *setup) { x.Keys = twoClients() }, bad, good)
	stopped := func() bool {
		for _, c := range s.Credits() {
			if c.Stopped && c.Payee == bad.srv.URL {
				return true
			}
		}
		return false
	}
	for n := 0; n < 100 && !stopped(); n++ { // the other one may be asked first
		if res, text := g.do(t, "POST", "/process/request/x", job(`{}`, "{}", 1), "tk-one", "{}"); res.StatusCode != 200 {
			t.Fatal(res.Status, text)
		}
	}
	if n := bad.tickets() * ticketEV; !stopped() || n > 6000 {
		t.Errorf("%d wei to the one that fails; %+v", n, s.Credits())
	}
}

// slow is a client that takes a minute for each part of its answer.
type slow struct {
	*httptest.ResponseRecorder
	clock *clock
}

func (s slow) Write(p []byte) (int, error) {
	s.clock.forward(time.Minute)
	return s.ResponseRecorder.Write(p)
}

// A client that takes its answer slowly, until the orchestrator breaks it off, stops it by that for no other.
func TestSlowClientsStopNoOrchestrator(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.request = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	now := newClock()
	g, s := creditRig(t, 6000, func(x *setup) { x.Now = now.Now }, o)
	mux := http.NewServeMux()
	g.Register(mux)
	for range 8 {
		r := httptest.NewRequest(http.MethodPost, "/process/request/x", strings.NewReader("{}"))
		r.Header.Set("Livepeer", job("{}", "{}", 3600))
		func() {
			defer func() { _ = recover() }() // the answer is not whole
			mux.ServeHTTP(slow{httptest.NewRecorder(), now}, r)
		}()
	}
	if c := credit(s); c.Stopped || o.tickets() == 0 {
		t.Errorf("%+v", c)
	}
}

// watched is a client that says when its answer begins, and when a part of it has come.
type watched struct {
	*httptest.ResponseRecorder
	began, came chan struct{}
}

func (w watched) WriteHeader(code int) {
	w.ResponseRecorder.WriteHeader(code)
	close(w.began)
}

func (w watched) Flush() { w.came <- struct{}{} }

// Time for which nothing came before a client left is no work: it raises nothing that the orchestrator may hold.
func TestAnswersThatAreKeptBackAreNoWork(t *testing.T) {
	t.Parallel()
	for name, comes := range map[string]int64{"nothing": 0, "a part": 30} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := newClock()
			o := newOrchestrator(t)
			o.request = func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("Content-Type", "application/octet-stream")
				control := http.NewResponseController(w)
				_ = control.Flush()
				if comes > 0 {
					now.forward(time.Duration(comes) * time.Second)
					_, _ = io.WriteString(w, "x")
					_ = control.Flush()
				}
				<-r.Context().Done()
				return true
			}
			g, s := creditRig(t, 6000, func(x *setup) { x.Now = now.Now }, o)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			mux := http.NewServeMux()
			g.Register(mux)
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/process/request/x", strings.NewReader("{}"))
			r.Header.Set("Livepeer", job("{}", "{}", 3600))
			w := watched{httptest.NewRecorder(), make(chan struct{}), make(chan struct{}, 1)}
			ended := make(chan any)
			go func() {
				defer func() { ended <- recover() }() // the answer is not whole
				mux.ServeHTTP(w, r)
			}()
			<-w.began
			if comes > 0 {
				<-w.came
			}
			now.forward(100 * time.Second)
			leave()
			<-ended
			if got, want := credit(s).Bound, wei(6000+comes*10); !got.Equal(want) {
				t.Errorf("it may hold %s, want %s", got, want)
			}
		})
	}
}

// Work that is paid out of what parallel jobs left is counted: an honest orchestrator does not come to hold more and
// more that it worked for.
func TestWorkOutOfABalanceIsCounted(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.capacity = 8
	gate := make(chan struct{})
	o.says = func(balance int64) string { // to the first four it says that it holds nothing
		select {
		case <-gate:
			return strconv.FormatInt(balance, 10)
		default:
			return "0"
		}
	}
	o.request = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/together") {
			<-gate
		}
		return false
	}
	g, s := creditRig(t, 1<<40, func(x *setup) { x.Now = newClock().Now }, o)
	ends := make(chan string)
	for range 4 {
		go func() {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/process/request/together", nil)
			r.Header.Set("Livepeer", job("{}", "{}", 10))
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				ends <- err.Error()
				return
			}
			_ = res.Body.Close()
			ends <- res.Status
		}()
	}
	until(t, "jobs", func() bool { return len(o.saw("/process/request/together")) == 4 })
	close(gate)
	for range 4 {
		if got := <-ends; got != "200 OK" {
			t.Fatal(got)
		}
	}
	until(t, "what three jobs left", func() bool { return credit(s).Unworked.Cmp(wei(3500)) > 0 }) // all are settled
	was, paid := credit(s).Unworked, o.tickets()
	for range 200 {
		if res, text := g.ask(t, 10); res.StatusCode != http.StatusOK {
			t.Fatal(res.Status, text)
		}
	}
	if c := credit(s); c.Unworked.Cmp(was.Sub(wei(1500))) > 0 || o.tickets() != paid {
		t.Errorf("%s without work, %s before 200 jobs of 10 wei; %d and %d tickets", c.Unworked, was, paid, o.tickets())
	}
}

// Where more than the limit is paid if it has to be, it is paid where there is no other orchestrator.
func TestExpensiveOrchestratorsAreTheLastResort(t *testing.T) {
	t.Parallel()
	expensive, cheap := newOrchestrator(t), newOrchestrator(t)
	expensive.price = 100
	cheap.token = func(http.ResponseWriter, *http.Request) bool {
		until(t, "other answer", func() bool { return expensive.answered.Load() > 0 })
		return false
	}
	p := ticketOptions(t, 20, 1<<40)
	p.AllowExpensive = true
	g := paidRig(t, 0, func(x *setup) { x.payments = upstream.NewTicketPayments(p) }, expensive, cheap)
	if res, text := g.ask(t, 1); res.Header.Get("X-Orchestrator-Url") != cheap.srv.URL {
		t.Error(res.Status, text)
	}
	g.mu.Lock()
	g.list = g.list[:1]
	g.mu.Unlock()
	if res, text := g.ask(t, 1); res.Header.Get("X-Orchestrator-Url") != expensive.srv.URL {
		t.Error(res.Status, text)
	}
}

// A gateway that stood still pays nothing for that time: the orchestrator has long ended what was not paid.
func TestAStandstillIsNotPaid(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.says = func(int64) string { return "0" }
	now := newClock()
	g := paidRig(t, 1<<40, func(x *setup) { x.Limits.Pay, x.Now = 20*time.Millisecond, now.Now }, o)
	at := g.begin(t, "{}", `{"stream_id":"s"}`)
	until(t, "first payment", func() bool { return o.tickets() == 12 })
	now.forward(time.Hour)
	until(t, "next payment", func() bool { return o.tickets() > 12 })
	tokens := len(o.saw("/process/token"))
	until(t, "further terms", func() bool { return len(o.saw("/process/token")) > tokens+5 })
	if n := o.tickets(); n != 12+24 { // two minutes that passed, and two ahead
		t.Errorf("%d tickets", n)
	}
	g.do(t, "POST", at["stop_url"], "", "", "{}")
}

// A stream whose job may take longer than one payment can be for is paid on.
func TestLongStreamsArePaidOn(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.says = func(int64) string { return "0" }
	now := newClock()
	g := paidRig(t, 1<<40, func(x *setup) { x.Limits.Pay, x.Now = 20*time.Millisecond, now.Now }, o)
	res, text := g.do(t, "POST", "/process/stream/start", job(`{"a":1}`, "{}", 20000), "", `{"stream_id":"s"}`)
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, text)
	}
	first := o.tickets()
	now.forward(time.Duration(first) * 10 * time.Second)
	until(t, "payment for more", func() bool { return o.tickets() > first })
	g.do(t, "POST", "/process/stream/s/stop", "", "", "{}")
}

// The time of a stream counts for its key while it runs, whatever its job says, and where it needs no payment.
func TestStreamsCountForTheirKey(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.says = func(int64) string { return "1000000" }
	now := newClock()
	g := paidRig(t, 1<<40, func(x *setup) {
		x.Keys, x.Limits.Pay, x.Now = keys(), 20*time.Millisecond, now.Now
	}, o)
	post := func(seconds int) string {
		_, text := g.do(t, "POST", "/process/request/x", job("{}", "{}", seconds), "tk-two", "")
		return text
	}
	res, text := g.do(t, "POST", "/process/stream/start", job("{}", "{}", 1), "tk-two", `{"stream_id":"s"}`)
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, text)
	}
	g.mu.Lock()
	g.list = nil // further jobs find no orchestrator, and cost nothing
	g.mu.Unlock()
	if text := post(60); strings.Contains(text, "BudgetSpent") {
		t.Fatal(text)
	}
	now.forward(50 * time.Second)
	until(t, "count of the stream's time", func() bool { return strings.Contains(post(60), "BudgetSpent") })
	g.do(t, "POST", "/process/stream/s/stop", "", "tk-two", "{}")
	until(t, "end", func() bool {
		_, text := g.do(t, "GET", "/process/stream/s/status", "", "tk-two", "")
		return strings.Contains(text, `"orchestrator":""`)
	})
	if text := post(60); !strings.Contains(text, "BudgetSpent") {
		t.Error("the stream cost nothing: ", text)
	}
	if text := fmt.Sprint(post(20)); strings.Contains(text, "BudgetSpent") {
		t.Error("it cost more than its time: ", text)
	}
}
