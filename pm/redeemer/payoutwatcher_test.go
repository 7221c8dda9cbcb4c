package redeemer_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/redeemer"
)

var payoutMe, gateway = core.Address{1}, core.Address{9}

// payoutWorld is a ledger and a chain with rounds of 100 blocks, of which round 7 begins at 700.
type payoutWorld struct {
	*testing.T
	board   *health.Board
	onEvent func(protocol.Event)

	mu    sync.Mutex // covers the fields below
	won   []pm.Winner
	view  protocol.View
	round protocol.Round // what more than one endpoint says, 0 for as in view
	paid  map[protocol.Hash]protocol.Payout
	// validity is what an endpoint answers next, 0 for the truth.
	validity   protocol.Round
	secret     bool  // no log tells of payouts
	readFailed error // why the ledger cannot be read
	reads      int
	undone     []protocol.Hash
}

// runPayout runs a test with a watcher over n handed tickets of round 7, whose parameters expire
// at block 720.
func runPayout(t *testing.T, n int, test func(w *payoutWorld)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &payoutWorld{T: t, paid: make(map[protocol.Hash]protocol.Payout)}
		w.board = health.New(slog.New(slog.DiscardHandler), time.Now, nil)
		w.at(700)
		for i := range n {
			ticket := protocol.WinningTicket{Sender: gateway, Recipient: payoutMe, FaceValue: core.NewWei(1000),
				SenderNonce: uint64(i + 1), CreationRound: 7}
			w.won = append(w.won, pm.Winner{Hash: ticket.Hash(), Ticket: ticket, ExpirationBlock: 720,
				Won: time.Now().Add(time.Duration(i)), State: pm.TicketHanded})
		}
		watcher, err := redeemer.NewPayoutWatcher(redeemer.PayoutOptions{
			Ledger: w, Chain: w, Recipient: payoutMe, Redeemer: "redeemer.example:8935", Board: w.board,
			Log: slog.New(slog.DiscardHandler), Now: time.Now,
			Undone: func(x pm.Winner) { w.undone = append(w.undone, x.Hash) },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = watcher.Run(ctx, func() {}) })
		w.settle(2 * time.Second)
		test(w)
		cancel()
		running.Wait()
	})
}

// settle lets time pass.
func (w *payoutWorld) settle(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

// at moves the chain to a layer-1 block, and lets the watcher see it.
func (w *payoutWorld) at(l1 protocol.L1Block) {
	w.mu.Lock()
	round := protocol.Round(l1 / 100)
	w.view = protocol.View{Known: true, Head: protocol.Head{L1: l1, Number: protocol.L2Block(l1)},
		Round: protocol.RoundState{Number: round, Start: protocol.L1Block(round) * 100, Length: 100, Initialized: true}}
	w.mu.Unlock()
	if w.onEvent != nil {
		w.settle(2 * time.Second)
	}
}

// pays redeems a ticket in a block; seen sends the event.
func (w *payoutWorld) pays(i int, block protocol.L2Block, seen bool) {
	w.mu.Lock()
	x := &w.won[i]
	p := protocol.Payout{Sender: gateway, Recipient: payoutMe, SenderNonce: x.Ticket.SenderNonce,
		FaceValue: x.Ticket.FaceValue, Paid: x.Ticket.FaceValue,
		Tx: protocol.TxHash{byte(i + 1)}, Block: block}
	w.paid[x.Hash] = p
	w.mu.Unlock()
	if seen {
		w.onEvent(protocol.TicketRedeemed{Payout: p})
		w.settle(2 * time.Second)
	}
}

// states are the tickets' states in their order.
func (w *payoutWorld) states() (out []pm.TicketState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.won {
		out = append(out, w.won[i].State)
	}
	return out
}

func (w *payoutWorld) want(states ...pm.TicketState) {
	w.Helper()
	if got := w.states(); !slices.Equal(got, states) {
		w.Fatalf("the tickets are %v, want %v", got, states)
	}
}

func (w *payoutWorld) condition(code fault.Code) string {
	for _, c := range w.board.Snapshot() {
		if c.Code == code {
			return c.Detail + "."
		}
	}
	return ""
}

func (w *payoutWorld) Winners(_ context.Context, f ledger.Filter) (out []pm.Winner, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.readFailed != nil {
		return nil, w.readFailed
	}
	for _, x := range slices.Backward(w.won) {
		if slices.Contains(f.States, x.State) && (f.Before.IsZero() || x.Won.Before(f.Before)) &&
			(f.Limit == 0 || len(out) < f.Limit) {
			out = append(out, x)
		}
	}
	return out, nil
}

func (w *payoutWorld) Progress(_ context.Context, p pm.Progress) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	x := &w.won[slices.IndexFunc(w.won, func(x pm.Winner) bool { return x.Hash == p.Hash })]
	x.State, x.Tx, x.Paid, x.Reason, x.Since = p.State, p.Tx, p.Paid, p.Reason, p.At
	return nil
}

func (w *payoutWorld) View() protocol.View {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.view
}

func (w *payoutWorld) Subscribe(f func(protocol.Event)) (stop func()) {
	w.onEvent = f
	return func() {}
}

func (w *payoutWorld) TicketsUsed(_ context.Context, tickets []protocol.Hash) (out []bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	for _, h := range tickets {
		_, used := w.paid[h]
		out = append(out, used)
	}
	return out, nil
}

func (w *payoutWorld) Payouts(_ context.Context, tx protocol.TxHash) (out []protocol.Payout, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.paid {
		if p.Tx == tx {
			out = append(out, p)
		}
	}
	return out, nil
}

func (w *payoutWorld) FindPayout(_ context.Context, t protocol.WinningTicket) (protocol.Payout, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, ok := w.paid[t.Hash()]
	return p, ok && !w.secret, nil
}

func (w *payoutWorld) Parameters(context.Context) (protocol.Parameters, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.validity != 0 {
		defer func() { w.validity = 0 }()
		return protocol.Parameters{TicketValidity: w.validity}, nil
	}
	return protocol.Parameters{TicketValidity: 2}, nil
}

func (w *payoutWorld) Round(context.Context) (protocol.RoundState, error) {
	r := w.View().Round
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.round != 0 {
		r.Number = w.round
	}
	return r, nil
}

// A ledger in a database elsewhere that does not answer for a while ends no node; it is read again soon.
func TestHandedTicketsOfALedgerThatComesAndGoes(t *testing.T) {
	runPayout(t, 1, func(w *payoutWorld) {
		w.unreadable(fault.Wrap(fault.LedgerFailed, "read the ledger", errors.New("the connection was closed")))
		w.pays(0, 730, true)
		if w.condition(fault.LedgerFailed) == "" {
			t.Error("it is not reported")
		}
		w.unreadable(nil)
		w.settle(10 * time.Second)
		w.want(pm.TicketMined)
		if text := w.condition(fault.LedgerFailed); text != "" {
			t.Error(text)
		}
	})
}

func (w *payoutWorld) unreadable(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.readFailed = err
}

// A ticket that an event says was redeemed is read at once, mined when the chain
// agrees, and final when that lasted; an event alone moves nothing.
func TestHandedPaid(t *testing.T) {
	runPayout(t, 2, func(w *payoutWorld) {
		if w.reads != 0 {
			t.Errorf("%d reads before a ticket is due", w.reads)
		}
		w.onEvent(protocol.TicketRedeemed{Payout: protocol.Payout{Sender: gateway, SenderNonce: 2}})
		w.settle(2 * time.Second)
		w.want(pm.TicketHanded, pm.TicketHanded)
		w.pays(0, 730, true)
		w.want(pm.TicketMined, pm.TicketHanded)
		w.at(760)
		w.want(pm.TicketMined, pm.TicketHanded)
		w.settle(time.Minute)
		w.at(785)
		w.want(pm.TicketFinal, pm.TicketHanded)
		w.pays(1, 770, false) // no event came
		w.at(850)
		w.want(pm.TicketFinal, pm.TicketMined)
	})
}

// A payout that a reorg undid is handed over again.
func TestHandedUndone(t *testing.T) {
	runPayout(t, 1, func(w *payoutWorld) {
		w.pays(0, 730, true)
		w.want(pm.TicketMined)
		clear(w.paid)
		w.at(760)
		w.want(pm.TicketWon)
		if len(w.undone) != 1 {
			t.Error("it is not handed over again")
		}
	})
}

// What is not paid in half of the time has the redeemer named; what is not paid in all of
// it is lost, unless only one endpoint says that the time is over.
func TestHandedUnpaid(t *testing.T) {
	runPayout(t, 250, func(w *payoutWorld) {
		w.at(800)
		if said := w.condition(fault.HandedUnpaid); said != "" {
			t.Errorf("in the first half of the time: %s", said)
		}
		w.at(830)
		if said := w.condition(fault.HandedUnpaid); !strings.HasPrefix(said,
			"redeemer.example:8935 has 250 tickets worth 250000 wei") || !strings.Contains(said, "round 8") {
			t.Errorf("in the second half: %q", said)
		}
		if w.reads != 3 {
			t.Errorf("%d reads for 250 tickets", w.reads)
		}
		w.round = 8
		w.at(900)
		w.want(slices.Repeat([]pm.TicketState{pm.TicketHanded}, 250)...)
		w.round = 0
		w.at(925)
		w.want(slices.Repeat([]pm.TicketState{pm.TicketExpired}, 250)...)
		if w.condition(fault.HandedUnpaid) != "" || !strings.Contains(w.condition(fault.TicketsLost), "250 tickets") {
			t.Errorf("%q %q", w.condition(fault.HandedUnpaid), w.condition(fault.TicketsLost))
		}
		if reason := w.won[0].Reason; !strings.HasPrefix(reason,
			string(fault.HandedUnpaid)+": the redeemer redeemer.example:8935") {
			t.Errorf("lost because of %q", reason)
		}
	})
}

// A number of rounds that is false once ends no ticket that was handed over.
func TestAFalseValidityEndsNothing(t *testing.T) {
	for _, lie := range []protocol.Round{1, 1 << 62, 1<<64 - 1} {
		t.Run("", func(t *testing.T) {
			runPayout(t, 1, func(w *payoutWorld) {
				w.validity = lie
				w.at(830)
				w.at(855)
				w.want(pm.TicketHanded)
				w.pays(0, 860, true)
				w.want(pm.TicketMined)
			})
		})
	}
}

// A ticket that is used and in no log stays, with the reason.
func TestPayoutInNoLog(t *testing.T) {
	runPayout(t, 1, func(w *payoutWorld) {
		w.secret = true
		w.pays(0, 730, false)
		for l1 := protocol.L1Block(820); l1 < 1300; l1 += 25 {
			w.at(l1)
		}
		w.want(pm.TicketHanded)
		if reason := w.won[0].Reason; !strings.HasPrefix(reason, string(fault.PayoutUnknown)) {
			t.Errorf("it stays because of %q", reason)
		}
	})
}
