package ledger

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/lifecycle"
)

const (
	// summaryChunk is how many entries one refresh adds up, so that none takes long.
	// summaryEvery is the interval of refreshes without requests.
	summaryChunk int64 = 20_000
	summaryEvery       = 5 * time.Second
	// A summary takes about two kilobytes for each kind of total and 350 bytes for each winning
	// ticket: 100 MB at most, and twice that for a moment when it restarts; the longest names
	// add 80 MB. Larger ledgers have no summary.
	summaryKeys    = 20_000
	summaryWinners = 150_000
)

// Summary answers Totals from memory: it keeps the sums of all entries that it has read and
// reads only what is new. It restarts after totals were folded or winners archived. Until it
// has read everything, and for a ledger that is too large, it asks the Reader. It uses the
// Reader's connections, so that no payment waits for it, and is safe for concurrent use.
type Summary struct {
	*Reader
	journal *journal
	chunk   int64
	// complete: the last refresh read everything.
	complete atomic.Bool
	// sumsLock has capacity 1 and is held while sums is used.
	sumsLock chan struct{}
	sums     *summaryState
}

var _ lifecycle.Component = (*Summary)(nil)

// Summary makes the ledger's summary, which is empty until it runs. A ledger has one.
func (l *Ledger) Summary() *Summary {
	return &Summary{Reader: l.Reader, journal: &l.journal, chunk: summaryChunk, sumsLock: make(chan struct{}, 1),
		sums: new(summaryState)}
}

// Name returns the component's name.
func (*Summary) Name() string { return "summary of the ledger" }

// Run keeps the summary up to date until ctx ends. While much is unread it pauses as long as it
// reads. The ledger reports a database that cannot be read; here it is read again later.
func (s *Summary) Run(ctx context.Context, ready func()) error {
	ready()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
		begun := time.Now()
		behind, err := s.Refresh(ctx)
		if err == nil && behind {
			timer.Reset(time.Since(begun))
		} else {
			timer.Reset(summaryEvery)
		}
	}
}

// Refresh reads what is new, and reports whether there is more.
func (s *Summary) Refresh(ctx context.Context) (behind bool, err error) {
	select {
	case s.sumsLock <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-s.sumsLock }()
	return s.refresh(ctx)
}

// Totals returns what Reader.Totals returns.
func (s *Summary) Totals(ctx context.Context, query Query) ([]Total, error) {
	out, ok, err := s.fromMemory(ctx, query)
	if ok || err != nil {
		return out, err
	}
	return s.Reader.Totals(ctx, query)
}

// fromMemory adds up the sums in memory, if they are complete.
func (s *Summary) fromMemory(ctx context.Context, query Query) (out []Total, ok bool, err error) {
	if !s.complete.Load() {
		return nil, false, nil
	}
	select {
	case s.sumsLock <- struct{}{}:
	case <-ctx.Done():
		return nil, false, unreadable("add up the ledger", ctx.Err())
	}
	defer func() { <-s.sumsLock }()
	if _, err := s.refresh(ctx); err != nil || !s.complete.Load() {
		return nil, false, err
	}
	t := &tally{query, make(map[Key]*Total)}
	s.sums.each(t.add)
	return t.sorted(), true, nil
}
