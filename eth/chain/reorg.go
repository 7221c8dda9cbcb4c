package chain

import (
	"context"
	"slices"
	"sort"

	"github.com/tuttinode/tutti/core/protocol"
)

// blockGone reports whether a seen block is no longer on the chain. When no endpoint answers it is not: a
// full reading corrects that.
func (f *follower) blockGone(ctx context.Context, n protocol.L2Block, hash protocol.Hash) bool {
	h, err := f.c.opt.Client.HeaderByNumber(ctx, n)
	return err == nil && h.Hash != hash
}

// fork finds the first block that was undone, when head contradicts the known ones: the lowest known block
// that the chain does not have any more. All blocks before a fork match and none after it does, so a binary
// search needs few requests.
func (f *follower) fork(ctx context.Context, head protocol.Head) protocol.L2Block {
	// A block that cannot be read in time counts as different: then more is read again.
	ctx, cancel := context.WithTimeout(ctx, f.c.opt.PollInterval)
	defer cancel()
	known := f.win.numbers()
	first := sort.Search(len(known), func(i int) bool {
		n := known[i]
		switch {
		case n > head.Number:
			return true
		case n == head.Number:
			return f.win.hashes[n] != head.Hash
		case n+1 == head.Number:
			return f.win.hashes[n] != head.Parent
		}
		h, err := f.c.opt.Client.HeaderByNumber(ctx, n)
		return err != nil || h.Hash != f.win.hashes[n]
	})
	switch {
	case first == len(known):
		return head.Number
	case first == 0:
		// The chain may be shorter than all known blocks.
		return min(known[0], head.Number)
	}
	// The fork is between the last match and the first difference; the lower bound is safe.
	return known[first-1] + 1
}

// reorganize drops everything seen from a block on and has it read again.
func (f *follower) reorganize(head protocol.Head, from protocol.L2Block) {
	f.c.opt.Log.Info("chain reorganized", "block", uint64(from))
	f.win.cut(from)
	f.win.add(head)
	f.wholeOverlap = true
	f.rereadLogsFrom(from)
	// Pending events of undone blocks are dropped; if they happen again, so does their log.
	f.pending = slices.DeleteFunc(f.pending, func(o blockEvent) bool { return o.block >= from })
	f.toRead |= allParts
	f.pollNow = true
	f.c.senders.markAll()
	if f.known {
		f.c.bus.publish(protocol.Reorganized{From: from})
	}
}

// rereadLogsFrom has the logs from a block on read again.
func (f *follower) rereadLogsFrom(from protocol.L2Block) {
	f.logsTo = min(f.logsTo, from-min(from, 1))
	f.publishedTo = min(f.publishedTo, f.logsTo)
	f.floor, f.base = min(f.floor, from), min(f.base, f.logsTo)
}
