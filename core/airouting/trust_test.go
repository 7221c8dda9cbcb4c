package airouting_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/airouting"
)

// lose lets attempts end that were paid for in vain.
func lose(t *testing.T, table *airouting.Table, now time.Time, n int, l airouting.Loss) {
	t.Helper()
	for range n {
		lease := pick(t, table, now, airouting.Query{})
		lease.Lost(now, l)
		lease.Done(now, airouting.Refused)
	}
}

func TestHowManyLossesMakeOneRest(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		loss  airouting.Loss
		times int
	}{
		"no reason": {airouting.Default, 1}, "the request, it says": {airouting.RefusedLoss, 8},
		"paid again": {airouting.Repaid, 11}, "no room": {airouting.SmallLoss, 64},
	} {
		table := tableOf(warm("a"))
		lose(t, table, t0, row.times-1, row.loss)
		if resting(t, table, t0) {
			t.Errorf("%s: it rests before %d", name, row.times)
		}
		lose(t, table, t0, 1, row.loss)
		if !resting(t, table, t0) || table.Statuses(t0)[0].Resting.IsZero() {
			t.Errorf("%s: it does not rest after %d", name, row.times)
		}
	}
	table := tableOf(warm("a"))
	lose(t, table, t0, 1000, airouting.NoLoss)
	if resting(t, table, t0) {
		t.Error("it rests for nothing")
	}
}

// Being paid twice for every job is found out, being paid twice after a restart is
// forgiven.
func TestAnswersForgiveSome(t *testing.T) {
	t.Parallel()
	twice, restarts := tableOf(warm("a")), tableOf(warm("a"))
	for range 100 {
		if _, v := twice.Pick(t0, airouting.Query{}); v != airouting.Picked {
			break
		}
		lose(t, twice, t0, 1, airouting.Repaid)
		if resting(t, twice, t0) {
			break
		}
		serve(t, twice, t0, airouting.Query{}, ms)
	}
	if !resting(t, twice, t0) {
		t.Error("one that is paid twice each time does not rest")
	}
	for range 100 {
		lose(t, restarts, t0, 1, airouting.Repaid)
		serve(t, restarts, t0, airouting.Query{}, ms)
		serve(t, restarts, t0, airouting.Query{}, ms)
	}
	if resting(t, restarts, t0) {
		t.Error("one that restarts now and then rests")
	}
}

// debt is how long the only one rests: it is not asked before, not even as the last
// resort, and then with one job at a time.
func debt(t *testing.T, table *airouting.Table, now time.Time) time.Duration {
	t.Helper()
	for d := time.Duration(0); d <= time.Hour; d += time.Second {
		l, v := table.Pick(now.Add(d), airouting.Query{})
		if v != airouting.Picked {
			continue
		}
		if _, v := table.Pick(now.Add(d), airouting.Query{}); v != airouting.Resting || !l.Probe() {
			t.Error("a second one alongside the trial")
		}
		l.Done(now.Add(d), airouting.Abandoned)
		return d
	}
	t.Fatal("it never comes back")
	return 0
}

func TestRestsForLossesGrow(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	now, last := t0, time.Duration(0)
	for range 8 {
		lose(t, table, now, 1, airouting.Default)
		d := debt(t, table, now)
		if d < 8*time.Second || d > 5*time.Minute || d < last && last < 4*time.Minute {
			t.Errorf("%v after %v", d, last)
		}
		now, last = now.Add(d+time.Hour), d // time alone forgives nothing
	}
	if last < 4*time.Minute {
		t.Errorf("%v in the end", last)
	}
	for range 200 {
		serve(t, table, now, airouting.Query{}, ms)
	}
	lose(t, table, now, 1, airouting.Default)
	if d := debt(t, table, now); d > 10*time.Second {
		t.Errorf("%v after many answers", d)
	}
}

// An answer to a job from before the rest says nothing about the next one.
func TestAnOldAnswerEndsNoRestForLosses(t *testing.T) {
	t.Parallel()
	table := tableOf(warm("a"))
	old := pick(t, table, t0, airouting.Query{})
	now := t0.Add(ms)
	lose(t, table, now, 1, airouting.Default)
	old.FirstByte(now)
	if !resting(t, table, now) {
		t.Error("it is back")
	}
}

func TestANewNameIsNoNewStart(t *testing.T) {
	t.Parallel()
	named := func(uri string, owner byte) airouting.Offer {
		o := warm(uri)
		o.Asked, o.Owner, o.Registered = "asked", core.Address{owner}, true
		return o
	}
	for name, spoil := range map[string]func(*airouting.Table){
		"losses":   func(table *airouting.Table) { lose(t, table, t0, 1, airouting.Default) },
		"failures": func(table *airouting.Table) { fail(t, table, t0, 1, airouting.Unreachable) },
	} {
		for _, owner := range []byte{0, 7} {
			table := tableOf(named("a", owner))
			spoil(table)
			table.Remove("a")
			table.Put(named("b", owner))
			if !resting(t, table, t0) {
				t.Errorf("%s, owner %d: a new name makes it new", name, owner)
			}
			unknown := warm("c")
			unknown.Asked = "elsewhere"
			table.Put(unknown)
			if resting(t, table, t0) {
				t.Errorf("%s, owner %d: a stranger rests for it", name, owner)
			}
		}
	}
	// All of an owner's nodes rest for what one of them was paid for.
	table := tableOf(named("a", 7))
	second := named("b", 7)
	second.Asked = "another"
	lose(t, table, t0, 1, airouting.Default)
	if table.Put(second); !resting(t, table, t0) {
		t.Error("the owner's other node is paid")
	}
	// One that only says that it is the owner's spoils nothing for it.
	claims := named("c", 7)
	claims.Asked, claims.Registered = "elsewhere", false
	table = tableOf(claims)
	lose(t, table, t0, 1, airouting.Default)
	if table.Put(second); resting(t, table, t0) {
		t.Error("an owner rests for what another one was paid for in its name")
	}
}

// What an attempt in flight loses counts for the new name, too: a service URI can change while it is paid.
func TestANameThatChangesDuringAnAttempt(t *testing.T) {
	t.Parallel()
	named := func(uri string) airouting.Offer {
		o := warm(uri)
		o.Asked = "asked"
		return o
	}
	for name, spoil := range map[string]func(*airouting.Lease){
		"a loss":    func(l *airouting.Lease) { l.Lost(t0, airouting.Default) },
		"a failure": func(l *airouting.Lease) { l.Done(t0, airouting.Unreachable) },
	} {
		for _, back := range []string{"before", "after"} {
			table := tableOf(named("a"))
			l := pick(t, table, t0, airouting.Query{})
			table.Remove("a")
			if back == "before" {
				table.Put(named("b"))
			}
			spoil(l)
			l.Done(t0, airouting.Failed)
			if back == "after" {
				table.Put(named("b"))
			}
			if !resting(t, table, t0) {
				t.Errorf("%s, its new name came %s it: the new name is used", name, back)
			}
		}
	}
}

func TestBudgetOfLosses(t *testing.T) {
	t.Parallel()
	b := airouting.Budget{Window: time.Hour, Others: 100, MaxLost: big.NewRat(10, 1)}
	b.Lose(big.NewRat(9, 1))
	if !b.Pays() || !b.Again(0, airouting.Cost{}) {
		t.Error("9 of 10")
	}
	b.Lose(big.NewRat(1, 1))
	if b.Pays() || b.Again(0, airouting.Cost{}) {
		t.Error("10 of 10")
	}
	b = airouting.Budget{Window: time.Hour, Others: 100}
	n := 0
	for b.Pays() {
		b.Lose(big.NewRat(1, 3))
		n++
	}
	if n != 8 {
		t.Errorf("%d payments are lost", n)
	}
}
