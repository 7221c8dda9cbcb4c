package payments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// ticketWei is what a ticket is worth by default; one token costs a quarter of it.
const ticketWei = 8_000_000_000

// TestConcurrentJobsUseTheirCredit: clients that ask for little at once use what was paid for
// the others; no more than 2 % and one ticket for each orchestrator are paid too much.
func TestConcurrentJobsUseTheirCredit(t *testing.T) {
	w := newWorld(t)
	g := w.gateways[0]
	w.orchestrators[0].proc.Wait("an answer", 60*time.Second, func() bool { return chat(g) == nil })
	levels := []int{1, 4, 16, 64}
	if *overpaidLong {
		levels = append(levels, 256)
	}
	for _, at := range levels {
		// A job waits a quarter of a second for an orchestrator to confirm tickets, and then pays for itself: on a
		// busy machine an attempt may cost more, not one after another.
		var paid, billed *big.Rat
		kept := false
		for try := 0; try < 3 && !kept; try++ {
			paid, billed = w.cost(g, at, max(128, 8*at))
			kept = w.within(fmt.Sprintf("%d at once", at), paid, billed, len(w.orchestrators))
		}
		if !kept {
			t.Errorf("%d at once: three times more than allowed, last paid %s for work of %s", at, paid.FloatString(0),
				billed.FloatString(0))
		}
	}
}

// cost has clients ask a gateway for one token each, and returns what was paid for the jobs and what was billed.
func (w *world) cost(g *party, clients, jobs int) (paid, billed *big.Rat) {
	w.Helper()
	before := w.spending(g)
	w.ask(g, clients, jobs)
	var after adminapi.Spending
	g.proc.Wait("the payments to be settled", 30*time.Second, func() bool {
		after = w.spending(g)
		return units(after) == units(before)+int64(jobs)
	})
	return difference(w.T, after.Value, before.Value), difference(w.T, after.Billed, before.Billed)
}

// ask has so many clients ask a gateway for one token each, jobs in all.
func (w *world) ask(g *party, clients, jobs int) {
	w.Helper()
	body := fmt.Appendf(nil, `{"model":%q,"max_tokens":1,"messages":[{"role":"user","content":"slowly"}]}`, model)
	next := make(chan struct{}, jobs)
	for range jobs {
		next <- struct{}{}
	}
	close(next)
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range next {
				resp, err := harness.Client().Post("http://"+g.front+"/v1/chat/completions", "application/json",
					bytes.NewReader(body))
				if err != nil {
					w.Error(err)
					return
				}
				text, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err != nil || resp.StatusCode != http.StatusOK {
					w.Errorf("%s: %s, %v", resp.Status, text, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func (w *world) spending(g *party) (s adminapi.Spending) {
	w.Helper()
	_, text := harness.Get(w.T, "http://"+g.admin+adminapi.PathSpending)
	w.must(json.Unmarshal(text, &s))
	return s
}

// units are all that was billed.
func units(s adminapi.Spending) (sum int64) {
	for _, r := range s.Rows {
		sum += r.Units
	}
	return sum
}

func difference(t *testing.T, after, before string) *big.Rat {
	t.Helper()
	a, okA := new(big.Rat).SetString(after)
	b, okB := new(big.Rat).SetString(before)
	if !okA || !okB {
		t.Fatalf("amounts %q, %q", after, before)
	}
	return a.Sub(a, b)
}

// TestStreamsUseTheirCredit: streams that run at once leave 2 % and a ticket in each of their
// balances. A stream that changes its orchestrator has one at each.
func TestStreamsUseTheirCredit(t *testing.T) {
	const count = 10
	w := newWorld(t)
	g := w.gateways[0]
	segs := segments(t, count)
	w.orchestrators[0].proc.Wait("a segment", 60*time.Second, func() bool { return pushAll(g, "first", segs[:1]) == nil })
	levels := []int{1, 4}
	if *overpaidLong {
		levels = append(levels, 16)
	}
	for _, at := range levels {
		before := w.spending(g)
		var streams sync.WaitGroup
		for n := range at {
			streams.Go(func() {
				if err := pushAll(g, fmt.Sprintf("s%dof%d", n, at), segs); err != nil {
					t.Error(err)
				}
			})
		}
		streams.Wait()
		after := w.spending(g)
		paid, billed := difference(t, after.Value, before.Value), difference(t, after.Billed, before.Billed)
		if !w.within(fmt.Sprintf("%d streams", at), paid, billed, at*len(w.orchestrators)) {
			t.Errorf("%d streams: paid %s for work of %s", at, paid.FloatString(0), billed.FloatString(0))
		}
	}
}

// pushAll sends a stream, each segment when the one before is done.
func pushAll(g *party, stream string, segs []clip.Segment) error {
	for n, s := range segs {
		if _, err := harness.Push("http://"+g.front, stream, fmt.Sprintf("%d.ts", n), s.Data, s.Duration); err != nil {
			return fmt.Errorf("%s, segment %d: %w", stream, n, err)
		}
	}
	return nil
}

// within says whether what was paid is at most the bill, 2 % and a number of tickets.
func (w *world) within(what string, paid, billed *big.Rat, tickets int) bool {
	w.Helper()
	over := new(big.Rat).Sub(paid, billed)
	share, _ := new(big.Rat).Quo(over, billed).Float64()
	w.Logf("%s: paid %s, billed %s, %.1f %% too much", what, paid.FloatString(0), billed.FloatString(0), 100*share)
	limit := new(big.Rat).Quo(billed, big.NewRat(50, 1))
	limit.Add(limit, big.NewRat(ticketWei*int64(tickets), 1))
	return over.Cmp(limit) <= 0
}
