package chain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/endpoint"
)

// maxHeightStep is how far the layer-1 height may rise from one head to the next before the contracts are
// asked, and how far it may be above what the clock allows: about twenty minutes.
const maxHeightStep protocol.L1Block = 100

// heightPatience is for how long the contracts have to give a height that the clock does not allow before it is
// taken: the clock may be wrong, or have stood still with the machine.
const heightPatience = 5 * time.Minute

// shownFalse is how long a false height stays a condition after the last one.
const shownFalse = time.Hour

var (
	// errBranchChanged ends a step that read another branch than the known one. Read-only.
	errBranchChanged = errors.New("the chain was reorganized while it was read")
	// errHeightAhead ends a step that read a layer-1 height that the clock does not allow. Read-only.
	errHeightAhead = errors.New("the layer-1 height is ahead of the clock")
)

// heightCheck is what is known about the layer-1 heights that endpoints give.
type heightCheck struct {
	bound l1Bound
	// implausible is the layer-1 height of the newest head where it is implausible; 0 otherwise.
	implausible protocol.L1Block
	// refusedSince is since when the contracts give heights that the clock does not allow; zero while they do not.
	refusedSince, refusedAt time.Time
	shown                   health.Key
}

// checkHeight accepts a head's layer-1 height, or keeps the previous one where it is implausible: rounds, and
// the expiry of transactions, follow from it, and an endpoint that leaves the number out is off by years. The
// contracts are asked at once; or with the next poll, when they contradicted a head a moment ago.
func (f *follower) checkHeight(head protocol.Head) protocol.Head {
	f.l1.implausible = 0
	now := f.c.opt.Now()
	if !f.known {
		return head
	}
	if head.L1 >= f.head.L1 && head.L1-f.head.L1 <= maxHeightStep && f.l1.bound.allows(head.L1, now) {
		f.l1.bound.take(head.L1, now)
		return head
	}
	f.l1.implausible, head.L1 = head.L1, f.head.L1
	f.toRead |= roundPart
	if now.Sub(f.clock.misled) >= f.c.opt.PollInterval {
		f.pollNow = true
	}
	return head
}

// acceptHeight takes the layer-1 height that the contracts gave for the newest head. On one branch it never
// falls: where it does, everything seen may be undone.
func (f *follower) acceptHeight(ctx context.Context, l1 protocol.L1Block) error {
	now := f.c.opt.Now()
	if f.l1.implausible != 0 && f.l1.implausible != l1 {
		f.clock.misled = now
	}
	if !f.allowHeight(l1, now) {
		f.clock.misled = now
		return errHeightAhead
	}
	fell := f.known && l1 < f.head.L1
	f.l1.implausible, f.head.L1 = 0, l1
	if !fell {
		return nil
	}
	f.reorganize(f.head, f.fork(ctx, f.head))
	return errBranchChanged
}

// allowHeight reports whether the clock allows a height, or the contracts have given such heights for
// heightPatience without a break.
func (f *follower) allowHeight(l1 protocol.L1Block, now time.Time) bool {
	h := &f.l1
	switch {
	case h.bound.allows(l1, now):
		h.bound.take(l1, now)
		h.refusedSince = time.Time{}
		return true
	case h.refusedSince.IsZero():
		h.refusedSince = now
	case elapsed(h.refusedSince, now) >= heightPatience:
		h.refusedSince, h.refusedAt = time.Time{}, time.Time{}
		h.bound.replace(l1, now)
		return true
	}
	h.refusedAt = now
	f.showFalseHeight(l1)
	return false
}

// showFalseHeight names the endpoints that may have given a false height. The detail has the first one only, because a
// changed detail is logged.
func (f *follower) showFalseHeight(l1 protocol.L1Block) {
	if f.l1.shown.Code != "" {
		return
	}
	var names []string
	for _, e := range f.c.opt.Client.Status().Endpoints {
		if e.State == endpoint.Serving || e.State == endpoint.Lagging {
			names = append(names, e.Name)
		}
	}
	f.l1.shown = health.Key{Code: fault.RPCContradicted, About: strings.Join(names, ", ")}
	f.c.opt.Board.Set(f.l1.shown, fmt.Sprintf("it says that layer 1 is at block %d, which the clock does not allow: "+
		"layer 1 was at block %d", l1, f.l1.bound.anchor.Height))
}

// clearFalseHeight clears the condition after a while, and once such a height was taken.
func (f *follower) clearFalseHeight() {
	if f.l1.shown.Code != "" && elapsed(f.l1.refusedAt, f.c.opt.Now()) >= shownFalse {
		f.c.opt.Board.Clear(f.l1.shown)
		f.l1.shown = health.Key{}
	}
}
