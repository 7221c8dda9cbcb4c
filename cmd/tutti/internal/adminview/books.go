package adminview

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/earnings"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/admin"
)

// LookTimeout bounds how long a look at gateways waits for the chain.
const LookTimeout = 5 * time.Second

// winningTickets are the ledger's, for the admin API.
type winningTickets struct{ *ledger.Reader }

// NewTickets shows the winning tickets of a ledger.
func NewTickets(books *ledger.Reader) admin.Tickets { return winningTickets{books} }

// Winners returns the newest first.
func (w winningTickets) Winners(ctx context.Context, f admin.TicketFilter) ([]pm.Winner, error) {
	filter := ledger.Filter{Sender: f.Gateway, Hash: f.Hash, Limit: f.Limit, Before: f.Before}
	if f.State != "" {
		filter.States = []pm.TicketState{f.State}
	}
	return w.Reader.Winners(ctx, filter)
}

// PayingGateways are those that have accounts.
type PayingGateways struct {
	Recipient *recipient.Recipient
	// Redeemer is nil where another process redeems.
	Redeemer interface {
		Pending(sender core.Address) core.Wei
	}
}

// Payers returns the gateways with their accounts and their money on the chain.
func (p PayingGateways) Payers(ctx context.Context) []adminapi.Payer {
	ctx, cancel := context.WithTimeout(ctx, LookTimeout)
	defer cancel()
	snap := p.Recipient.Snapshot(ctx)
	accounts := make(map[core.Address][]adminapi.PayerAccount)
	for _, a := range snap.Accounts {
		sender := a.Account.Sender
		accounts[sender] = append(accounts[sender], adminapi.PayerAccount{
			Key: string(a.Account.Key), Balance: earnings.Decimal(a.Balance), InHand: earnings.Decimal(a.InProgress),
		})
	}
	var out []adminapi.Payer
	for _, s := range snap.Senders {
		payer := adminapi.Payer{
			Gateway: s.Sender, Deposit: s.Funds.Deposit, Reserve: s.Funds.Reserve.FundsRemaining, MaxFloat: s.MaxFloat,
			Accounts: accounts[s.Sender],
		}
		if p.Redeemer != nil {
			payer.Waiting = p.Redeemer.Pending(s.Sender)
		}
		out = append(out, payer)
	}
	return out
}

// income reports what the ledger and the memory of rewards have.
type income struct {
	reports  *remembered[earnings.By, *earnings.Income]
	workers  *remembered[struct{}, *earnings.Workers]
	overview *remembered[struct{}, *earnings.Overview]
}

// NewIncome reports what books and rewards hold; round is the present one.
func NewIncome(books *ledger.Summary, rewards func() protocol.RewardStatus, round func() protocol.Round) income {
	return income{
		reports: newRemembered(time.Now, func(ctx context.Context, by earnings.By) (*earnings.Income, error) {
			totals, err := books.Totals(ctx, by.Query())
			if err != nil {
				return nil, err
			}
			return earnings.MakeIncome(by, totals, rewardsOf(rewards())), nil
		}),
		workers: newRemembered(time.Now, func(ctx context.Context, _ struct{}) (*earnings.Workers, error) {
			totals, err := books.Totals(ctx, earnings.WorkersQuery())
			if err != nil {
				return nil, err
			}
			return earnings.MakeWorkers(totals), nil
		}),
		overview: newRemembered(time.Now, func(ctx context.Context, _ struct{}) (*earnings.Overview, error) {
			totals, err := books.Totals(ctx, earnings.OverviewQuery())
			if err != nil {
				return nil, err
			}
			return earnings.MakeOverview(totals, rewardsOf(rewards()), ledger.DayOf(time.Now()), round()), nil
		}),
	}
}

// Income returns what was earned.
func (i income) Income(ctx context.Context, by earnings.By) (*earnings.Income, error) {
	return i.reports.get(ctx, by)
}

// Workers returns which worker did which part of it.
func (i income) Workers(ctx context.Context) (*earnings.Workers, error) {
	return i.workers.get(ctx, struct{}{})
}

// Overview returns all of it at one moment.
func (i income) Overview(ctx context.Context) (*earnings.Overview, error) {
	return i.overview.get(ctx, struct{}{})
}

// rewardsOf returns the rounds whose reward is remembered.
func rewardsOf(s protocol.RewardStatus) (out []earnings.Reward) {
	for _, p := range s.History {
		if !p.Amount.IsZero() {
			out = append(out, earnings.Reward{Round: p.Round, At: p.Time, Amount: p.Amount})
		}
	}
	return out
}

// spending reports what a gateway paid.
type spending struct {
	reports *remembered[struct{}, *earnings.Spending]
}

// NewSpending reports what store holds, and what is left in a sender's balances.
func NewSpending(store *paymentlog.Store, balances func() []sender.Held) spending {
	return spending{newRemembered(time.Now, func(ctx context.Context, _ struct{}) (*earnings.Spending, error) {
		totals, err := store.Totals(ctx, earnings.SpendingQuery())
		if err != nil {
			return nil, err
		}
		writtenOff, err := store.WriteOffs(ctx)
		if err != nil {
			return nil, err
		}
		var left pm.Value
		for _, b := range balances() {
			left = left.Add(b.Value)
		}
		return earnings.MakeSpending(totals, left, writtenOff), nil
	})}
}

// Spending returns what was paid to which orchestrator for what.
func (s spending) Spending(ctx context.Context) (*earnings.Spending, error) {
	return s.reports.get(ctx, struct{}{})
}

// credits are what orchestrators were paid and have not worked for.
type credits struct{ sender *sender.Sender }

// NewCredits shows what orchestrators owe for payments of this gateway.
func NewCredits(s *sender.Sender) admin.Credits { return credits{s} }

// Credits returns the largest first.
func (c credits) Credits() []adminapi.Credit {
	all := c.sender.Credits()
	slices.SortFunc(all, func(a, b sender.Credit) int {
		return cmp.Or(b.Unworked.Cmp(a.Unworked), strings.Compare(a.Payee, b.Payee))
	})
	wei := func(v pm.Value) core.Wei {
		w, _ := core.WeiOf(v.Floor()) // never negative
		return w
	}
	out := make([]adminapi.Credit, 0, len(all))
	for _, k := range all {
		out = append(out, adminapi.Credit{
			Orchestrator: k.Payee, Unworked: wei(k.Unworked), InProgress: wei(k.InProgress), Bound: wei(k.Bound),
			Stopped: k.Stopped, Balance: wei(k.Balance),
		})
	}
	return out
}

// Forgive takes an account in any letters.
func (c credits) Forgive(orchestrator string) error {
	if a, err := core.ParseAddress(orchestrator); err == nil {
		orchestrator = a.String()
	}
	if !c.sender.Forgive(orchestrator) {
		return fault.New(fault.CreditUnknown, "forgive an orchestrator", orchestrator)
	}
	return nil
}
