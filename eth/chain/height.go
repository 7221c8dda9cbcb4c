package chain

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core/protocol"
)

// leap is how far the layer-1 height may rise from one head to the next before the
// contracts are asked: about twenty minutes.
const leap protocol.L1Block = 100

// errAnotherBranch ends a step whose answers are of another branch than what was
// known.
var errAnotherBranch = errors.New("the chain went another way while it was read")

// believe takes a head's layer-1 height, or keeps the one before where that is
// hard to believe: rounds, and the ends of transactions, follow from it, and an
// endpoint that leaves the number out is off by years. The contracts are asked at
// once; and with the next poll, when they contradicted a head a moment ago.
func (f *follower) believe(head protocol.Head) protocol.Head {
	f.doubted = 0
	if !f.known || head.L1 >= f.head.L1 && head.L1-f.head.L1 <= leap {
		return head
	}
	f.doubted, head.L1 = head.L1, f.head.L1
	f.want |= roundPart
	if f.c.opt.Now().Sub(f.clock.misled) >= f.c.opt.PollInterval {
		f.hurry = true
	}
	return head
}

// settleHeight takes the layer-1 height that was read for the newest head. On one
// branch it never falls: where it does, all that was seen may be undone.
func (f *follower) settleHeight(ctx context.Context, l1 protocol.L1Block) error {
	if f.doubted != 0 && f.doubted != l1 {
		f.clock.misled = f.c.opt.Now()
	}
	fell := f.known && l1 < f.head.L1
	f.doubted, f.head.L1 = 0, l1
	if !fell {
		return nil
	}
	f.reorganize(f.head, f.fork(ctx, f.head))
	return errAnotherBranch
}
