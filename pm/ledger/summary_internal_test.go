package ledger

import (
	"context"
	"testing"
)

// Known is Totals without the slow way; ok is false where only that knows.
func (s *Summary) Known(ctx context.Context, q Query) ([]Total, bool, error) {
	return s.fromMemory(ctx, q)
}

// Chunk has the summary read so many entries at once.
func (s *Summary) Chunk(n int64) { s.chunk = n }

func TestJournal(t *testing.T) {
	t.Parallel()
	var j journal
	expect := func(commit int64, n int, all bool) {
		t.Helper()
		if got, complete := j.upTo(commit); len(got) != n || complete != all {
			t.Errorf("commit %d: %v %v, want %d %v", commit, got, complete, n, all)
		}
	}
	j.record(5, []int64{1, 2}, false)
	j.record(6, nil, false)
	j.record(7, []int64{1}, true)
	expect(4, 0, false)
	expect(6, 2, false)
	expect(7, 3, true)
	j.drop(5)
	expect(6, 0, false)
	expect(7, 1, true)
	// What there is no room for is told as everything, until somebody saw it.
	j.record(8, make([]int64, maxChanges), false)
	expect(7, 0, true)
	j.drop(7)
	expect(8, 0, true)
	j.drop(8)
	expect(9, 0, false)
}
