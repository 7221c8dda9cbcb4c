package payments

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/collector"
	"github.com/tuttinode/tutti/test/harness"
)

// TestSoak is the whole of it. The figures it logs are those of docs/payments.md.
func TestSoak(t *testing.T) {
	traces := collector.Start(t)
	w := newWorld(t, "-otlpEndpoint", traces.URL)
	w.Logf("begins in %s", w.round())
	tr := w.traffic()
	w.flows(tr)
	disruptions := w.disrupt(rand.New(rand.NewPCG(*soakSeed, 0)), *soakFor)
	w.flows(tr)
	tr.end()
	w.settle()
	w.Logf("ends in %s", w.round())
	for _, p := range w.parties() {
		p.stop(false)
	}
	for _, o := range w.orchestrators {
		if text, status := harness.Output(t, filepath.Join(bin, "tutti"), "ledger", "verify", "-dataDir",
			o.dir); status != 0 {
			t.Errorf("tutti ledger verify of %s: %d\n%s", o.name, status, text)
		}
	}
	b := w.books()
	open := w.agree(b)
	ends := w.explained(b)
	if ends[string(pm.TicketFinal)] == 0 {
		t.Error("no ticket was redeemed")
	}
	spansOfMoney(t, traces.Spans())
	t.Logf("disruptions in %s: %v", *soakFor, disruptions)
	t.Logf("jobs: %d segments and %d answers served, %d and %d failed", tr.segments.Load(), tr.answers.Load(),
		tr.lostSegments.Load(), tr.lostAnswers.Load())
	t.Logf("books: %s; %d tickets only the gateways know of", b, open)
	t.Logf("winners: %d, %v", len(b.winners), ends)
	for _, last := range []any{tr.lastSegment.Load(), tr.lastAnswerErr.Load()} {
		t.Logf("last failure: %v", last)
	}
}

// spansOfMoney checks that segments' payments are spans at both ends of them, and redemptions at the orchestrators.
func spansOfMoney(t *testing.T, all []collector.Span) {
	t.Helper()
	byID := make(map[string]collector.Span)
	for _, s := range all {
		byID[s.ID] = s
	}
	var taken, redeemed int
	for _, s := range all {
		switch {
		case s.Name == "redeem" && s.Failed == "" && s.Attributes["tutti.ticket.paid"] != "" &&
			s.Attributes["tutti.transaction"] != "":
			redeemed++
		case s.Name == "take payment" && byID[s.Parent].Name == "POST /segment":
			for _, p := range all {
				if p.Name == "pay" && p.Trace == s.Trace && byID[p.Parent].Name == "transcode" &&
					p.Attributes["tutti.payment.value"] == s.Attributes["tutti.payment.value"] {
					taken++
					break
				}
			}
		}
	}
	t.Logf("spans: %d, %d payments of segments, %d redemptions", len(all), taken, redeemed)
	if taken == 0 || redeemed == 0 {
		t.Errorf("%d payments of segments and %d redemptions have spans", taken, redeemed)
	}
}

// flows waits until both kinds of jobs are served by both gateways.
func (w *world) flows(tr *traffic) {
	w.Helper()
	segments, answers := tr.segments.Load(), tr.answers.Load()
	w.orchestrators[0].proc.Wait("jobs that are served", 60*time.Second, func() bool {
		return tr.segments.Load() >= segments+6 && tr.answers.Load() >= answers+20
	})
}

// settle waits until no winner has anywhere to go any more.
func (w *world) settle() {
	w.Helper()
	for _, o := range w.orchestrators {
		o.proc.Wait("the winners of "+o.name, 2*time.Minute, func() bool {
			_, body := harness.Get(w.T, "http://"+o.admin+adminapi.PathTickets)
			var last adminapi.Tickets
			if json.Unmarshal(body, &last) != nil {
				return false
			}
			for state, n := range last.Counts {
				if n > 0 && !pm.TicketState(state).Ended() {
					return false
				}
			}
			return true
		})
	}
}
