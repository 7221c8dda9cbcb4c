package recipient_test

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// honest is a gateway as the network has them: it estimates a segment at 1.02 times
// its price and AI at its price, takes all of its credit with one orchestrator out
// while a job is in flight, and puts back what it knows to be left.
type honest struct {
	n        *node
	t        *rapid.T
	lines    []*line
	inFlight []*paidJob
}

// line is one account.
type line struct {
	*session
	credit pm.Value
	used   time.Time
}

// paidJob is a job on its way.
type paidJob struct {
	*line
	job *pm.Job
	// total is what the gateway reckons with for it.
	total    pm.Value
	hold     pm.Hold
	admitted bool
}

// pay makes a job and its payment.
func (h *honest) pay(l *line, units int64) *paidJob {
	now := h.n.clock.Now()
	if idle := !slices.ContainsFunc(h.inFlight, func(f *paidJob) bool { return f.line == l }); idle &&
		now.Sub(l.used) >= 10*time.Minute {
		l.credit = pm.Value{}
	}
	if l.terms.ExpirationBlock <= h.n.chain.view.Head.L1+1 {
		l.refresh()
	}
	fee := l.quote.Price.Of(units)
	if l.model == nil {
		fee = pm.ValueOf(new(big.Rat).Mul(fee.Rat(), big.NewRat(102, 100)))
	}
	least := l.ev(1)
	if fee.Cmp(least) > 0 {
		least = fee
	}
	count := pm.TicketsFor(least, l.credit, l.ev(1))
	f := &paidJob{line: l, job: l.job(count, units), total: l.credit.Add(l.ev(int64(count)))}
	l.credit, l.used = pm.Value{}, now
	return f
}

// end is the answer: units, or -1 for a job that failed.
func (h *honest) end(f *paidJob, units int64) {
	f.line.used = h.n.clock.Now()
	if units >= 0 {
		f.line.credit = f.line.credit.Add(f.total).Sub(f.quote.Price.Of(units))
	}
	h.inFlight = slices.DeleteFunc(h.inFlight, func(o *paidJob) bool { return o == f })
}

// arrive has a payment come to the orchestrator, in whatever order.
func (h *honest) arrive(f *paidJob) {
	if err := h.n.MayPay(h.t.Context(), f.job); err != nil {
		h.t.Fatalf("an honest gateway is turned away: %v", err)
	}
	hold, err := h.n.Admit(h.t.Context(), f.job)
	if err != nil {
		h.t.Fatalf("an honest gateway is refused: %v; it sent %d tickets for %d units", err, len(f.job.Payment.Tickets),
			f.job.Estimate)
	}
	f.hold, f.admitted = hold, true
}

func (h *honest) pick(admitted bool) *paidJob {
	some := slices.DeleteFunc(slices.Clone(h.inFlight), func(f *paidJob) bool { return f.admitted != admitted })
	if len(some) == 0 {
		h.t.Skip()
	}
	return some[rapid.IntRange(0, len(some)-1).Draw(h.t, "job")]
}

// TestHonestGatewaysAreNeverRefused: whatever becomes of its jobs, in whatever order
// they arrive and end, a gateway that estimates as the network does is served.
func TestHonestGatewaysAreNeverRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := newNode(t)
		n.price.transcoding = big.NewRat(rapid.Int64Range(1, 5000).Draw(rt, "price"), rapid.Int64Range(1, 7).Draw(rt, "per"))
		n.price.models[llama] = big.NewRat(rapid.Int64Range(1, 1e9).Draw(rt, "price of a model"), 3)
		h := &honest{n: n, t: rt}
		g := n.gateway(1)
		for _, key := range []core.ManifestID{"one", "two"} {
			h.lines = append(h.lines, &line{session: n.session(g, key)})
		}
		h.lines = append(h.lines, &line{session: n.session(g, llama.Manifest(), []inference.Model{llama}...)})
		rt.Repeat(map[string]func(*rapid.T){
			"send": func(rt *rapid.T) {
				h.t = rt
				if len(h.inFlight) > 8 {
					rt.Skip()
				}
				l := rapid.SampledFrom(h.lines).Draw(rt, "account")
				most := new(big.Rat).Quo(l.ev(12).Rat(), l.quote.Price.Rat()) // of twelve tickets
				h.inFlight = append(h.inFlight, h.pay(l, rapid.Int64Range(0, pm.ValueOf(most).Floor().Int64()).Draw(rt, "units")))
			},
			"arrive": func(rt *rapid.T) {
				h.t = rt
				h.arrive(h.pick(false))
			},
			"lost on the way": func(rt *rapid.T) {
				h.t = rt
				h.end(h.pick(false), -1)
			},
			"done": func(rt *rapid.T) {
				h.t = rt
				f := h.pick(true)
				units := f.job.Estimate
				if f.model == nil {
					units = rapid.Int64Range(0, units).Draw(rt, "pixels")
				}
				if err := f.hold.Begin(); err != nil {
					rt.Fatalf("an honest gateway's job does not begin: %v", err)
				}
				f.hold.Done(pm.Work{Units: units, Produced: -1})
				if rapid.IntRange(0, 4).Draw(rt, "lost") == 0 {
					units = -1 // the answer does not arrive
				}
				h.end(f, units)
			},
			"failed": func(rt *rapid.T) {
				h.t = rt
				f := h.pick(true)
				f.hold.Release()
				h.end(f, -1)
			},
			"time passes": func(rt *rapid.T) {
				if slices.ContainsFunc(h.inFlight, func(f *paidJob) bool { return !f.admitted }) {
					rt.Skip() // no payment is on its way for minutes
				}
				n.clock.Forward(time.Duration(rapid.IntRange(1, 700).Draw(rt, "seconds")) * time.Second)
				if len(h.inFlight) == 0 {
					n.chain.change(func(v *protocol.View) { v.Head.L1 += protocol.L1Block(rapid.IntRange(0, 5).Draw(rt, "blocks")) })
				}
				n.Sweep()
			},
		})
		for _, f := range slices.Clone(h.inFlight) {
			if f.admitted {
				f.hold.Release()
			}
		}
	})
}
