package remotesigner

import (
	"context"
	"math/big"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
)

const (
	// maxAuthID bounds an auth id, in bytes. An auth id names the client that a payment is for.
	maxAuthID = 256
	// maxAuthIDs bounds the auth ids with a budget on one day.
	maxAuthIDs = 1 << 16
	// dayLayout is the layout of a day in UTC. Its text sorts by date.
	dayLayout = "2006-01-02"
	// clockBackAfter is for how long the clock must show an earlier day before the budget follows it.
	clockBackAfter = time.Hour
)

// BudgetStore stores on disk what was spent.
type BudgetStore interface {
	// Spent returns the stored day, "" for none, and what each auth id spent on it.
	Spent(ctx context.Context) (day string, spent map[string]core.Wei, err error)
	// Keep stores what an auth id has spent on a day, and deletes other days.
	Keep(ctx context.Context, day, authID string, spent core.Wei) error
	// Move renames the stored day.
	Move(ctx context.Context, from, to string) error
}

// Budget bounds what each auth id spends on a day (UTC), as the expected value of its tickets. Spending is on disk
// before a ticket is signed.
type Budget struct {
	store BudgetStore
	limit core.Wei
	board *health.Board

	mu    sync.Mutex
	day   string
	spent map[string]core.Wei
	// earlier are the latest days that ended by the clock, the oldest first.
	earlier []spentDay
	// behindSince is the time since which the clock shows a day before day; zero if it does not.
	behindSince time.Time
}

// maxEarlier bounds the days that are remembered.
const maxEarlier = 3

// spentDay is what each auth id spent on a day.
type spentDay struct {
	day   string
	spent map[string]core.Wei
}

// NewBudget makes a budget; a limit of 0 means no limit.
func NewBudget(store BudgetStore, limit core.Wei, board *health.Board) *Budget {
	return &Budget{store: store, limit: limit, board: board}
}

// take takes an amount from an auth id's budget and returns the day of the budget, for giveBack. The error is a refusal
// or the fault SignerBudgetFailed.
func (b *Budget) take(ctx context.Context, id string, amount pm.Value, now time.Time) (day string, err error) {
	if b.limit.IsZero() {
		return "", nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.openLocked(ctx, now); err != nil {
		return "", err
	}
	before, known := b.spent[id]
	if !known && len(b.spent) >= maxAuthIDs {
		return "", refuse(http.StatusTooManyRequests, "too many auth ids have a budget today")
	}
	after, err := core.WeiOf(new(big.Int).Add(before.Big(), amount.Ceil()))
	if earlier := b.spentEarlierLocked(id, now); err != nil || after.Add(earlier).Cmp(b.limit) > 0 {
		b.report(id, before.Add(earlier))
		return "", refuse(http.StatusTooManyRequests, "the daily limit of this auth id is reached")
	}
	return b.day, b.keepLocked(ctx, id, after)
}

// giveBack returns an amount that was taken and not signed for. It does nothing if the day of that budget is over. If
// the store fails, the amount stays spent.
func (b *Budget) giveBack(ctx context.Context, id string, amount pm.Value, day string) {
	if b.limit.IsZero() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if day != b.day {
		return
	}
	left := new(big.Int).Sub(b.spent[id].Big(), amount.Ceil())
	if after, err := core.WeiOf(left); err == nil {
		_ = b.keepLocked(context.WithoutCancel(ctx), id, after)
	}
}

// openLocked loads the budget, and begins a new one when a day begins. A clock that goes back to an earlier day begins
// no new budget, also across a restart: the day's limit could be spent twice. After clockBackAfter the budget takes the
// clock's day and keeps what was spent, with what was spent before the clock went ahead. So a clock that was once far
// ahead does not hold back all later budgets.
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
	day := now.UTC().Format(dayLayout)
	switch {
	case day == b.day:
		b.behindSince = time.Time{}
	case day > b.day:
		b.beginLocked(day)
		if b.board != nil {
			b.board.Clear(health.Key{Code: fault.SignerBudgetSpent})
		}
	case b.behindSince.IsZero() || now.Before(b.behindSince):
		b.behindSince = now
	case now.Sub(b.behindSince) >= clockBackAfter:
		if err := b.store.Move(ctx, b.day, day); err != nil {
			return fault.Wrap(fault.SignerBudgetFailed, op, err)
		}
		b.day, b.behindSince = day, time.Time{}
		b.addEarlierLocked()
	}
	return nil
}

// beginLocked begins a later day. The clock may have shown it before.
func (b *Budget) beginLocked(day string) {
	if len(b.earlier) == maxEarlier {
		b.earlier = slices.Delete(b.earlier, 0, 1)
	}
	if b.day != "" {
		b.earlier = append(b.earlier, spentDay{b.day, b.spent})
	}
	b.day, b.spent, b.behindSince = day, make(map[string]core.Wei), time.Time{}
	b.addEarlierLocked()
}

// spentEarlierLocked returns what an auth id spent on the remembered days that the clock shows again.
func (b *Budget) spentEarlierLocked(id string, now time.Time) core.Wei {
	var sum core.Wei
	day := now.UTC().Format(dayLayout)
	for i := range b.earlier {
		if e := &b.earlier[i]; e.day >= day {
			sum = sum.Add(e.spent[id])
		}
	}
	return sum
}

// addEarlierLocked adds what was spent on the remembered days from the budget's day on. It is stored with the next
// amount of an auth id.
func (b *Budget) addEarlierLocked() {
	b.earlier = slices.DeleteFunc(b.earlier, func(e spentDay) bool {
		if e.day < b.day {
			return false
		}
		for id, spent := range e.spent {
			b.spent[id] = b.spent[id].Add(spent)
		}
		return true
	})
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
