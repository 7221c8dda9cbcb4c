package chain

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/protocol"
)

// header is block n of a branch; blocks before the fork are those of branch 0.
func header(n protocol.L2Block, branch byte, fork protocol.L2Block) protocol.Head {
	h := func(n protocol.L2Block) protocol.Hash {
		b := branch
		if n < fork {
			b = 0
		}
		return protocol.Hash{1, b, 30: byte(n >> 8), 31: byte(n)}
	}
	return protocol.Head{Number: n, Hash: h(n), Parent: h(n - 1)}
}

func TestWindowNoticesAnotherBranch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWindow()
		n := protocol.L2Block(100)
		for range rapid.IntRange(1, 40).Draw(t, "blocks") {
			n += protocol.L2Block(rapid.IntRange(1, 5).Draw(t, "gap"))
			if !w.add(header(n, 0, 0)) {
				t.Fatalf("block %d of the same branch is refused", n)
			}
		}
		fork := n - protocol.L2Block(rapid.IntRange(0, 3).Draw(t, "depth"))
		other := protocol.L2Block(int(n) + rapid.IntRange(-1, 1).Draw(t, "next"))
		taken := w.add(header(other, 1, fork))
		// A block of the same height, its parent or a lower height tells.
		tells := other < n || other >= fork && other == n || other == n+1 && n >= fork
		if taken == tells {
			t.Fatalf("block %d of a branch from %d after block %d: taken %v", other, fork, n, taken)
		}
	})
}

func logAt(h protocol.Head, index uint) types.Log {
	return types.Log{BlockNumber: uint64(h.Number), BlockHash: common.Hash(h.Hash), Index: index}
}

func TestWindowLogs(t *testing.T) {
	t.Parallel()
	w := newWindow()
	a, b := logAt(header(10, 0, 0), 0), logAt(header(12, 0, 0), 3)
	if got := w.fresh([]types.Log{a, b}); len(got) != 2 {
		t.Fatalf("%d fresh logs", len(got))
	}
	if got := w.fresh([]types.Log{a, b}); len(got) != 0 {
		t.Errorf("%d logs are published twice", len(got))
	}
	if _, _, lost := w.lost([]types.Log{a}, 11, 11); lost {
		t.Error("a log out of the range is lost")
	}
	n, hash, lost := w.lost([]types.Log{a}, 1, 20)
	if !lost || n != 12 || hash != protocol.Hash(b.BlockHash) {
		t.Errorf("lost %v at %d", lost, n)
	}
	w.cut(12)
	if got := w.fresh([]types.Log{a, logAt(header(12, 1, 12), 3)}); len(got) != 1 {
		t.Errorf("after a reorganization %d fresh logs", len(got))
	}
	w.newest = 10_000
	w.prune()
	if len(w.logs) != 0 || len(w.hashes) != 0 {
		t.Errorf("%d logs and %d hashes are kept forever", len(w.logs), len(w.hashes))
	}
}
