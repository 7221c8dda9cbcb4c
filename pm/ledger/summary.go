package ledger

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/lifecycle"
)

const (
	// summaryChunk is how many entries are added up in one look, so that no look is
	// long; summaryEvery is how often there is one where nobody asks.
	summaryChunk int64 = 20_000
	summaryEvery       = 5 * time.Second
	// A summary takes about two kilobytes for each kind of total and 350 bytes for each
	// winning ticket, 100 MB at most and twice that for a moment when it begins again;
	// names as long as they may be make it 80 MB more. Of larger books there is none.
	summaryKeys    = 20_000
	summaryWinners = 150_000
)

// Summary answers what Reader.Totals does, and from memory: it keeps the sums of all
// entries that it has seen and reads only what is new. Where totals were folded or
// winners put away it begins again. Until it has seen everything, and where the books
// are too large for it, it asks the Reader. It reads over the Reader's connections, so
// that no payment waits for it, and is safe for concurrent use.
type Summary struct {
	*Reader
	journal *journal
	chunk   int64
	// warm says that the newest look saw all there was.
	complete atomic.Bool
	// turn is held by whoever looks at sums.
	sumsLock chan struct{}
	sums *summaryState
}

var _ lifecycle.Component = (*Summary)(nil)

// Summary makes the ledger's summary, which is empty until it runs. A ledger has one.
func (l *Ledger) Summary() *Summary {
	return &Summary{Reader: l.Reader, journal: &l.journal, chunk: summaryChunk, sumsLock: make(chan struct{}, 1), sums: new(summaryState)}
}

// Name is the component's name.
func (*Summary) Name() string { return "summary of the ledger" }

// Run keeps the summary up to date until ctx ends. While there is much to read it
// rests as long as it reads. Books that cannot be read are the ledger's trouble, and
// whoever asks is told: here they are read again later.
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

// Refresh looks at what is new, and reports whether there is more.
func (s *Summary) Refresh(ctx context.Context) (behind bool, err error) {
	select {
	case s.sumsLock <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-s.sumsLock }()
	return s.refresh(ctx)
}

// Totals is what Reader.Totals is.
func (s *Summary) Totals(ctx context.Context, query Query) ([]Total, error) {
	out, ok, err := s.fromMemory(ctx, query)
	if ok || err != nil {
		return out, err
	}
	return s.Reader.Totals(ctx, query)
}

// known adds up what is in memory, if that is all there is.
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
