package ledgercrash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// setting is a number of the environment.
func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(name, err)
	}
	return n
}

// attempt is what was known of a payment by the disk's time: when it was asked for, and
// when it was answered, -1 for never.
type attempt struct {
	payment
	asked, answered int
}

// history is a run of a ledger on a disk whose every step is recorded.
type history struct {
	events   []event
	attempts []attempt
	// closing is when the ledger began to be closed in order.
	closing int
}

// record runs a ledger: payments come from several goroutines at once, work is
// billed, accounts close, winners move on, sets expire and rounds are rolled up.
func record(t *testing.T, payments int, synchronous string) history {
	t.Helper()
	d := newDisk()
	d.log = true
	l, err := run(t, d, 1, synchronous)
	if err != nil {
		t.Fatal(err)
	}
	h := history{attempts: make([]attempt, payments)}
	const hands = 3
	for n := 0; n < payments; n += hands {
		var group sync.WaitGroup
		for i := n; i < min(n+hands, payments); i++ {
			group.Go(func() {
				p := plan(i)
				h.attempts[i] = attempt{p, d.now(), -1}
				if err := l.Append(t.Context(), p.entries()); err != nil {
					t.Error(err)
				}
				h.attempts[i].answered = d.now()
			})
		}
		group.Wait()
		after(t, l, n)
	}
	h.closing = d.now()
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
	h.events = d.events
	return h
}

// after is what happens between payments.
func after(t *testing.T, l *running, n int) {
	t.Helper()
	p := plan(n)
	l.Book(pm.Entries{Debits: []pm.Debit{p.debit()}})
	if p.wins {
		for _, s := range []pm.TicketState{pm.TicketQueued, pm.TicketSubmitted, pm.TicketFinal} {
			if err := l.Progress(t.Context(),
				pm.Progress{Hash: p.winner().Hash, State: s, Paid: core.NewWei(1), At: start}); err != nil {
				t.Error(err)
			}
		}
	}
	if n%9 == 0 {
		l.Expired(protocol.L1Block(1000 + max(0, n-12)))
		if err := l.Archive(t.Context(), protocol.Round(max(0, n-9))); err != nil {
			t.Error(err)
		}
	}
}

// TestPowerCuts cuts the power at every step of a run.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	want := setting(t, "TUTTI_LEDGERCRASH_POINTS", 2000)
	payments := 24
	h := record(t, payments, full)
	for len(h.events)*int(fates) < want {
		payments *= 2
		h = record(t, payments, full)
	}
	done, problems := h.cuts(t, want)
	t.Logf("%d power cuts at %d steps of %d payments", done, len(h.events), payments)
	for _, problem := range problems {
		t.Error(problem)
	}
	if done < want && len(problems) == 0 {
		t.Errorf("only %d power cuts", done)
	}
}

// TestCutsAreNoticed runs a ledger whose commits do not wait for the disk: what the
// power cuts take away must be missed.
func TestCutsAreNoticed(t *testing.T) {
	t.Parallel()
	h := record(t, 6, "off")
	if _, problems := h.cuts(t, len(h.events)); len(problems) == 0 {
		t.Error("nothing was missed")
	}
}

// point is a moment at which the power is cut, and what that leaves.
type point struct {
	at    int
	fate  fate
	files map[string][]byte
}

// cuts cuts the power so often, spread evenly over the steps, until there are
// problems. All fates turn up at neighboring steps.
func (h *history) cuts(t *testing.T, want int) (done int, problems []string) {
	t.Helper()
	points := make(chan point)
	openings := newOpenings()
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for p := range points {
				found := h.examine(p, openings.of(t, p.files))
				mu.Lock()
				done++
				problems = append(problems, found...)
				mu.Unlock()
			}
		})
	}
	failed := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(problems) > 0
	}
	disk := newPlatter()
	r := rand.New(rand.NewPCG(uint64(setting(t, "TUTTI_LEDGERCRASH_SEED", 1)), 0))
	n := 0
	for at := 0; at <= len(h.events) && !failed(); at++ {
		for ; n < want*(at+1)/(len(h.events)+1); n++ {
			f := fate(n) % fates
			points <- point{at, f, disk.cut(f, r)}
		}
		if at < len(h.events) {
			disk.follow(h.events[at])
		}
	}
	close(points)
	group.Wait()
	t.Logf("%d different disks", len(openings.known))
	return done, problems
}

// examine checks what a power cut left.
func (h *history) examine(p point, f *found) (problems []string) {
	if f.err != nil {
		return []string{fmt.Sprintf("cut at %d, %v: %v", p.at, p.fate, f.err)}
	}
	for _, problem := range h.compare(&f.seen, p.at) {
		problems = append(problems, fmt.Sprintf("cut at %d, %v: %s", p.at, p.fate, problem))
	}
	// The first opening made epoch 1, and its end is the last thing that happens.
	o := &f.opening
	if first := o.Current.ID == 1; p.at < len(h.events) &&
		!(o.Clean && first || p.at > h.closing || !o.Clean && !first) {
		problems = append(problems, fmt.Sprintf("cut at %d, %v: epoch %d after a crash, clean %v", p.at, p.fate,
			o.Current.ID, o.Clean))
	}
	if answered := h.answered(p.at); answered && p.at <= h.closing && o.Current.ID == 1 {
		problems = append(problems,
			fmt.Sprintf("cut at %d, %v: the epoch of answered payments goes on after a crash", p.at, p.fate))
	}
	return problems
}

// answered reports whether a payment had been answered at a moment.
func (h *history) answered(at int) bool {
	return slices.ContainsFunc(h.attempts, func(p attempt) bool { return p.answered >= 0 && p.answered <= at })
}
