package remotesigner

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

var start = time.Date(2026, 11, 22, 23, 59, 0, 0, time.UTC) // Read-only.

func TestUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ   Type
		since time.Duration // before any payment if negative
		asked int64
		want  int64 // refused if 0
	}{
		{Live, -1, 0, firstLive},
		{Live, 1, 0, 1},
		{Live, time.Second, 0, 1},
		{Live, 1001 * time.Millisecond, 0, 2},
		{Video, -1, 0, 60 * 1280 * 720 * 30},
		{Video, time.Second, 0, 1280 * 720 * 30},
		{Video, 1500 * time.Millisecond, 0, 1280 * 720 * 45},
		{Fixed, -1, 0, 1},
		{Fixed, time.Hour, 99, 1},
		{"", -1, 99, 99},
		{"", time.Hour, 0, 0},
		{"", time.Hour, -5, 0},
		{"other", time.Hour, 99, 0},
	} {
		state := &State{LastUpdate: start}
		if c.since < 0 {
			state.LastUpdate = time.Time{}
		}
		ask := &Ask{Type: c.typ, Units: c.asked}
		if got, err := ask.units(state, start.Add(max(0, c.since))); got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
	if got, err := (&Ask{Type: Live}).units(&State{LastUpdate: start}, start.Add(-time.Hour)); got != 0 || err != nil {
		t.Errorf("a clock that was set back: %d, %v", got, err)
	}
}

func TestHighestPrice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		price, currency, unit string
		typ                   Type
		want                  string
	}{
		{"1.5", "wei", "seconds", Live, "3/2"},
		{"2", "wei", "720p-pixel-seconds", Video, "2"},
		{"2", "wei", "fixed", Fixed, "2"},
		{"2", "wei", "fixed", Live, ""},
		{"2", "usd", "fixed", Fixed, ""},
		{"2", "wei", "", "", ""},
		{"0", "wei", "fixed", Fixed, ""},
		{"-1", "wei", "fixed", Fixed, ""},
		{"1/3", "wei", "fixed", Fixed, ""},
		{"1e999999999", "wei", "fixed", Fixed, ""},
		{"", "wei", "fixed", Fixed, ""},
	} {
		got, err := (&MaxPrice{Price: json.Number(c.price), Currency: c.currency, Unit: c.unit}).rat(c.typ)
		if (err == nil) != (c.want != "") || err == nil && got.RatString() != c.want {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

// What a session has paid, less what its work cost, is its balance; and no ticket is more than it needs.
func TestBalanceOfASession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		face, err := core.WeiOf(big.NewInt(rapid.Int64Range(1, 1e15).Draw(t, "face value")))
		if err != nil {
			t.Fatal(err)
		}
		params := &pm.Params{FaceValue: face}
		for i := range params.WinProb {
			params.WinProb[i] = rapid.Byte().Draw(t, "win probability")
		}
		terms := sender.NewTerms(sender.Terms{Params: params})
		if terms.EV().Sign() <= 0 {
			return
		}
		s := New(Options{Now: time.Now})
		state := &State{Balance: "0", InitialPixelsPerUnit: rapid.Int64Range(1, 1000).Draw(t, "pixels per unit"),
			InitialPricePerUnit: rapid.Int64Range(1, 1e9).Draw(t, "price")}
		paid, cost, first := pm.Value{}, pm.Value{}, true
		for range rapid.IntRange(1, 20).Draw(t, "payments") {
			units := rapid.Int64Range(1, 1e7).Draw(t, "units")
			next, n, err := s.next(&Ask{Terms: terms}, state, units, start, first)
			if err != nil {
				if r, ok := errors.AsType[*Refusal](err); !ok || r.Status != StatusNoTickets && r.Status != http.StatusBadRequest {
					t.Fatal(err)
				}
				continue
			}
			fee := state.price().Of(units)
			if balance, _ := state.Left(); balance.Add(terms.EV().Times(int64(n-1))).Cmp(fee) >= 0 {
				t.Fatalf("%d tickets are more than %d units need", n, units)
			}
			paid, cost, state, first = paid.Add(terms.EV().Times(int64(n))), cost.Add(fee), next, false
			if balance, ok := state.Left(); !ok || balance.Sign() < 0 || !balance.Equal(paid.Sub(cost)) {
				t.Fatalf("balance %s, paid %s for %s", state.Balance, paid, cost)
			}
		}
	})
}

// However often and in whatever order a session's states come, each is paid for once.
func TestStatesArePaidOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u, latest := newUsedStates(), uint64(0)
		paid, answers := map[uint64]int{}, map[uint64]*Answer{}
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			number := rapid.Uint64Range(1, latest+1).Draw(t, "number")
			fails := rapid.IntRange(0, 4).Draw(t, "outcome") == 0
			got, err := u.once(t.Context(), &State{StateID: "a", SequenceNumber: number}, start, func() (*Answer, error) {
				if fails {
					return nil, errNotPaid
				}
				paid[number]++
				answers[number] = &Answer{}
				return answers[number], nil
			})
			switch {
			case err == nil && got != answers[number]:
				t.Fatalf("state %d got another's answer", number)
			case paid[number] > 1:
				t.Fatalf("state %d paid twice", number)
			case err == nil:
				latest = max(latest, number)
			}
		}
	})
}

// Requests with one state at the same time get one payment.
func TestOneStateAtOnce(t *testing.T) {
	t.Parallel()
	u, payments := newUsedStates(), atomic.Int32{}
	answers := make(chan *Answer, 16)
	var all sync.WaitGroup
	for range cap(answers) {
		all.Go(func() {
			a, err := u.once(t.Context(), &State{StateID: "a", SequenceNumber: 1}, start, func() (*Answer, error) {
				payments.Add(1)
				return &Answer{}, nil
			})
			if err != nil {
				t.Error(err)
			}
			answers <- a
		})
	}
	all.Wait()
	close(answers)
	first := <-answers
	for a := range answers {
		if a != first {
			t.Error("another answer")
		}
	}
	if n := payments.Load(); n != 1 {
		t.Errorf("%d payments", n)
	}
}

func TestRememberedStatesAreBounded(t *testing.T) {
	t.Parallel()
	u := newUsedStates()
	pay := func() (*Answer, error) { return &Answer{}, nil }
	for n := range 3 * maxUsed {
		if _, err := u.once(t.Context(), &State{StateID: string(rune(n + 1))}, start, pay); err != nil {
			t.Fatal(err)
		}
	}
	if len(u.sessions) > maxUsed || u.order.Len() != len(u.sessions) {
		t.Errorf("%d sessions, %d in order", len(u.sessions), u.order.Len())
	}
	_, err := u.once(t.Context(), &State{StateID: "later"}, start.Add(usedLife), pay)
	if err != nil || len(u.sessions) != 1 {
		t.Errorf("%d sessions after their time, %v", len(u.sessions), err)
	}
}

// disk keeps budgets, and fails when it is told to.
type disk struct {
	day   string
	spent map[string]core.Wei
	full  bool
}

var errFull = errors.New("no space left on device") // Read-only.

func (d *disk) Spent(context.Context) (string, map[string]core.Wei, error) {
	return d.day, maps.Clone(d.spent), nil
}

func (d *disk) Keep(_ context.Context, day, id string, spent core.Wei) error {
	if d.full {
		return errFull
	}
	if d.day != day || d.spent == nil {
		d.day, d.spent = day, make(map[string]core.Wei)
	}
	d.spent[id] = spent
	return nil
}

func (d *disk) Move(_ context.Context, from, to string) error {
	if d.full {
		return errFull
	}
	if d.day == from {
		d.day = to
	}
	return nil
}

// No auth id gets more than a day's limit before the clock shows a day later than any before, over restarts, full disks
// and clocks that are set back.
func TestBudgetOfADay(t *testing.T) {
	t.Parallel()
	const limit = 100
	most, err := core.WeiOf(big.NewInt(limit))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := &disk{}
		b, now := NewBudget(d, most, nil), start
		latest, kept := start, start // days that were used, and kept on the disk
		got := map[string]int64{}    // of a day and an auth id
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			id := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "auth id")
			amount := rapid.Int64Range(1, limit+1).Draw(t, "amount")
			value := pm.ValueOf(big.NewRat(amount, 1))
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				b, latest = NewBudget(d, most, nil), kept
			case 1:
				// Less than an hour back: what a clock shows for longer is believed, see TestBudgetOfAClockThatWasAhead.
				now = now.Add(time.Duration(rapid.IntRange(-59, 1200).Draw(t, "minutes")) * time.Minute)
				if latest.Sub(now) >= clockBackAfter {
					now = latest
				}
			case 2:
				d.full = !d.full
			default:
				latest = later(latest, now)
				day := latest.Format(dayLayout)
				taken, err := b.take(t.Context(), id, value, now)
				if err != nil {
					// On an earlier day than the latest, what was spent on both counts.
					if !d.full && got[day+id]+amount <= limit && day == now.Format(dayLayout) {
						t.Fatalf("%q is refused %d after %d: %v", id, amount, got[day+id], err)
					}
					continue
				}
				if got[day+id] += amount; d.full || got[day+id] > limit {
					t.Fatalf("%q got %d on %s, the disk is full: %v", id, got[day+id], day, d.full)
				}
				kept = latest
				if rapid.Bool().Draw(t, "given back") && !d.full {
					b.giveBack(t.Context(), id, value, taken)
					got[day+id] -= amount
				}
			}
		}
	})
}

// What was taken on a day and is given back on the next adds nothing to the next day's budget.
func TestBudgetGivenBackTheNextDay(t *testing.T) {
	t.Parallel()
	limit := core.NewWei(100)
	b := NewBudget(&disk{}, limit, nil)
	first, err := b.take(t.Context(), "a", pm.WeiValue(limit), start)
	if err != nil {
		t.Fatal(err)
	}
	next := start.AddDate(0, 0, 1)
	if _, err := b.take(t.Context(), "a", pm.WeiValue(limit), next); err != nil {
		t.Fatal(err)
	}
	b.giveBack(t.Context(), "a", pm.WeiValue(limit), first)
	if _, err := b.take(t.Context(), "a", pm.WeiValue(core.NewWei(1)), next); err == nil {
		t.Error("more than a day's budget")
	}
}

// A clock that was ahead, and is put right, gives no second budget, and keeps the first no longer than a day.
func TestBudgetOfAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	limit := core.NewWei(100)
	for _, restart := range []bool{false, true} {
		d := &disk{}
		b := NewBudget(d, limit, nil)
		take := func(at time.Time) bool {
			_, err := b.take(t.Context(), "a", pm.WeiValue(limit), at)
			return err == nil
		}
		ahead := start.AddDate(1, 0, 0)
		if !take(start) || take(start) || !take(ahead) {
			t.Fatal("not one budget a day")
		}
		if restart {
			b = NewBudget(d, limit, nil)
		}
		for _, since := range []time.Duration{0, 30 * time.Second, clockBackAfter + time.Minute, 23 * time.Hour} {
			if take(start.AddDate(0, 0, -1).Add(since)) {
				t.Errorf("restarted %v: a second budget %v after the clock was put right", restart, since)
			}
		}
		if !take(start.Add(2 * time.Minute)) {
			t.Errorf("restarted %v: no budget the next day", restart)
		}
	}
}

// What was spent on a day counts when the clock returns to it from a later one, at once and later.
func TestAClockThatGoesAheadAndBackOpensNoSecondDay(t *testing.T) {
	t.Parallel()
	b := NewBudget(&disk{}, core.NewWei(100), nil)
	take := func(n uint64, at time.Time) bool {
		_, err := b.take(t.Context(), "a", pm.WeiValue(core.NewWei(n)), at)
		return err == nil
	}
	noon := start.UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)
	next := noon.AddDate(0, 0, 1)
	if !take(90, noon) || !take(5, next) {
		t.Fatal("refused at first")
	}
	if back := noon.Add(time.Second); take(6, back) || !take(5, back) || take(1, back) {
		t.Error("what was spent before does not count at once")
	}
	if settled := noon.Add(time.Second + clockBackAfter); take(1, settled) {
		t.Error("what was spent before does not count later")
	}
	if !take(100, next) || take(1, next) {
		t.Error("not one budget on the next day")
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
