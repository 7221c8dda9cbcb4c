package chain

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core/protocol"
)

// maxHeightStep is how far the layer-1 height may rise from one head to the next before the contracts are
// asked: about twenty minutes.
const maxHeightStep protocol.L1Block = 100

// errBranchChanged ends a step that read another branch than the known one.
var errBranchChanged = errors.New("the chain was reorganised while it was read")

// checkHeight accepts a head's layer-1 height, or keeps the previous one where it is implausible: rounds, and
// the expiry of transactions, follow from it, and an endpoint that leaves the number out is off by years. The
// contracts are asked at once; or with the next poll, when they contradicted a head a moment ago.
func (f *follower) checkHeight(head protocol.Head) protocol.Head {
	f.implausibleL1 = 0
	if !f.known || head.L1 >= f.head.L1 && head.L1-f.head.L1 <= maxHeightStep {
		return head
	}
	f.implausibleL1, head.L1 = head.L1, f.head.L1
	f.toRead |= roundPart
	if f.c.opt.Now().Sub(f.clock.misled) >= f.c.opt.PollInterval {
		f.pollNow = true
	}
	return head
}

// acceptHeight takes the layer-1 height that the contracts gave for the newest head. On one branch it never
// falls: where it does, everything seen may be undone.
func (f *follower) acceptHeight(ctx context.Context, l1 protocol.L1Block) error {
	if f.implausibleL1 != 0 && f.implausibleL1 != l1 {
		f.clock.misled = f.c.opt.Now()
	}
	fell := f.known && l1 < f.head.L1
	f.implausibleL1, f.head.L1 = 0, l1
	if !fell {
		return nil
	}
	f.reorganize(f.head, f.fork(ctx, f.head))
	return errBranchChanged
}
