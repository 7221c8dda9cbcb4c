package apikeystore_test

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/apikeystore"
	"github.com/tuttinode/tutti/test/coretest"
)

// Whatever is recorded, in whatever pieces it is saved and by whatever it is summed up: the sums are what was paid, to
// the wei.
func TestSumsOnDiskAreExact(t *testing.T) {
	t.Parallel()
	huge, _ := core.ParseWei("123456789012345678901234567890")
	rapid.Check(t, func(rt *rapid.T) {
		s := open(t, t.TempDir())
		defer s.Close()
		var want core.Wei
		var p apikeys.Pending
		label := rapid.SampledFrom([]string{"", "a", "b"})
		for range rapid.IntRange(1, 60).Draw(rt, "requests") {
			paid := core.NewWei(rapid.Uint64().Draw(rt, "paid"))
			if rapid.Bool().Draw(rt, "huge") {
				paid = paid.Add(huge)
			}
			p.Add(&apikeys.Spend{SpendKey: apikeys.SpendKey{Day: rapid.SampledFrom([]string{"2026-03-04", "2026-03-05"}).Draw(rt,
				"day"), ID: label.Draw(rt, "key"), Model: label.Draw(rt, "model"), User: label.Draw(rt, "user"),
				Tags: label.Draw(rt, "tag")}, Requests: 1, Paid: paid})
			want = want.Add(paid)
			if rapid.Bool().Draw(rt, "save") {
				if err := s.AddSpend(t.Context(), p.Take()); err != nil {
					rt.Fatal(err)
				}
			}
		}
		if err := s.AddSpend(t.Context(), p.Take()); err != nil {
			rt.Fatal(err)
		}
		for _, by := range append(apikeys.SpendFields(), "") {
			list, err := s.Spend(t.Context(), apikeys.SpendQuery{By: []apikeys.SpendField{by}})
			if err != nil {
				rt.Fatal(err)
			}
			var sum core.Wei
			for i := range list {
				sum = sum.Add(list[i].Paid)
			}
			if sum.Cmp(want) != 0 {
				rt.Fatalf("by %q: %s, want %s", by, sum, want)
			}
		}
	})
}

// A client that invents users fills no disk, and what it paid is kept.
func TestUsersOfADayAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	var list []apikeys.Spend
	for i := range apikeys.MaxLabelsPerDay + 10 {
		list = append(list, apikeys.Spend{SpendKey: apikeys.SpendKey{Day: "2026-03-04", ID: "k",
			User: time.Duration(i).String()},
			Requests: 1, Paid: core.NewWei(1)})
	}
	want(t, s.AddSpend(t.Context(), list), "")
	rows, err := s.Spend(t.Context(), apikeys.SpendQuery{By: []apikeys.SpendField{apikeys.ByUser}})
	want(t, err, "")
	if len(rows) != apikeys.MaxLabelsPerDay+1 || rows[0].User != apikeys.OtherLabels || rows[0].Requests != 10 {
		t.Errorf("%d rows, the first %+v", len(rows), rows[0])
	}
}

// A client that invents models fills no disk either, and what it paid is kept. A query for more rows than it allows is
// refused.
func TestModelsOfADayAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	const most = apikeys.MaxLabelsPerDay + apikeys.MaxModelsPerDay
	var list []apikeys.Spend
	for i := range most + 10 {
		list = append(list, apikeys.Spend{SpendKey: apikeys.SpendKey{Day: "2026-03-04", ID: "k",
			Model: time.Duration(i).String()}, Requests: 1, Paid: core.NewWei(1)})
	}
	want(t, s.AddSpend(t.Context(), list), "")
	byModel := []apikeys.SpendField{apikeys.ByModel}
	rows, err := s.Spend(t.Context(), apikeys.SpendQuery{By: byModel, Most: most + 1})
	want(t, err, "")
	if len(rows) != most+1 || rows[0].Model != apikeys.OtherLabels || rows[0].Paid.Cmp(core.NewWei(10)) != 0 {
		t.Errorf("%d rows, the first %+v", len(rows), rows[0])
	}
	_, err = s.Spend(t.Context(), apikeys.SpendQuery{By: byModel, Most: most})
	want(t, err, fault.RequestUnreadable)
}

// The operator is notified of a key that used most of its budget, until the budget is raised; what it spent survives a
// restart.
func TestBudgetAlert(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	k, stop := running(t, apikeystore.Options{Dir: dir, Board: board})
	made, secret, err := k.Store().Create(t.Context(), apikeys.Key{Name: "app", Limits: apikeys.Limits{Alert: 80,
		Budget: apikeys.Budget{Wei: core.NewWei(100), Period: apikeys.Month}}}, time.Now(), zeros{})
	want(t, err, "")
	want(t, k.Load(t.Context()), "")
	grant, err := k.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 1})
	want(t, err, "")
	settle, err := apikeys.NewBill(grant).Hold(core.NewWei(90))
	want(t, err, "")
	settle(core.NewWei(85), false)
	grant.Settle(inference.Usage{}, false)
	k.Spent(&apikeys.Spend{SpendKey: apikeys.SpendKey{Day: "2026-03-04", ID: made.ID}, Paid: core.NewWei(85)})
	alert := func() bool {
		for _, c := range board.Snapshot() {
			if c.Code == fault.BudgetAlert && c.About == "app" {
				return true
			}
		}
		return false
	}
	until(t, "the alert is set", alert)
	_, err = k.Store().SetLimits(t.Context(), "app", time.Now(), func(k *apikeys.Key) error {
		k.Budget.Wei = core.NewWei(1000)
		return nil
	})
	want(t, err, "")
	want(t, k.Load(t.Context()), "")
	until(t, "the alert is cleared", func() bool { return !alert() })
	stop()
	k, _ = running(t, apikeystore.Options{Dir: dir})
	if s, ok := k.State(secret); !ok || s.Usage.Paid.Cmp(core.NewWei(85)) != 0 ||
		s.Key.Budget.Wei.Cmp(core.NewWei(1000)) != 0 || s.Key.Alert != 80 || time.Since(s.Usage.Last) > time.Hour {
		t.Errorf("%+v", s)
	}
	list, err := k.Spend(t.Context(), apikeys.SpendQuery{ID: made.ID, One: true})
	want(t, err, "")
	if len(list) != 1 || list[0].Paid.Cmp(core.NewWei(85)) != 0 {
		t.Errorf("%+v", list)
	}
}

// A key's alert is logged once in a period, and once more when nothing is left; the next period ends it, also for a key
// without requests then.
func TestBudgetAlertOncePerPeriod(t *testing.T) {
	t.Parallel()
	clock := coretest.NewClock(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	var log lines
	board := health.New(slog.New(slog.NewTextHandler(&log, nil)), clock.Now, nil)
	k, _ := running(t, apikeystore.Options{Dir: t.TempDir(), Board: board, Now: clock.Now})
	_, secret, err := k.Store().Create(t.Context(), apikeys.Key{Name: "app", Limits: apikeys.Limits{Alert: 50,
		Budget: apikeys.Budget{Wei: core.NewWei(100), Period: apikeys.Month}}}, clock.Now(), zeros{})
	want(t, err, "")
	want(t, k.Load(t.Context()), "")
	use := func(wei uint64) {
		grant, err := k.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 1})
		want(t, err, "")
		settle, err := apikeys.NewBill(grant).Hold(core.NewWei(wei))
		want(t, err, "")
		settle(core.NewWei(wei), false)
		grant.Settle(inference.Usage{}, false)
		k.Spent(&apikeys.Spend{SpendKey: apikeys.SpendKey{Day: "2026-03-04"}, Requests: 1})
	}
	logged := func() int { return strings.Count(log.String(), `msg="condition set"`) }
	// Alerts are looked at before spend is saved.
	var uses int64
	looked := func() {
		t.Helper()
		uses++
		until(t, "alerts are looked at", func() bool {
			rows, err := k.Store().Spend(t.Context(), apikeys.SpendQuery{})
			return err == nil && len(rows) == 1 && rows[0].Requests == uses
		})
	}
	for month := 1; month <= 2; month++ {
		for i, step := range []struct {
			wei uint64
			log int
		}{{40, 0}, {20, 1}, {20, 1}, {20, 2}} {
			use(step.wei)
			looked()
			if step.log > 0 {
				until(t, "the condition", func() bool { return !board.Healthy() })
			}
			n := 2*(month-1) + step.log
			until(t, fmt.Sprintf("%d lines in the log after step %d", n, i), func() bool { return logged() == n })
		}
		clock.Set(clock.Now().AddDate(0, 1, 0))
		until(t, "the next month", board.Healthy)
	}
	if logged() != 4 {
		t.Errorf("logged %d times:\n%s", logged(), log.String())
	}
}

// lines is a log for several goroutines.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// zeros is randomness that is no surprise.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Of more keys than are shown the same ones are: conditions that come and go would notify the operator each second.
func TestAlertsOfManyKeysStay(t *testing.T) {
	t.Parallel()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	var list []apikeys.Key
	for i := range 120 {
		id := "k-" + time.Duration(i).String()
		list = append(list, apikeys.Key{ID: id, Name: id, Hash: apikeys.HashOf(id), Limits: apikeys.Limits{Alert: 1,
			Budget: apikeys.Budget{Tokens: 10, Period: apikeys.Total}}})
	}
	k, _ := running(t, apikeystore.Options{Dir: t.TempDir(), Board: board})
	k.SetStatic(list)
	for _, key := range list {
		grant, err := k.Admit(t.Context(), key.ID, apikeys.Need{MaxTokens: 10})
		want(t, err, "")
		grant.Settle(inference.Usage{Completion: 10}, true)
	}
	shown := func() map[string]bool {
		about := make(map[string]bool)
		for _, c := range board.Snapshot() {
			about[c.About] = c.Code == fault.BudgetAlert
		}
		return about
	}
	slices.SortFunc(list, func(a, b apikeys.Key) int { return strings.Compare(a.Name, b.Name) })
	first := make(map[string]bool)
	for _, key := range list[:100] {
		first[key.Name] = true
	}
	until(t, "the first 100 keys are shown", func() bool { return maps.Equal(shown(), first) })
	for round := range 5 { // what was spent is saved after a look at the alerts
		k.Spent(&apikeys.Spend{SpendKey: apikeys.SpendKey{Day: "2026-03-04", ID: "k"}, Requests: 1})
		until(t, "spend is saved", func() bool {
			rows, err := k.Store().Spend(t.Context(), apikeys.SpendQuery{})
			return err == nil && len(rows) == 1 && rows[0].Requests > int64(round)
		})
		if now := shown(); !maps.Equal(now, first) {
			t.Fatalf("round %d: %d keys are shown, or others", round, len(now))
		}
	}
}
