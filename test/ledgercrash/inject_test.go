package ledgercrash

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/ledger"
)

// diskFault is what a disk does from one of its steps on, for some steps.
type diskFault struct {
	name  string
	err   error
	verb  verb
	steps int
	// part is how much of a write is done before it fails.
	part int
	// every is how far apart the steps are at which it begins.
	every int
}

var diskFaults = []diskFault{
	{"full", sqlite3.FULL, write, 1, 0, 24},
	{"full for long, cut", sqlite3.FULL, write, 40, 1500, 24},
	{"write error", sqlite3.IOERR_WRITE, write, 1, 700, 24},
	{"sync error", sqlite3.IOERR_FSYNC, flush, 1, 0, 2},
}

const injected = 10

// TestDiskTrouble lets every write and every sync of a run fail. A caller that was answered
// with an error has nothing in the books of a ledger that goes on, and may try
// again; one that stopped holds everything that was answered well.
func TestDiskTrouble(t *testing.T) {
	t.Parallel()
	for _, tr := range diskFaults {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			every, runs, hits := setting(t, "TUTTI_LEDGERCRASH_EVERY", tr.every), 0, 0
			for at := 0; ; at += every {
				hit, stopped := inject(t, tr, at)
				if t.Failed() || !hit {
					break
				}
				runs++
				if stopped {
					hits++
				}
			}
			t.Logf("%d runs with a failure, %d of them stopped the ledger", runs, hits)
			if runs*every < 20 || tr.err == sqlite3.FULL && hits > 0 || tr.verb == flush && hits == 0 {
				t.Errorf("%d runs, %d stopped", runs, hits)
			}
		})
	}
}

// inject runs a ledger whose disk fails at the nth step of the problem's kind.
func inject(t *testing.T, tr diskFault, at int) (hit, stopped bool) {
	t.Helper()
	d := newDisk()
	l, err := run(t, d, uint64(at)+1, full)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	d.mu.Lock()
	d.fail = func(e *event) (int, error) {
		if e.verb != tr.verb {
			return 0, nil
		}
		n++
		if n > at && n <= at+tr.steps {
			hit = true
			return tr.part, tr.err
		}
		return 0, nil
	}
	d.mu.Unlock()
	h := history{attempts: make([]attempt, injected)}
	for i := range injected {
		p := plan(i)
		h.attempts[i] = attempt{p, 0, 0}
		err := l.Append(t.Context(), p.entries())
		for tries := 0; errors.Is(err, fault.LedgerFull) && tries < 100; tries++ {
			missing(t, l, p)
			if tries == 0 {
				killed(t, d, h.attempts[:i], p)
			}
			err = l.Append(t.Context(), p.entries())
		}
		switch {
		case errors.Is(err, fault.LedgerFailed):
			stopped = true
			h.attempts[i].answered = -1
		case err != nil:
			t.Errorf("%s at %d: payment %d: %v", tr.name, at, i, err)
		}
	}
	// The last thing that is written says that the end was in order.
	err = l.stop()
	if stopped && err == nil {
		t.Errorf("%s at %d: it stopped, and the end says nothing", tr.name, at)
	}
	inOrder := err == nil
	d.mu.Lock()
	d.fail = nil
	d.mu.Unlock()
	after, err := run(t, d, 7, full)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range h.problems(t, after.Reader, 0) {
		t.Errorf("%s at %d: %s", tr.name, at, problem)
	}
	if after.opening.Clean != inOrder {
		t.Errorf("%s at %d: ended in order %v, and the next opening is clean %v", tr.name, at, inOrder, after.opening.Clean)
	}
	if err := after.stop(); err != nil {
		t.Error(err)
	}
	return hit, stopped
}

// missing checks that a payment that was answered with an error is not there.
func missing(t *testing.T, l *running, p payment) {
	t.Helper()
	totals, err := l.Totals(t.Context(), ledger.Query{FromRound: p.round, ToRound: p.round})
	if err != nil || len(totals) != 0 {
		t.Errorf("payment %d failed, and %s is there (%v)", p.round, fmt.Sprint(totals), err)
	}
}

// killed looks at what a process that ends at once leaves of a payment that was
// answered with an error: nothing.
func killed(t *testing.T, d *disk, before []attempt, p payment) {
	t.Helper()
	left := newDisk()
	d.mu.Lock()
	for name, content := range d.files {
		left.files[name] = bytes.Clone(content)
	}
	d.mu.Unlock()
	h := history{attempts: append(slices.Clone(before), attempt{p, 1, -1})}
	after, err := run(t, left, 9, full)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range h.problems(t, after.Reader, 0) {
		t.Errorf("after a failure and a kill: %s", problem)
	}
	if err := after.stop(); err != nil {
		t.Error(err)
	}
}
