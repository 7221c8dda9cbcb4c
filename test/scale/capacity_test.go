package scale_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// jobsOfARun is how many jobs each run of the simulation has.
const jobsOfARun = 16_000

// bound is a resource that bears so many of something.
type bound struct {
	name  string
	bears float64
}

// least is the resource that is full first.
func least(list ...bound) bound {
	first := list[0]
	for _, b := range list[1:] {
		if b.bears < first.bears {
			first = b
		}
	}
	return first
}

// model makes plants and bounds from the constants.
type model struct {
	t *testing.T
	constants
}

func (m model) get(name string) float64          { m.t.Helper(); return m.constants.get(m.t, name) }
func (m model) micros(name string) time.Duration { m.t.Helper(); return m.constants.micros(m.t, name) }
func (m model) millis(name string) time.Duration { m.t.Helper(); return m.constants.millis(m.t, name) }
func (m model) usable(name string) float64       { return m.get(name) * m.get("part that is used") }
func (m model) answer() time.Duration {
	return m.micros("answer of a model") + m.micros("payment of one ticket")
}
func (m model) near(int) time.Duration { return m.millis("round trip within a region") }
func (m model) perSecondAndCore(cpu time.Duration) float64 {
	return m.usable("cores of an orchestrator") / cpu.Seconds()
}

// segment is the CPU time of one with its payment.
func (m model) segment() time.Duration {
	further := time.Duration(m.get("tickets of a segment")-1) * m.micros("further ticket of a payment")
	return m.millis("segment besides the codecs") + m.micros("payment of one ticket") + further
}

// files is a plant whose orchestrators have each its book in a file.
func (m model) files(orchestrators int, work time.Duration) *plant {
	return &plant{
		orchestrators: orchestrators, cores: int(m.get("cores of an orchestrator")), work: work,
		group: int(m.get("entries of a commit, at most")), fixed: m.millis("commit to a file"),
		each: m.micros("entry in a file"), away: func(int) time.Duration { return 0 },
	}
}

// shared is one whose books are in one PostgreSQL.
func (m model) shared(orchestrators int, work time.Duration) *plant {
	p := m.files(orchestrators, work)
	p.fixed, p.each = m.millis("commit to PostgreSQL"), m.micros("entry in PostgreSQL")
	p.away = m.near
	p.databaseCores = int(m.get("cores of a database"))
	return p
}

// fullFirst is what is used most, and how much of it.
func fullFirst(o outcome) string {
	what := "cores"
	switch o.most() {
	case o.database:
		what = "PostgreSQL"
	case o.writers:
		what = "the book's writer"
	}
	return fmt.Sprintf("%s, %.0f %%", what, 100*o.most())
}

// streams is how many streams an orchestrator bears: a segment comes and goes on both its sides.
func (m model) streams() bound {
	seconds := m.get("seconds of a segment")
	megabytes := m.get("source of a segment") + m.get("renditions of a segment")
	return least(
		bound{"cores", m.perSecondAndCore(m.segment()) * seconds},
		bound{"link", m.usable("link of an orchestrator") * 1000 / 8 / megabytes * seconds},
	)
}

// live is how many sessions of live video an orchestrator bears: what comes in from one side goes out to the other.
func (m model) live() bound {
	return least(
		bound{"cores", m.usable("cores of an orchestrator") * 60 / m.get("live session, each minute")},
		bound{"link", m.usable("link of an orchestrator") * 1000 / 2 / m.get("rate of a live session")},
		bound{"memory", m.usable("memory of an orchestrator") * 1e6 / m.get("idle live session")},
	)
}

// capacities is the table of docs/scale.md.
func capacities(t *testing.T, c constants) string {
	t.Helper()
	m := model{t, c}
	var out strings.Builder
	out.WriteString("| What | bears | full first | p50, p99 until the payment is in the book |\n|---|---|---|---|\n")
	fixed := func(what, unit string, times float64, b bound) {
		fmt.Fprintf(&out, "| %s | %s %s | %s | – |\n", what, twoDigits(times*b.bears), unit, b.name)
	}
	queued := func(what string, p *plant, longest time.Duration, times float64) {
		rate, o := p.bears(longest, m.get("part that is used"), jobsOfARun)
		fmt.Fprintf(&out, "| %s | %s answers a second | %s | %s ms, %s ms |\n", what, twoDigits(times*rate),
			fullFirst(o), twoDigits(o.p50.Seconds()*1000), twoDigits(o.p99.Seconds()*1000))
	}
	here, region := m.millis("longest wait, p99"), int(m.get("orchestrators of a region"))
	regions := int(m.get("regions"))
	queued("one orchestrator, its book in a file", m.files(1, m.answer()), here, 1)
	queued("one orchestrator, its book in PostgreSQL", m.shared(1, m.answer()), here, 1)
	fixed("one orchestrator", "streams of 1080p30", 1, m.streams())
	fixed("one orchestrator", "live sessions of 1 Mb/s", 1, m.live())
	fixed("one orchestrator", "connected workers", 1,
		bound{"memory", m.usable("memory of an orchestrator") * 1e6 / m.get("connected worker")})
	queued("one region, each orchestrator's book in a file", m.files(region, m.answer()), here, 1)
	queued("one region, one PostgreSQL", m.shared(region, m.answer()), here, 1)
	fixed("one region", "streams of 1080p30", float64(region), m.streams())
	fixed("one region", "live sessions of 1 Mb/s", float64(region), m.live())
	queued("ten regions, a PostgreSQL in each", m.shared(region, m.answer()), here, float64(regions))
	far := m.shared(region*regions, m.answer())
	far.away = func(i int) time.Duration {
		if i < region {
			return m.near(i)
		}
		return m.millis("round trip between regions")
	}
	queued("ten regions, one PostgreSQL in one of them", far, m.millis("longest wait with a far database, p99"), 1)
	fixed("ten regions", "streams of 1080p30", float64(region*regions), m.streams())
	fixed("one account that redeems", "tickets a second", 1,
		bound{"the chain's answers", m.get("winners that are redeemed") * m.get("tickets for one winner")})
	return out.String()
}
