package upstream_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

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
