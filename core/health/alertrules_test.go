package health_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// bench is rules on a board's state that the test sets, with a clock of its own.
type rulesTest struct {
	rules *health.AlertRules
	now   time.Time
	set   map[health.Key]health.Condition
	next  time.Time
}

func newRulesTest(after time.Duration) *rulesTest {
	return &rulesTest{rules: health.NewAlertRules(after), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		set: map[health.Key]health.Condition{}}
}

func (b *rulesTest) put(code fault.Code, hiddenBy fault.Code) {
	key := health.Key{Code: code}
	c, was := b.set[key]
	if !was {
		c = health.Condition{Code: code, Detail: "facts", Since: b.now}
	}
	c.HiddenBy = hiddenBy
	b.set[key] = c
}

func (b *rulesTest) clear(code fault.Code) { delete(b.set, health.Key{Code: code}) }

// look returns "state code" of the alerts.
func (b *rulesTest) look() (out []string) {
	var all []health.Condition
	for _, c := range b.set {
		all = append(all, c)
	}
	alerts, next := b.rules.Observe(b.now, all)
	b.next = next
	for _, a := range alerts {
		out = append(out, string(a.State)+" "+string(a.Key.Code))
	}
	return out
}

// pass lets time go by, looking whenever the rules want to.
func (b *rulesTest) pass(d time.Duration) (out []string) {
	end := b.now.Add(d)
	out = b.look()
	for n := 0; !b.next.IsZero() && !b.next.After(end) && n < 1000; n++ {
		b.now = b.next
		out = append(out, b.look()...)
	}
	b.now = end
	return append(out, b.look()...)
}

func (b *rulesTest) expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: sent %q, want %q", what, got, want)
	}
}

func TestConditionFiresOnceAndResolves(t *testing.T) {
	t.Parallel()
	b := newRulesTest(30 * time.Second)
	b.put(fault.LedgerFailed, "")
	b.expect(t, "too early", b.pass(29*time.Second))
	b.expect(t, "it lasts", b.pass(time.Second), "firing LedgerFailed")
	b.expect(t, "it goes on", b.pass(5*time.Hour))
	b.expect(t, "hours later", b.pass(2*time.Hour), "still firing LedgerFailed")
	b.clear(fault.LedgerFailed)
	b.expect(t, "just gone", b.pass(59*time.Second))
	b.expect(t, "gone", b.pass(2*time.Second), "resolved LedgerFailed")
	b.expect(t, "afterwards", b.pass(24*time.Hour))
	if !b.next.IsZero() {
		t.Error("something is remembered forever")
	}
}

func TestShortConditionDoesNotFire(t *testing.T) {
	t.Parallel()
	b := newRulesTest(30 * time.Second)
	b.put(fault.LedgerFailed, "")
	b.look()
	b.now = b.now.Add(20 * time.Second)
	b.clear(fault.LedgerFailed)
	b.expect(t, "short", b.pass(3*time.Hour))
}

func TestWhatComesBackNeverEnded(t *testing.T) {
	t.Parallel()
	b := newRulesTest(30 * time.Second)
	b.put(fault.LedgerFailed, "")
	b.expect(t, "begins", b.pass(time.Minute), "firing LedgerFailed")
	for range 20 {
		b.clear(fault.LedgerFailed)
		b.expect(t, "flaps", b.pass(20*time.Second))
		b.put(fault.LedgerFailed, "")
		b.expect(t, "flaps", b.pass(20*time.Second))
	}
	b.clear(fault.LedgerFailed)
	b.expect(t, "ends", b.pass(2*time.Minute), "resolved LedgerFailed")
}

func TestFlappingFires(t *testing.T) {
	t.Parallel()
	b := newRulesTest(30 * time.Second)
	var sent []string
	for range 8 {
		b.put(fault.LedgerFailed, "")
		sent = append(sent, b.pass(5*time.Second)...)
		b.clear(fault.LedgerFailed)
		sent = append(sent, b.pass(5*time.Second)...)
	}
	b.expect(t, "flickers", sent, "firing LedgerFailed")
}

func TestBeginningsPerHourAreLimited(t *testing.T) {
	t.Parallel()
	b := newRulesTest(30 * time.Second)
	firing := 0
	for range 12 { // two hours
		b.put(fault.LedgerFailed, "")
		for _, s := range b.pass(5 * time.Minute) {
			if s == "firing LedgerFailed" {
				firing++
			}
		}
		b.clear(fault.LedgerFailed)
		b.pass(5 * time.Minute)
	}
	if firing > 6 || firing < 3 {
		t.Errorf("sent %d times in two hours", firing)
	}
}

func TestHiddenConditionsDoNotFire(t *testing.T) {
	t.Parallel()
	b := newRulesTest(0)
	b.put(fault.NoDevices, "")
	b.put(fault.WorkerQuarantined, fault.NoDevices)
	b.expect(t, "the cause alone", b.pass(time.Minute), "firing NoDevices")
	b.clear(fault.NoDevices)
	b.put(fault.WorkerQuarantined, "")
	b.expect(t, "it stays without its cause", b.look(), "resolved NoDevices", "firing WorkerQuarantined")
}

func TestInfoDoesNotFire(t *testing.T) {
	t.Parallel()
	b := newRulesTest(0)
	b.put(fault.PortUnverified, "")
	b.expect(t, "information", b.pass(24*time.Hour))
}

// Whatever a board does: beginnings and ends alternate, and what holds in the end is
// told.
func TestBeginningsAndEndsAlternate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := newRulesTest(time.Duration(rapid.IntRange(0, 60).Draw(t, "after")) * time.Second)
		codes := []fault.Code{fault.LedgerFailed, fault.NoDevices, fault.PortClosed}
		open := map[string]bool{}
		step := func(lines []string) {
			for _, l := range lines {
				var state, code string
				if n := len("still firing "); len(l) > n && l[:n] == "still firing " {
					state, code = "still", l[n:]
				} else if n := len("firing "); l[:n] == "firing " {
					state, code = "firing", l[n:]
				} else {
					state, code = "resolved", l[len("resolved "):]
				}
				if (state == "firing") == open[code] {
					t.Fatalf("%s while open is %v", l, open[code])
				}
				open[code] = state != "resolved"
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			code := rapid.SampledFrom(codes).Draw(t, "code")
			if rapid.Bool().Draw(t, "set") {
				b.put(code, "")
			} else {
				b.clear(code)
			}
			step(b.pass(time.Duration(rapid.IntRange(0, 400).Draw(t, "seconds")) * time.Second))
		}
		step(b.pass(3 * time.Hour))
		for _, code := range codes {
			if _, set := b.set[health.Key{Code: code}]; set != open[string(code)] {
				t.Fatalf("%s set: %v, sent: %v", code, set, open[string(code)])
			}
		}
	})
}

// What a root cause hid has to last from when it is seen: it often goes a moment after
// its cause.
func TestWhatWasHiddenHasToLastAnew(t *testing.T) {
	t.Parallel()
	b := newRulesTest(30 * time.Second)
	b.put(fault.LedgerFailed, "")
	b.expect(t, "a moment before its cause", b.pass(5*time.Second))
	b.put(fault.LedgerFailed, fault.LedgerDamaged)
	b.expect(t, "hidden", b.pass(time.Hour))
	b.put(fault.LedgerFailed, "")
	b.expect(t, "its cause is gone", b.pass(5*time.Second))
	b.clear(fault.LedgerFailed)
	b.expect(t, "gone, too", b.pass(time.Hour))
}

// A flood of conditions keeps no new one from being tracked: resolved ones are dropped, and
// the untracked ones fire as one.
func TestOverflowFires(t *testing.T) {
	t.Parallel()
	r, now := health.NewAlertRules(30*time.Second), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	flood := func(from, to int) (out []health.Condition) {
		for i := from; i < to; i++ {
			out = append(out, health.Condition{Code: fault.WorkerQuarantined, About: fmt.Sprint(i), Since: now})
		}
		return out
	}
	sent := func(alerts []health.Alert, code fault.Code, state health.AlertState) (n int) {
		for _, a := range alerts {
			if a.Key.Code == code && a.State == state {
				n++
			}
		}
		return n
	}
	look := func(all []health.Condition, after time.Duration) []health.Alert {
		now = now.Add(after)
		alerts, _ := r.Observe(now, all)
		return alerts
	}
	look(flood(0, 1000), 0)
	look(nil, time.Second) // a flicker: each is only remembered
	one := []health.Condition{{Code: fault.LedgerFailed, Since: now}}
	look(one, 0)
	if n := sent(look(one, time.Hour/2), fault.LedgerFailed, health.AlertFiring); n != 1 {
		t.Errorf("after a flood that is over, one that lasts is sent %d times", n)
	}
	all := append(flood(2000, 3500), one...)
	look(all, 0)
	alerts := look(all, time.Hour/2)
	if n := sent(alerts, fault.AlertsTooMany, health.AlertFiring); n != 1 {
		t.Errorf("of those without a place %d alerts tell", n)
	}
	for _, a := range alerts {
		if a.Key.Code == fault.AlertsTooMany && (a.Detail == "" || a.Remedy == "") {
			t.Errorf("%+v", a)
		}
	}
	look(one, time.Second)
	if n := sent(look(one, time.Hour), fault.AlertsTooMany, health.AlertResolved); n != 1 {
		t.Errorf("the end is sent %d times", n)
	}
}
