package upstream_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// deal pays with a fixed header and remembers how it was settled.
type paymentTerms struct {
	header string
	err    error

	mu      sync.Mutex
	paid    []int64
	settled []settled
	// received are the reported units; negative for clients that left.
	received []int64
	// came are the units that came before a client left.
	came []int64
	// credited is how often the tickets were said to be credited.
	credited int
	// forgone is how many failed for what their requests may be the reason of.
	forgone int
}

type settled struct {
	how   sender.Outcome
	units int64
}

func (d *paymentTerms) Wear() sender.Wear { return sender.Fresh }

func (d *paymentTerms) Pay(_ context.Context, _ string, units int64) (upstream.Payment, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil, d.err
	}
	d.paid = append(d.paid, units)
	return &payment{terms: d}, nil
}

type payment struct {
	terms *paymentTerms
	done  bool
}

func (p *payment) Header() string { return p.terms.header }

// Value is a wei where there is a payment at all.
func (p *payment) Value() pm.Value {
	if p.terms.header == "" {
		return pm.Value{}
	}
	return pm.WeiValue(core.NewWei(1))
}

func (p *payment) Settle(how sender.Outcome, units int64) {
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	if !p.done {
		p.done = true
		p.terms.settled = append(p.terms.settled, settled{how, units})
	}
}

func (p *payment) Received(units int64) {
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	p.terms.received = append(p.terms.received, units)
}

func (p *payment) Forgo() {
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	p.terms.forgone++
}

func (p *payment) Blame() {}

func (p *payment) Credited() {
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	p.terms.credited++
}

func (p *payment) Left(units int64) { p.LeftAfter(0, units) }

func (p *payment) LeftAfter(came, units int64) {
	p.Received(-units)
	p.terms.mu.Lock()
	defer p.terms.mu.Unlock()
	p.terms.came = append(p.terms.came, came)
}

// only is the one payment's end.
func (d *paymentTerms) only(t *testing.T) settled {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.settled) != 1 || len(d.paid) != 1 {
		t.Fatalf("paid %v, settled %v", d.paid, d.settled)
	}
	return d.settled[0]
}

// payer pays with one deal.
type payer struct {
	upstream.FreePayments
	terms *paymentTerms
}

func (p payer) PaymentTerms(upstream.Info, upstream.Work) (upstream.PaymentTerms, error) {
	return p.terms, nil
}

func says(status int, code, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if code != "" {
			w.Header().Set("Tutti-Code", code)
		}
		http.Error(w, text, status)
	}
}

// Our own nodes say that they credited the tickets before they answer; of others that means
// nothing.
func TestCreditedTicketsAreReported(t *testing.T) {
	t.Parallel()
	for node, want := range map[string]int{"tutti/1": 1, "": 0} {
		d := &paymentTerms{header: "AQID"}
		s := server(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints) // a proxy's
			w.Header().Set("Tutti-Credited", "1")
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{}")
		})
		c := client(t, upstream.Options{Payments: payer{terms: d}, Node: "tutti/1"})
		reply, err := c.Submit(t.Context(), terms(t, c, s.URL, node), job())
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if d.only(t) != (settled{sender.Served, 256}) || d.credited != want {
			t.Errorf("node %q: credited %d times, want %d", node, d.credited, want)
		}
	}
}

func TestEveryJobsPaymentIsSettled(t *testing.T) {
	t.Parallel()
	const own = "tutti/1"
	for name, row := range map[string]struct {
		node string
		does http.HandlerFunc
		want settled
	}{
		"served": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{}")
		}, settled{sender.Served, 256}},
		"a client's mistake": {own, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			io.WriteString(w, "{}")
		}, settled{sender.Served, 0}},
		"full":        {"", says(503, "", "insufficient capacity"), settled{sender.Refused, 0}},
		"unknown 503": {"", says(503, "", "?"), settled{sender.Refused, 0}},
		"no token":    {"", says(403, "", "expired auth token"), settled{sender.Refused, 0}},
		"old tickets": {"", says(400, "", "TicketParams expired"), settled{sender.Refused, 0}},
		"nonce": {"", says(400, "", "invalid ticket senderNonce: already seen sender=x nonce=1"),
			settled{sender.Refused, 0}},
		"balance": {"", says(400, "", "Insufficient balance"), settled{sender.Short, 0}},
		"price": {"", says(400, "", `invalid expected price sent with payment err="x"`),
			settled{sender.Refused, 0}},
		"runner's word": {"", says(400, "", "LLM container returned 400"), settled{sender.InputBad, 0}},
		"runner's 422":  {"", says(500, "", "unexpected status code: 422"), settled{sender.InputBad, 0}},
		"runner's echo": {"", says(500, "", `unexpected status code: 422 {"input":"insufficient balance"}`),
			settled{sender.InputBad, 0}},
		"runner's 500 with an echo": {"", says(500, "", `LLM container returned 500: "ticketparams expired"`),
			settled{sender.Failed, 0}},
		"too long a prompt": {own, says(400, "PromptTooLong", "x"), settled{sender.Refused, 0}},
		"failed":            {"", says(500, "", "boom"), settled{sender.Failed, 0}},
		"failed at our own": {own, says(500, "JobFailed", "boom"), settled{sender.Refused, 0}},
		"our own's nonce":   {own, says(400, "TicketNonceTooMany", "x"), settled{sender.Refused, 0}},
		"our own's balance": {own, says(400, "InsufficientBalance", "x"), settled{sender.Short, 0}},
		"broke": {"", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			settled{sender.Failed, 0}},
		"a page": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<p>")
		}, settled{sender.Failed, 0}},
		"empty": {"", func(http.ResponseWriter, *http.Request) {}, settled{sender.Failed, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, row.does)
			d := &paymentTerms{header: "AQID"}
			c := client(t, upstream.Options{Payments: payer{terms: d}, Node: "tutti/1"})
			reply, err := c.Submit(t.Context(), terms(t, c, s.URL, row.node), job())
			if err == nil {
				defer reply.Body.Close()
			}
			if got := d.only(t); got != row.want || d.paid[0] != 256 {
				t.Errorf("%+v, want %+v (%v)", got, row.want, err)
			}
			switch name {
			case "runner's word", "runner's 422", "runner's echo", "runner's 500 with an echo", "too long a prompt",
				"full", "unknown 503", "failed", "failed at our own", "broke":
				if d.forgone != 1 {
					t.Error("it counts against the orchestrator, whatever its client sent")
				}
			default:
				if d.forgone != 0 {
					t.Error("it is excused by the request")
				}
			}
		})
	}
}

func TestAJobThatNeverLeftIsUnsent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	d := &paymentTerms{header: "AQID"}
	c := client(t, upstream.Options{Payments: payer{terms: d}})
	if _, err := c.Submit(t.Context(), terms(t, c, "https://"+l.Addr().String(), ""), job()); !errors.Is(err,
		fault.OrchestratorUnreachable) {
		t.Error(err)
	}
	if got := d.only(t); got.how != sender.Unsent {
		t.Errorf("%+v", got)
	}
	d.err = fault.New(fault.OwnDepositEmpty, "", "")
	_, err = c.Submit(t.Context(), terms(t, c, "https://"+l.Addr().String(), ""), job())
	if !upstream.Unpaid(err) || !errors.Is(err, fault.OwnDepositEmpty) {
		t.Error(err)
	}
}

func TestAClientThatLeavesHasPaid(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	s := server(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
	})
	d := &paymentTerms{header: "AQID"}
	c := client(t, upstream.Options{Payments: payer{terms: d}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := c.Submit(ctx, terms(t, c, s.URL, ""), job()); !errors.Is(err, fault.Canceled) {
		t.Error(err)
	}
	if got := d.only(t); got.how != sender.Abandoned {
		t.Errorf("%+v", got)
	}
}

// TestWhatCameOfAnAnswer: an answer counts as work as far as its reader found it good, and
// one that its reader says nothing of may have been work.
func TestWhatCameOfAnAnswer(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		given []inference.Delivery
		want  int64
		came  int64
	}{
		"whole":              {[]inference.Delivery{{How: inference.Complete}}, 256, 0},
		"short":              {[]inference.Delivery{{How: inference.Partial, Units: 64}}, 64, 0},
		"broken in between":  {[]inference.Delivery{{How: inference.Faulty, Units: 7}}, 0, 0},
		"nothing in it":      {[]inference.Delivery{{How: inference.Faulty}}, 0, 0},
		"more than was paid": {[]inference.Delivery{{How: inference.Partial, Units: 1000}}, 256, 0},
		"less than nothing":  {[]inference.Delivery{{How: inference.Partial, Units: -1}}, 0, 0},
		"client left":        {[]inference.Delivery{{How: inference.ClientLeft, Units: 9}}, -256, 9},
		"the first counts":   {[]inference.Delivery{{How: inference.Faulty}, {How: inference.Complete}}, 0, 0},
		"nothing said":       {nil, -256, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "{}")
			})
			d := &paymentTerms{header: "AQID"}
			c := client(t, upstream.Options{Payments: payer{terms: d}})
			reply, err := c.Submit(t.Context(), terms(t, c, s.URL, ""), job())
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, reply.Body)
			for _, g := range row.given {
				reply.Deliver(g)
			}
			reply.Body.Close()
			d.mu.Lock()
			defer d.mu.Unlock()
			if len(d.received) != 1 || d.received[0] != row.want || row.want < 0 && d.came[0] != row.came {
				t.Errorf("received %v after %v, want %d after %d", d.received, d.came, row.want, row.came)
			}
		})
	}
}

// TestReadsOfAnAnswer: errors say whether the orchestrator or the client ended it.
func TestReadsOfAnAnswer(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ends func(cancel func(), late *endable)
		want fault.Code
	}{
		"broken off":  {func(func(), *endable) {}, fault.CompletionBroken},
		"client left": {func(cancel func(), _ *endable) { cancel() }, fault.Canceled},
		"too late":    {func(_ func(), e *endable) { e.late.Store(true) }, fault.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "{")
				http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
			c := client(t, upstream.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ending := &endable{Context: ctx}
			reply, err := c.Submit(ending, terms(t, c, s.URL, ""), job())
			if err != nil {
				t.Fatal(err)
			}
			defer reply.Body.Close()
			row.ends(cancel, ending)
			if _, err := io.ReadAll(reply.Body); !errors.Is(err, row.want) {
				t.Errorf("%v, want %s", err, row.want)
			}
		})
	}
}

// endable is a context that says that its deadline is over when it is told to.
type endable struct {
	context.Context
	late atomic.Bool
}

func (e *endable) Err() error {
	if e.late.Load() {
		return context.DeadlineExceeded
	}
	return e.Context.Err()
}

// A kept connection that died is no reason to send a payment once more.
func TestAPaymentIsSentOnce(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]int32{"AQID": 2, "": 3} {
		var requests atomic.Int32
		s := server(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			if requests.Add(1) == 2 {
				conn, _, err := w.(http.Hijacker).Hijack()
				if err == nil {
					conn.(*tls.Conn).NetConn().Close()
				}
				return
			}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{}")
		})
		d := &paymentTerms{header: header}
		c := client(t, upstream.Options{Payments: payer{terms: d}})
		ready := terms(t, c, s.URL, "")
		for range 2 {
			if reply, err := c.Submit(t.Context(), ready, job()); err == nil {
				io.Copy(io.Discard, reply.Body)
				reply.Body.Close()
			}
		}
		if got := requests.Load(); got != want {
			t.Errorf("with payment %q: %d requests, want %d", header, got, want)
		}
		if len(d.settled) != 2 {
			t.Errorf("%+v", d.settled)
		}
	}
}

func segment() *upstream.Segment {
	return &upstream.Segment{
		Meta: rpc.SegmentMeta{Manifest: "m", Profiles: []core.Profile{{Name: "a", Width: 2, Height: 2}, {Name: "b",
			Width: 2, Height: 2}}, Duration: time.Second},
		Data: []byte("ts"), Estimate: 1000, Timing: videorouting.Timing{Accept: 10 * time.Second, Attempt: 20 * time.Second,
			Segment: 30 * time.Second},
	}
}

func TestEverySegmentsPaymentIsSettled(t *testing.T) {
	t.Parallel()
	result := func(m *rpc.TranscodeResult) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			raw, _ := proto.Marshal(m)
			w.Write(raw)
		}
	}
	made := func(pixels ...int64) http.HandlerFunc {
		data := &rpc.TranscodeData{}
		for _, p := range pixels {
			data.Segments = append(data.Segments, &rpc.TranscodedSegmentData{Url: "https://x/1.ts", Pixels: p})
		}
		return result(&rpc.TranscodeResult{Result: &rpc.TranscodeResult_Data{Data: data}})
	}
	for name, row := range map[string]struct {
		does http.HandlerFunc
		want settled
		code fault.Code
	}{
		"served":      {made(300, 700), settled{sender.Served, 1000}, ""},
		"dear":        {made(1500, 2500), settled{sender.Served, 4000}, ""},
		"too dear":    {made(1500, 2501), settled{sender.Served, 4000}, ""},
		"huge":        {made(1<<62, 1<<62), settled{sender.Served, 4000}, ""},
		"negative":    {made(-5, 7), settled{sender.Served, 7}, ""},
		"one too few": {made(300), settled{sender.Served, 300}, fault.RenditionCount},
		"bad input": {result(&rpc.TranscodeResult{Result: &rpc.TranscodeResult_Error{Error: "No keyframes in input"}}),
			settled{sender.InputBad, 0}, fault.SegmentNotTranscodable},
		"no result":     {result(&rpc.TranscodeResult{}), settled{sender.Failed, 0}, fault.ResultUnreadable},
		"capped":        {says(403, "", "OrchestratorCapped"), settled{sender.Refused, 0}, fault.OrchestratorCapped},
		"old tickets":   {says(400, "", "TicketParams expired"), settled{sender.Refused, 0}, fault.TicketParamsStale},
		"balance":       {says(400, "", "Insufficient balance"), settled{sender.Short, 0}, fault.InsufficientBalance},
		"anything else": {says(500, "", "Internal Server Error"), settled{sender.Refused, 0}, fault.OrchestratorDeclined},
		"broke": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			settled{sender.Failed, 0}, fault.OrchestratorBroke},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, row.does)
			d := &paymentTerms{header: "AQID"}
			c := client(t, upstream.Options{Payments: payer{terms: d}})
			_, err := c.Send(t.Context(), &rpc.OrchestratorInfo{Transcoder: s.URL}, segment())
			if row.code == "" && err != nil || row.code != "" && !errors.Is(err, row.code) {
				t.Errorf("%v, want %s", err, row.code)
			}
			if got := d.only(t); got != row.want || d.paid[0] != 1000 {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

func TestOffersBesideAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		node   string
		change func(*rpc.OrchestratorInfo)
		header string
		taken  bool
	}{
		"fresh":           {"tutti/1", func(*rpc.OrchestratorInfo) {}, "", true},
		"from others":     {"", func(*rpc.OrchestratorInfo) {}, "", false},
		"another address": {"tutti/1", func(i *rpc.OrchestratorInfo) { i.Address = make([]byte, 20) }, "", false},
		"another place":   {"tutti/1", func(i *rpc.OrchestratorInfo) { i.Transcoder += "0" }, "", false},
		"another session": {"tutti/1", func(i *rpc.OrchestratorInfo) { i.AuthToken.SessionId = "x" }, "", false},
		"without models":  {"tutti/1", func(i *rpc.OrchestratorInfo) { i.Capabilities = nil }, "", false},
		"not base64":      {"tutti/1", nil, "§", false},
		"not a message":   {"tutti/1", nil, "AAAA", false},
		"larger than any": {"tutti/1", nil, base64.StdEncoding.EncodeToString(slices.Repeat([]byte{10, 0}, 30_000)), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ready *upstream.Terms
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				header := row.header
				if header == "" {
					info := proto.Clone(ready.Info).(*rpc.OrchestratorInfo)
					info.AuthToken.Token = []byte{2} // the quote may have changed
					wants := upstream.JobWants(model, "0.9.1", "", "")
					info.Node, info.Capabilities = row.node, rpc.FromCapabilities(wants.Capabilities)
					row.change(info)
					raw, _ := proto.Marshal(info)
					header = base64.StdEncoding.EncodeToString(raw)
				}
				w.Header().Set("Tutti-Offer", header)
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, "{}")
			})
			c := client(t, upstream.Options{Node: "tutti/1"})
			ready = terms(t, c, s.URL, row.node)
			if reply, err := c.Submit(t.Context(), ready, job()); err != nil {
				if row.header == "" {
					t.Fatal(err)
				}
			} else {
				reply.Body.Close()
			}
			newer := ready.Newer()
			if (newer != nil) != row.taken {
				t.Fatalf("taken: %v", newer != nil)
			}
			if row.taken && string(newer.Info.GetAuthToken().GetToken()) != "\x02" {
				t.Error("the old token")
			}
		})
	}
}
