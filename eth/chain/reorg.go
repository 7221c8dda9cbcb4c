package chain

import (
	"context"
	"slices"
	"sort"

	"github.com/tuttinode/tutti/core/protocol"
)

// gone reports whether a block that was seen is no longer on the chain. When
// nobody can tell it is not: a full reading comes anyhow.
func (f *follower) gone(ctx context.Context, n protocol.L2Block, hash protocol.Hash) bool {
	h, err := f.c.opt.Client.HeaderByNumber(ctx, n)
	return err == nil && h.Hash != hash
}

// fork finds the first block that was undone, when head contradicts what was seen:
// the lowest known one that the chain does not have any more. The blocks before a
// fork are all the same and those after it are all others, so few questions do.
func (f *follower) fork(ctx context.Context, head protocol.Head) protocol.L2Block {
	// Who cannot be asked in time counts as different: then more is read again.
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
		// The chain may have fallen below all that is known.
		return min(known[0], head.Number)
	}
	// Between the last block that is the same and the first that is not, the lower
	// bound is the safe word.
	return known[first-1] + 1
}

// reorganize forgets what was seen from a block on and has everything read again.
func (f *follower) reorganize(head protocol.Head, from protocol.L2Block) {
	f.c.opt.Log.Info("the chain was reorganised", "block", uint64(from))
	f.win.cut(from)
	f.win.add(head)
	f.wide = true
	f.lower(from)
	// What waits to be told is not on the chain any more; if it comes again, so does
	// its log.
	f.pending = slices.DeleteFunc(f.pending, func(o occurrence) bool { return o.block >= from })
	f.want |= allParts
	f.hurry = true
	f.c.senders.markAll()
	if f.known {
		f.c.bus.tell(protocol.Reorganized{From: from})
	}
}

// lower has the logs from a block on read again.
func (f *follower) lower(from protocol.L2Block) {
	f.logsTo = min(f.logsTo, from-min(from, 1))
	f.told = min(f.told, f.logsTo)
	f.floor, f.base = min(f.floor, from), min(f.base, f.logsTo)
}
