package byoc_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// chain has enough money for everything.
type chain struct{}

func (chain) View() protocol.View {
	return protocol.View{Known: true, Head: protocol.Head{L1: 1000}}
}

func (chain) SenderFunds(context.Context, core.Address) (protocol.SenderFunds, error) {
	return protocol.SenderFunds{Sender: protocol.Sender{Deposit: core.NewWei(1 << 60),
		Reserve: protocol.Reserve{FundsRemaining: core.NewWei(1)}}}, nil
}

// caps are the most that is paid for a second.
type caps struct{ most *big.Rat }

func (c caps) MaxTranscoding() *big.Rat            { return c.most }
func (c caps) MaxModel(m inference.Model) *big.Rat { return c.most }

// wallet makes payments that are real but for the chain.
func wallet(t testing.TB, most int64, credit uint64) *upstream.TicketPayments {
	t.Helper()
	return upstream.NewTicketPayments(ticketOptions(t, most, credit))
}

// ticketOptions are what a wallet is made of.
func ticketOptions(t testing.TB, most int64, credit uint64) upstream.TicketOptions {
	t.Helper()
	return ticketOptionsBy(t, most, credit, nil)
}

// ticketOptionsBy are ticketOptions by a clock.
func ticketOptionsBy(t testing.TB, most int64, credit uint64, now func() time.Time) upstream.TicketOptions {
	t.Helper()
	key, err := crypto.HexToECDSA(strings.Repeat("01", 32))
	if err != nil {
		t.Fatal(err)
	}
	account := core.Address(crypto.PubkeyToAddress(key.PublicKey))
	d := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	db, err := d.Open(t.Context(), t.TempDir(), func(context.Context, *sql.DB) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	book, issued, err := paymentlog.Open(t.Context(), paymentlog.Options{DB: db, Sender: account})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- book.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, book.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	sign := func(m signature.Message) ([]byte, error) { return signature.EthSign(key, m.Bytes()) }
	s := sender.New(sender.Options{Account: account, Sign: sign, Chain: chain{}, Book: book, Issued: issued, Now: now,
		Limits: pm.Limits{MaxEV: core.NewWei(1 << 40), MaxTotalEV: core.NewWei(1 << 50), MaxCredit: core.NewWei(credit)}})
	return upstream.TicketOptions{Sender: s, Sign: sign, Caps: caps{big.NewRat(most, 1)}}
}

// paidRig is a gateway that pays an orchestrator 10 wei a second with tickets of 100, and at most 20.
func paidRig(t *testing.T, credit uint64, change func(*setup), list ...*orchestrator) *gateway {
	t.Helper()
	for _, o := range list {
		o.price = max(o.price, 10)
	}
	return newGateway(t, func(x *setup) {
		x.payments = wallet(t, 20, credit)
		if change != nil {
			change(x)
		}
	}, list...)
}

func (g *gateway) ask(t *testing.T, seconds int) (*http.Response, string) {
	t.Helper()
	return g.do(t, "POST", "/process/request/x", job(`{"run":"x"}`, "{}", seconds), "", "{}")
}

// A job is paid by its time, two minutes at least, as far as what was paid before does not cover it; an orchestrator
// that says that it holds so much is paid nothing.
func TestPayment(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := paidRig(t, 1<<40, func(x *setup) { x.Now = newClock().Now }, o)
	for i, want := range []struct{ seconds, tickets int }{{10, 12}, {10, 13}, {200, 21}} {
		if res, text := g.ask(t, want.seconds); res.StatusCode != http.StatusOK {
			t.Fatal(res.Status, text)
		}
		// The second job finds 1190 wei and needs 1200, the third 1280 and 2000.
		if n := o.tickets(); n != want.tickets {
			t.Errorf("job %d: %d tickets in all, want %d", i, n, want.tickets)
		}
	}
	j := o.saw("/process/request")[0].job
	sig := signatureOf(t, j.Sig)
	if err := signature.NodeVerify(account(t), []byte(j.Request+j.Parameters), sig); err != nil {
		t.Error(err)
	}
	if res, _ := g.ask(t, 7000); res.StatusCode != http.StatusOK || o.tickets() < 500 || o.tickets() > 21+600 {
		t.Error("a long job:", res.Status, o.tickets())
	}
	n := o.tickets()
	if res, text := g.ask(t, 7000); res.StatusCode != http.StatusOK || o.tickets() != n {
		t.Error("an orchestrator with enough was paid:", res.Status, text, o.tickets()-n)
	}
	for _, s := range o.saw("/process/request") {
		if s.tickets > 600 {
			t.Errorf("%d tickets at once", s.tickets)
		}
	}
}

// An orchestrator that says that it holds the price of two minutes gets a job without a payment; one that says a little
// less is paid.
func TestEnoughIsNotPaidFor(t *testing.T) {
	t.Parallel()
	for says, tickets := range map[string]int{"1200": 0, "1199": 12, `"1200"`: 0, "1199.9": 12} {
		o := newOrchestrator(t)
		o.balance, o.says = 1200, func(int64) string { return says }
		g := paidRig(t, 1<<40, nil, o)
		if res, text := g.ask(t, 10); res.StatusCode != http.StatusOK || o.tickets() != tickets {
			t.Error(says, res.Status, text, o.tickets())
		}
	}
}

// An orchestrator that lies about its balance gets a job's payment twice at most; what it is paid without work is
// bounded over all jobs.
func TestALiarAboutItsBalance(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{"too little": "0", "too much": "1000000000", "nonsense": `"x"`,
		"a number of gigabytes": "1e999999999", "debt": "-5"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			liar := newOrchestrator(t)
			liar.says = func(int64) string { return says }
			liar.request = func(w http.ResponseWriter, _ *http.Request) bool {
				http.Error(w, "Insufficient balance for request", http.StatusBadRequest)
				return true
			}
			g := paidRig(t, 3000, nil, liar)
			for range 12 {
				res, text := g.ask(t, 10)
				if res.StatusCode < 400 {
					t.Fatal(res.Status, text)
				}
			}
			if n := liar.tickets(); n*ticketEV > 3000 || n == 0 {
				t.Errorf("%d tickets", n)
			}
			if jobs := len(liar.saw("/process/request")); jobs > 24 {
				t.Errorf("%d jobs", jobs)
			}
		})
	}
}

// A price above the limit, or one that is raised, is not paid, nor is credit worked off at it.
func TestPricesAboveTheLimit(t *testing.T) {
	t.Parallel()
	expensive, cheap := newOrchestrator(t), newOrchestrator(t)
	expensive.price = 21
	expensive.says = func(int64) string { return "1000000" }
	g := paidRig(t, 1<<40, nil, expensive)
	res, text := g.ask(t, 10)
	refused(t, res, text, http.StatusServiceUnavailable, "PriceTooHigh")
	if len(expensive.saw("/process/request")) != 0 {
		t.Error("it got a job")
	}
	g.list = append(g.list, cheap.srv.URL)
	cheap.price = 10
	if res, text := g.ask(t, 10); res.StatusCode != http.StatusOK ||
		res.Header.Get("X-Orchestrator-Url") != cheap.srv.URL {
		t.Error(res.Status, text)
	}
	if n := expensive.tickets(); n != 0 {
		t.Errorf("%d tickets", n)
	}
}

// A stream is paid while it runs, by fresh terms, and never further ahead than is due, whatever the orchestrator says.
func TestAStreamIsPaidFor(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.says = func(int64) string { return "0" }
	now := newClock()
	g := paidRig(t, 1<<40, func(x *setup) { x.Limits.Pay, x.Now = 20*time.Millisecond, now.Now }, o)
	at := g.begin(t, "{}", `{"stream_id":"s"}`)
	until(t, "first payment ahead", func() bool { return o.tickets() == 12 }) // 1200 wei: 120 seconds
	tokens := len(o.saw("/process/token"))
	until(t, "further terms", func() bool { return len(o.saw("/process/token")) > tokens+3 })
	if n := o.tickets(); n != 12 {
		t.Errorf("%d tickets: it is paid further ahead", n)
	}
	now.forward(50 * time.Second)
	until(t, "next payment", func() bool { return o.tickets() == 17 })
	for _, s := range o.saw("/ai/stream/payment") {
		if s.job.Request != `{"a":1,"stream_id":"s"}` || s.job.ID != "s" || s.body != "" {
			t.Errorf("%+v", s)
		}
	}
	g.do(t, "POST", at["stop_url"], "", "", "{}")
}

// An orchestrator was chosen for its price: a stream there is paid no more than twice as much a second, however long it
// has run and whether or not there is a limit of prices.
func TestAStreamsPriceIsNotRaised(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.says = func(int64) string { return "0" }
	var asked atomic.Int64
	o.token = func(w http.ResponseWriter, _ *http.Request) bool {
		if asked.Add(1) > 1 {
			o.price = 100 // its requests for terms come one after another
		}
		return false
	}
	now := newClock()
	g := newGateway(t, func(x *setup) {
		opt := ticketOptionsBy(t, 0, 1<<40, now.Now)
		opt.Caps = nil
		x.payments, x.Limits.Pay, x.Now = upstream.NewTicketPayments(opt), 20*time.Millisecond, now.Now
	}, o)
	o.price = 10
	at := g.begin(t, "{}", `{"stream_id":"s"}`)
	until(t, "first payment ahead", func() bool { return o.tickets() == 12 })
	for range 3 {
		now.forward(31 * time.Minute) // longer than a first price is remembered
		tokens := asked.Load()
		until(t, "further terms", func() bool { return asked.Load() > tokens+3 })
	}
	if n := o.tickets(); n != 12 {
		t.Errorf("%d tickets of %d wei for terms of %d wei a second", n-12, ticketEV, o.price)
	}
	g.do(t, "POST", at["stop_url"], "", "", "{}")
}

// An orchestrator that names no channel for what its client wants gets no stream: nothing would come of it, and the
// clock would go on.
func TestAStreamWithoutItsChannels(t *testing.T) {
	t.Parallel()
	for _, missing := range []string{"X-Publish-Url", "X-Subscribe-Url", "X-Data-Url"} {
		liar, honest := newOrchestrator(t), newOrchestrator(t)
		liar.stream = func(w http.ResponseWriter, r *http.Request) bool {
			if r.PathValue("what") != "start" {
				return false
			}
			for _, h := range []string{"X-Publish-Url", "X-Subscribe-Url", "X-Data-Url", "X-Control-Url", "X-Events-Url"} {
				if h != missing {
					w.Header().Set(h, liar.srv.URL+"/ai/trickle/x")
				}
			}
			return true
		}
		g := paidRig(t, 1<<40, nil, liar)
		res, text := g.do(t, "POST", "/process/stream/start", job("{}", everything, 10), "", "")
		refused(t, res, text, http.StatusBadGateway, "OrchestratorUnusable")
		g.list = append(g.list, honest.srv.URL)
		honest.price = 10
		at := g.begin(t, everything, "")
		if len(honest.saw("/ai/stream/start")) != 1 {
			t.Errorf("without %s the stream is not at the honest one", missing)
		}
		g.do(t, "POST", at["stop_url"], "", "", "{}")
	}
}

func account(t testing.TB) (a [20]byte) {
	key, err := crypto.HexToECDSA(strings.Repeat("01", 32))
	if err != nil {
		t.Fatal(err)
	}
	return crypto.PubkeyToAddress(key.PublicKey)
}

func signatureOf(t testing.TB, text string) (sig []byte) {
	t.Helper()
	if _, err := fmt.Sscanf(text, "0x%x", &sig); err != nil {
		t.Fatal(text, err)
	}
	return sig
}
