package remotesigner

import (
	"context"
	"math/big"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
)

const (
	// maxAuthID bounds the name of a payer, in bytes.
	maxAuthID = 256
	// maxPayers bounds how many auth ids may pay on one day.
	maxPayers = 1 << 16
	// dayForm is how days are written, in UTC; they compare as the days do.
	dayForm = "2006-01-02"
	// clockSettles is for how long the clock has to show an earlier day before that is believed.
	clockSettles = time.Hour
)

// BudgetStore keeps on disk what was spent.
type BudgetStore interface {
	// Spent returns the latest day that is kept, "" for none, and what each auth id spent on it.
	Spent(ctx context.Context) (day string, spent map[string]core.Wei, err error)
	// Keep writes what one has spent on a day, and drops other days.
	Keep(ctx context.Context, day, authID string, spent core.Wei) error
	// Move makes what is kept of one day that of another.
	Move(ctx context.Context, from, to string) error
}

// Budget bounds what each auth id spends on a day (UTC): the expected value of its tickets. What is taken is on disk
// before a ticket is signed.
type Budget struct {
	store BudgetStore
	limit core.Wei
	board *health.Board

	mu    sync.Mutex
	day   string
	spent map[string]core.Wei
	// behindSince is since when the clock shows an earlier day, zero when it does not.
	behindSince time.Time
}

// NewBudget makes a budget; a limit of 0 is none.
func NewBudget(store BudgetStore, limit core.Wei, board *health.Board) *Budget {
	return &Budget{store: store, limit: limit, board: board}
}

// take takes an amount from an auth id's budget. Errors are a refusal and the fault SignerBudgetFailed.
func (b *Budget) take(ctx context.Context, id string, amount pm.Value, now time.Time) error {
	if b.limit.IsZero() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.openLocked(ctx, now); err != nil {
		return err
	}
	before, known := b.spent[id]
	if !known && len(b.spent) >= maxPayers {
		return refuse(http.StatusTooManyRequests, "too many auth ids were paid for today")
	}
	after, err := core.WeiOf(new(big.Int).Add(before.Big(), amount.Ceil()))
	if err != nil || after.Cmp(b.limit) > 0 {
		b.report(id, before)
		return refuse(http.StatusTooManyRequests, "the daily limit of this auth id is reached")
	}
	return b.keepLocked(ctx, id, after)
}

// giveBack returns what was taken and not signed for. If that fails the day's budget is smaller.
func (b *Budget) giveBack(ctx context.Context, id string, amount pm.Value, now time.Time) {
	if b.limit.IsZero() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.UTC().Format(dayForm) > b.day {
		return
	}
	left := new(big.Int).Sub(b.spent[id].Big(), amount.Ceil())
	if after, err := core.WeiOf(left); err == nil {
		_ = b.keepLocked(context.WithoutCancel(ctx), id, after)
	}
}

// openLocked begins a day. A clock that goes back to an earlier day begins no new budget, also over a restart; after an
// hour the budget is that of the clock's day, with what was spent, so that it does not last for as long as a clock was
// ahead.
func (b *Budget) openLocked(ctx context.Context, now time.Time) error {
	const op = "read what was spent today"
	if b.spent == nil {
		day, spent, err := b.store.Spent(ctx)
		if err != nil {
			return fault.Wrap(fault.SignerBudgetFailed, op, err)
		}
		if spent == nil {
			spent = make(map[string]core.Wei)
		}
		b.day, b.spent = day, spent
	}
	day := now.UTC().Format(dayForm)
	switch {
	case day == b.day:
		b.behindSince = time.Time{}
	case day > b.day:
		b.day, b.spent, b.behindSince = day, make(map[string]core.Wei), time.Time{}
		if b.board != nil {
			b.board.Clear(health.Key{Code: fault.SignerBudgetSpent})
		}
	case b.behindSince.IsZero() || now.Before(b.behindSince):
		b.behindSince = now
	case now.Sub(b.behindSince) >= clockSettles:
		if err := b.store.Move(ctx, b.day, day); err != nil {
			return fault.Wrap(fault.SignerBudgetFailed, op, err)
		}
		b.day, b.behindSince = day, time.Time{}
	}
	return nil
}

func (b *Budget) keepLocked(ctx context.Context, id string, after core.Wei) error {
	if err := b.store.Keep(ctx, b.day, id, after); err != nil {
		return fault.Wrap(fault.SignerBudgetFailed, "write what was spent today", err)
	}
	b.spent[id] = after
	return nil
}

func (b *Budget) report(id string, spent core.Wei) {
	if b.board == nil {
		return
	}
	if id == "" {
		id = "callers without an auth id"
	}
	b.board.Set(health.Key{Code: fault.SignerBudgetSpent}, id+": "+spent.String()+" wei of "+b.limit.String())
}
