package apikeys_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/coretest"
	"pgregory.net/rapid"
)

// model is what a guard with one key must do, kept the slow and plain way.
type model struct {
	limits   apikeys.Limits
	admitted []time.Time
	open     []*apikeys.Grant
	reserved []inference.Tokens
	held     inference.Tokens
	booked   inference.Tokens
}

// inLastMinute counts admissions in the 60 seconds that end at now.
func (m *model) inLastMinute(now time.Time) (n int) {
	for _, t := range m.admitted {
		if now.Sub(t) < time.Minute {
			n++
		}
	}
	return n
}

// Whatever clients do and whenever: no 60 seconds hold more requests than RPM,
// never more are in progress than Concurrency, and what is used and reserved
// stays within the budget. Retry-After is true.
func TestNeverOver(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := model{limits: apikeys.Limits{
			RPM: rapid.IntRange(1, 8).Draw(t, "rpm"), Concurrency: rapid.IntRange(1, 4).Draw(t, "concurrency"),
			Budget: apikeys.Budget{Tokens: inference.Tokens(rapid.IntRange(50, 500).Draw(t, "budget")), Period: apikeys.Total},
		}}
		g, c := one(m.limits)
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) { c.Forward(time.Duration(rapid.IntRange(1, 40000).Draw(t, "ms")) * time.Millisecond) },
			"admit": func(t *rapid.T) {
				need := apikeys.Need{Prompt: inference.Tokens(rapid.IntRange(0, 20).Draw(t, "prompt")),
					MaxTokens: inference.Tokens(rapid.IntRange(1, 50).Draw(t, "max"))}
				m.admit(t, g, c, need)
			},
			"settle": func(t *rapid.T) { m.settle(t) },
			"":       func(t *rapid.T) { m.check(t, g, c) },
		})
	})
}

func (m *model) admit(t *rapid.T, g *apikeys.Guard, c *coretest.Clock, need apikeys.Need) {
	grant, err := g.Admit(t.Context(), secret, need)
	asked := need.Prompt + need.MaxTokens
	fits := m.booked+m.held+asked <= m.limits.Budget.Tokens
	switch fault.CodeOf(err) {
	case fault.BudgetSpent:
		if fits {
			t.Fatalf("refused %d with %d booked and %d held", asked, m.booked, m.held)
		}
	case fault.ConcurrencyLimited:
		if len(m.open) < m.limits.Concurrency {
			t.Fatalf("refused with %d open", len(m.open))
		}
	case fault.RateLimited:
		after, ok := fault.RetryAfter(err)
		if !ok {
			t.Fatal("not told when to come back")
		}
		c.Forward(after)
		if grant, err = g.Admit(t.Context(), secret, need); err != nil {
			t.Fatalf("came back after %v: %v", after, err)
		}
	}
	if grant == nil {
		return
	}
	if !fits {
		t.Fatalf("let %d in with %d booked and %d held", asked, m.booked, m.held)
	}
	m.admitted = append(m.admitted, c.Now())
	m.open, m.reserved, m.held = append(m.open, grant), append(m.reserved, asked), m.held+asked
}

func (m *model) settle(t *rapid.T) {
	if len(m.open) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.open)-1).Draw(t, "which")
	used := inference.Tokens(rapid.IntRange(1, int(m.reserved[i])).Draw(t, "used"))
	m.open[i].Settle(inference.Usage{Prompt: used}, true)
	m.open[i].Settle(inference.Usage{Prompt: 1000}, true)
	m.booked, m.held = m.booked+used, m.held-m.reserved[i]
	m.open, m.reserved = append(m.open[:i], m.open[i+1:]...), append(m.reserved[:i], m.reserved[i+1:]...)
}

func (m *model) check(t *rapid.T, g *apikeys.Guard, c *coretest.Clock) {
	if n := m.inLastMinute(c.Now()); n > m.limits.RPM {
		t.Fatalf("%d in a minute, %d allowed", n, m.limits.RPM)
	}
	if len(m.open) > m.limits.Concurrency || m.booked+m.held > m.limits.Budget.Tokens {
		t.Fatalf("over: %d open, %d booked, %d held", len(m.open), m.booked, m.held)
	}
	if s := g.States()[0]; s.Usage.Used != m.booked || s.Usage.Reserved != m.held || s.InFlight != len(m.open) {
		t.Fatalf("%+v, want %d booked, %d held, %d open", s, m.booked, m.held, len(m.open))
	}
}
