package upstream_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

// An orchestrator was chosen for its price. What it names later in a stream, in an answer to a payment, does not count
// if it is more than twice as much, however long the stream has run and whether or not there is a limit of prices.
func TestAStreamsPriceIsNotRaised(t *testing.T) {
	t.Parallel()
	clock := coretest.NewClock(time.Unix(1_800_000_000, 0))
	offer := priced(30, 1)
	var asked []*rpc.Payment
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		m, err := rpc.DecodePayment(r.Header.Get(rpc.PaymentHeader))
		if err != nil {
			t.Error(err)
		}
		asked = append(asked, m)
		raised := proto.Clone(offer).(*rpc.OrchestratorInfo)
		raised.PriceInfo.PricePerUnit = 300
		data, _ := proto.Marshal(&rpc.PaymentResult{Info: raised}) // a message of ours
		_, _ = w.Write(data)
	})
	offer.Transcoder = s.URL
	for name, expensive := range map[string]bool{"no limit": false, "no limit where there is no other": true} {
		asked = nil
		c := client(t, upstream.Options{Payments: ticketsBy(t, 0, clock.Now, func(o *upstream.TicketOptions) {
			o.AllowExpensive = expensive
		})})
		wants := upstream.JobWants(model, "0.9.1", "", "")
		offer.Capabilities = rpc.FromCapabilities(wants.Capabilities)
		found := upstream.Found{Asked: s.URL, Info: offer, Offer: upstream.OfferOf(offer, clock.Now())}
		begun, err := c.Terms(t.Context(), found, model, &wants)
		if err != nil {
			t.Fatal(err)
		}
		pays := c.LivePayments(begun, "manifest", "key one")
		for range 4 {
			paid, err := pays.Pay(t.Context(), 10)
			if err != nil {
				t.Fatal(name, err)
			}
			paid.Settle(sender.Served, 10)
			paid.Received(10)
			clock.Forward(31 * time.Minute) // longer than a first price is remembered
		}
		for i, m := range asked {
			if price, n := m.GetExpectedPrice().GetPricePerUnit(), len(m.GetTicketSenderParams()); price != 30 || n > 11 {
				t.Errorf("%s: payment %d at %d wei has %d tickets", name, i, price, n)
			}
		}
		if len(asked) != 4 {
			t.Errorf("%s: %d payments", name, len(asked))
		}
	}
}

// The client of a live stream writes its parameters: a start that fails is excused by them, until another orchestrator
// takes the stream.
func TestFailedStartsOfStreams(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		does    http.HandlerFunc
		want    sender.Outcome
		forgone int
	}{
		"no slot":     {says(503, "", "insufficient capacity"), sender.Refused, 1},
		"bad params":  {says(400, "", "params are no JSON"), sender.Refused, 1},
		"runner's":    {says(500, "", "live-video-to-video container returned 422: x"), sender.Refused, 1},
		"broke":       {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, sender.Failed, 1},
		"broken body": {broken, sender.Failed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, row.does)
			d := &paymentTerms{header: "AQID"}
			c := client(t, upstream.Options{Payments: payer{terms: d}})
			status, _, paid, err := c.StartLive(t.Context(), terms(t, c, s.URL, ""), "key one", 60, []byte("{}"))
			if err == nil {
				err = upstream.Forgone(http.ErrAbortHandler, paid)
			}
			if got := d.only(t); got.how != row.want || d.forgone != row.forgone {
				t.Errorf("%d: %+v, forgone %d, want %v", status, got, d.forgone, row.want)
			}
			if v, lost := upstream.Lost(err); !lost || v.Sign() == 0 {
				t.Errorf("%v: nothing is lost", err)
			}
		})
	}
	s := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	d := &paymentTerms{header: "AQID"}
	c := client(t, upstream.Options{Payments: payer{terms: d}})
	status, answer, paid, err := c.StartLive(t.Context(), terms(t, c, s.URL, ""), "key one", 60, []byte("{}"))
	if status != 200 || string(answer) != "{}" || paid == nil || err != nil || len(d.settled) != 0 || d.forgone != 0 {
		t.Error(status, string(answer), paid, err, d.settled, d.forgone)
	}
}

// broken breaks off within its answer.
func broken(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, "{")
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
