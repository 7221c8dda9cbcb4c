package aiworkers

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/tuttinode/tutti/core/fairqueue"
)

// held is an answer of a party of which so much came and nothing was taken.
func held(memory *fairqueue.Budget, party string, size int) (b *backlog, fits bool) {
	b = newBacklog(memory)
	b.party = party
	for ; size > 0; size -= freeBacklog {
		if !b.put(make([]byte, min(size, freeBacklog))) {
			return b, false
		}
	}
	return b, true
}

// TestOnePartysBacklogLeavesMemory: gateways that take nothing of their answers lose those, and no others.
func TestOnePartysBacklogLeavesMemory(t *testing.T) {
	t.Parallel()
	memory := fairqueue.NewBudget(8 * freeBacklog)
	var all []*backlog
	for i, row := range []struct {
		party string
		size  int
		fits  bool
	}{
		{"a", 3 * freeBacklog, true}, {"a", 3 * freeBacklog, true}, {"a", 3 * freeBacklog, false},
		{"b", 4 * freeBacklog, true}, {"c", 2 * freeBacklog, true}, {"d", 2 * freeBacklog, false},
		{"e", freeBacklog, true}, // it keeps up
	} {
		b, fits := held(memory, row.party, row.size)
		if fits != row.fits {
			t.Errorf("answer %d, of %s: %v", i, row.party, fits)
		}
		if _, err := b.Read(nil); !fits && !errors.Is(err, errBehind) {
			t.Errorf("answer %d: %v", i, err)
		}
		all = append(all, b)
	}
	for _, b := range all {
		b.finish(io.EOF)
		if _, err := io.Copy(io.Discard, b); err != nil && !errors.Is(err, errBehind) {
			t.Error(err)
		}
		b.drop()
	}
	if !memory.Take("f", 8*freeBacklog, 0) {
		t.Error("memory of answers that ended is not free")
	}
}

// TestABacklogIsTheAnswer: what is read is what came, and then how it ended.
func TestABacklogIsTheAnswer(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	memory := fairqueue.NewBudget(1 << 20)
	b := newBacklog(memory)
	want := bytes.Repeat([]byte("0123456789"), 30_000)
	for rest := want; len(rest) > 0; rest = rest[min(len(rest), 777):] {
		if !b.put(rest[:min(len(rest), 777)]) {
			t.Fatal("it was ended")
		}
	}
	b.finish(broken)
	got, err := io.ReadAll(b)
	if !bytes.Equal(got, want) || !errors.Is(err, broken) || !memory.Take("other", 1<<20, 0) {
		t.Errorf("%d bytes, %v, or memory that is not free", len(got), err)
	}
}

// An answer in single bytes takes no more memory than it counts, and is the same.
func TestABacklogOfSingleBytes(t *testing.T) {
	t.Parallel()
	b := newBacklog(fairqueue.NewBudget(1 << 20))
	want := make([]byte, 100_000)
	for i := range want {
		want[i] = byte(i)
		if !b.put(want[i : i+1]) {
			t.Fatal("the answer ends at", i)
		}
	}
	if n := len(b.pieces); n > len(want)/leastPiece+1 {
		t.Errorf("%d pieces of %d bytes", n, len(want))
	}
	b.finish(io.EOF)
	if got, err := io.ReadAll(b); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
	}
}
