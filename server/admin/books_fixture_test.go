package admin_test

import (
	"context"
	"math/big"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/earnings"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/server/admin"
)

// failedTicket is one that can be retried.
var failedTicket = protocol.Hash{0xfa, 31: 1}

// fakeBooks are a node's books in memory.
type fakeBooks struct {
	mu      sync.Mutex
	winners []pm.Winner
	asked   admin.TicketFilter
	retried []protocol.Hash
	broken  error
}

func winner(hash protocol.Hash, state pm.TicketState, won int64) pm.Winner {
	half, _ := protocol.WordOf(new(big.Int).Lsh(big.NewInt(1), 255))
	return pm.Winner{Hash: hash, Ticket: protocol.WinningTicket{Sender: other, Recipient: account,
		FaceValue: core.NewWei(5e15), WinProb: half, CreationRound: 100},
		ExpirationBlock: 500, Account: pm.Account{Sender: other, Key: "33_m"}, Credited: true, Won: time.Unix(won, 0),
		State: state, Since: time.Unix(won+60, 0)}
}

func newBooks() *fakeBooks {
	failed := winner(failedTicket, pm.TicketFailed, 1_700_000_100)
	failed.Tx, failed.GasFee, failed.Reason, failed.Attempts = protocol.TxHash{7}, core.NewWei(9), "=TxReverted: used", 2
	return &fakeBooks{winners: []pm.Winner{failed, winner(protocol.Hash{2}, pm.TicketFinal, 1_700_000_000)}}
}

// of are the books as the API takes them.
func (b *fakeBooks) of() admin.Books {
	return admin.Books{Tickets: b, RetryRedemption: b.Retry, Payers: b.Payers, Income: b, Spending: b.Spending, Credits: b}
}

func (b *fakeBooks) Credits() []adminapi.Credit {
	return []adminapi.Credit{{Orchestrator: "https://o.example:8935", Unworked: core.NewWei(5), Bound: core.NewWei(7),
		Stopped: true, Balance: core.NewWei(3)}}
}

func (b *fakeBooks) Forgive(orchestrator string) error {
	if orchestrator != "https://o.example:8935" {
		return fault.New(fault.CreditUnknown, "forgive an orchestrator", orchestrator)
	}
	return nil
}

func (b *fakeBooks) Winners(_ context.Context, f admin.TicketFilter) (out []pm.Winner, _ error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = f
	for _, w := range b.winners {
		if f.Hash.IsZero() || w.Hash == f.Hash {
			out = append(out, w)
		}
	}
	return out, b.broken
}

func (b *fakeBooks) Counts(context.Context) (map[pm.TicketState]int, error) {
	return map[pm.TicketState]int{pm.TicketFailed: 1, pm.TicketFinal: 1}, b.broken
}

func (b *fakeBooks) History(_ context.Context, hash protocol.Hash) ([]pm.Progress, error) {
	return []pm.Progress{{Hash: hash, State: pm.TicketWon, At: time.Unix(1_700_000_100, 0)},
		{Hash: hash, State: pm.TicketFailed, Tx: protocol.TxHash{7}, Reason: "=TxReverted: used",
			At: time.Unix(1_700_000_160, 0)}}, b.broken
}

func (b *fakeBooks) Retry(_ context.Context, hash protocol.Hash) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.winners {
		w := &b.winners[i]
		switch {
		case w.Hash != hash:
		case w.State != pm.TicketFailed:
			return fault.New(fault.TicketNotFailed, "retry a ticket", "it is "+string(w.State))
		default:
			w.State, w.Reason = pm.TicketQueued, ""
			b.retried = append(b.retried, hash)
			return nil
		}
	}
	return fault.New(fault.TicketUnknown, "retry a ticket", hash.String())
}

func (b *fakeBooks) Payers(context.Context) []adminapi.Payer {
	return []adminapi.Payer{{Gateway: other, Deposit: core.NewWei(5),
		Accounts: []adminapi.PayerAccount{{Key: "33_m", Balance: "-1.5", InHand: "0"}}}}
}

func totals() []ledger.Total {
	return []ledger.Total{
		{Key: ledger.Key{Day: 20000, Round: 100, Sender: other, Pipeline: "llm", Model: "m"}, Tickets: 4,
			Received: pm.ValueOf(big.NewRat(10, 3)), Winners: 1, Won: pm.WeiValue(core.NewWei(9))},
		{Key: ledger.Key{Day: 20000, Round: 100, Sender: other, Pipeline: "llm", Model: "m", Worker: "gpu"}, Jobs: 2,
			Units: big.NewInt(7), Billed: pm.WeiValue(core.NewWei(3))},
	}
}

func (b *fakeBooks) Income(_ context.Context, by earnings.By) (*earnings.Income, error) {
	rewards := []earnings.Reward{{Round: 100, At: time.Unix(20000*86400, 0), Amount: core.NewLPT(6)}}
	return earnings.MakeIncome(by, totals(), rewards), b.broken
}

func (b *fakeBooks) Workers(context.Context) (*earnings.Workers, error) {
	return earnings.MakeWorkers(totals()), b.broken
}

func (b *fakeBooks) Overview(context.Context) (*earnings.Overview, error) {
	return earnings.MakeOverview(totals(), nil, 20000, 100), b.broken
}

func (b *fakeBooks) Spending(context.Context) (*earnings.Spending, error) {
	return earnings.MakeSpending([]paymentlog.Total{{Group: paymentlog.Group{Day: "2026-03-01", Recipient: account,
		Pipeline: "llm", Model: "m"}, Payments: 1, Tickets: 2, Value: pm.WeiValue(core.NewWei(8))}},
		pm.WeiValue(core.NewWei(3)), []paymentlog.WriteOff{{Day: "2026-03-01", Reason: paymentlog.Idle,
			Value: pm.WeiValue(core.NewWei(4))}}), b.broken
}
