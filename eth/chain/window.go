package chain

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/protocol"
)

// overlap is how many blocks are asked for logs again: an endpoint may have a block before its logs, and a
// reorg may remove logs.
const overlap protocol.L2Block = 128

// window remembers the hashes of the last blocks and the logs in them, to detect reorgs.
type window struct {
	hashes map[protocol.L2Block]protocol.Hash
	newest protocol.L2Block
	logs   map[logID]protocol.L2Block
}

// logID names a log on one branch of the chain.
type logID struct {
	block protocol.Hash
	index uint
}

func newWindow() *window {
	return &window{hashes: make(map[protocol.L2Block]protocol.Hash), logs: make(map[logID]protocol.L2Block)}
}

// add records a head. It reports false when the head contradicts the known ones, and then changes nothing.
func (w *window) add(head protocol.Head) bool {
	if known, ok := w.hashes[head.Number]; ok && known != head.Hash {
		return false
	}
	if parent, ok := w.hashes[head.Number-1]; ok && parent != head.Parent {
		return false
	}
	if head.Number < w.newest {
		return false
	}
	w.hashes[head.Number] = head.Hash
	w.newest = head.Number
	w.prune()
	return true
}

func (w *window) prune() {
	for n := range w.hashes {
		if n+overlap < w.newest {
			delete(w.hashes, n)
		}
	}
	for id, n := range w.logs {
		// One range more than is read again, so that no event is published twice.
		if n+2*overlap < w.newest {
			delete(w.logs, id)
		}
	}
}

// cut drops everything from a block on.
func (w *window) cut(from protocol.L2Block) {
	w.newest = 0
	for n := range w.hashes {
		if n >= from {
			delete(w.hashes, n)
			continue
		}
		w.newest = max(w.newest, n)
	}
	for id, n := range w.logs {
		if n >= from {
			delete(w.logs, id)
		}
	}
}

// fresh returns the logs that were not seen before and records them.
func (w *window) fresh(logs []types.Log) []types.Log {
	var out []types.Log
	for _, l := range logs {
		id := logID{protocol.Hash(l.BlockHash), l.Index}
		if _, ok := w.logs[id]; !ok && !l.Removed {
			w.logs[id] = protocol.L2Block(l.BlockNumber)
			out = append(out, l)
		}
	}
	return out
}

// lost returns the lowest block from from to to with a recorded log that is not among logs; false when there is
// none.
func (w *window) lost(logs []types.Log, from, to protocol.L2Block) (block protocol.L2Block, hash protocol.Hash,
	ok bool) {
	have := make(map[logID]bool, len(logs))
	for _, l := range logs {
		have[logID{protocol.Hash(l.BlockHash), l.Index}] = true
	}
	for id, n := range w.logs {
		if n >= from && n <= to && !have[id] && (!ok || n < block) {
			block, hash, ok = n, id.block, true
		}
	}
	return block, hash, ok
}

// numbers returns the blocks whose hashes are known, the lowest first.
func (w *window) numbers() []protocol.L2Block {
	return slices.Sorted(maps.Keys(w.hashes))
}
