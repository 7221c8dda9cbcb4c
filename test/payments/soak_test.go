package payments

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/harness"
)

// TestSoak is the whole of it. The figures it logs are those of docs/payments.md.
func TestSoak(t *testing.T) {
	w := newWorld(t)
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
	t.Logf("disruptions in %s: %v", *soakFor, disruptions)
	t.Logf("jobs: %d segments and %d answers served, %d and %d failed", tr.segments.Load(), tr.answers.Load(),
		tr.lostSegments.Load(), tr.lostAnswers.Load())
	t.Logf("books: %s; %d tickets only the gateways know of", b, open)
	t.Logf("winners: %d, %v", len(b.winners), ends)
	for _, last := range []any{tr.lastSegment.Load(), tr.lastAnswerErr.Load()} {
		t.Logf("last failure: %v", last)
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
