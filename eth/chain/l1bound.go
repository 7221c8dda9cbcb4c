package chain

import (
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

const (
	// anchorAge is how long the greatest height of a time bounds later ones.
	anchorAge = time.Hour
	// learningTime is how long any height is taken where none was known: the first one may be too low.
	learningTime = 10 * time.Minute
)

// l1Point is a layer-1 height at a time of this machine's clock.
type l1Point struct {
	Height protocol.L1Block
	At     time.Time
}

// after returns how high layer 1 can be at a later time.
func (p l1Point) after(now time.Time, blockTime time.Duration) protocol.L1Block {
	return p.Height + protocol.L1Block(elapsed(p.At, now)/blockTime)
}

// elapsed returns the time since then by whichever clock shows more: the monotonic one stands still while the machine
// sleeps, and the other one may be set back.
func elapsed(then, now time.Time) time.Duration {
	return max(0, now.Sub(then), now.Round(0).Sub(then.Round(0)))
}

// l1Bound bounds layer-1 heights by the clock: blocks come no faster than one in blockTime, but slower, where slots
// stay empty.
//
// The bound rises from the greatest height of the last hour or two, and no height that is taken moves it up: an
// endpoint that goes as far as is allowed goes no further with the next answer. Nor does a low height move it down,
// so that one false low answer does not make the true height implausible. While the height stays the same, as at an
// endpoint that stands still, its start stays too, and it allows the height at which layer 1 is by then.
type l1Bound struct {
	blockTime time.Duration
	// anchor is where the bound starts, next the greatest point since the anchor was chosen.
	anchor, next l1Point
	last         protocol.L1Block // the height taken last
	// chosen is when the anchor was chosen; learnsTo is until when it follows every greater height.
	chosen, learnsTo time.Time
}

// restore begins with the anchor of the last run. One of a later time is of no use: the clock was wrong.
func (l *l1Bound) restore(p l1Point, now time.Time) {
	if p.At.IsZero() || p.At.After(now.Add(time.Minute)) {
		return
	}
	l.replace(p.Height, p.At)
}

// allows reports whether layer 1 can have reached a height. Without a block time any is.
func (l *l1Bound) allows(h protocol.L1Block, now time.Time) bool {
	return l.blockTime == 0 || l.anchor.At.IsZero() || now.Before(l.learnsTo) ||
		h <= l.anchor.after(now, l.blockTime)+maxHeightStep
}

// take records an allowed height.
func (l *l1Bound) take(h protocol.L1Block, now time.Time) {
	switch {
	case l.blockTime == 0:
		return
	case l.anchor.At.IsZero():
		l.replace(h, now)
		l.learnsTo = now.Add(learningTime)
		return
	case now.Before(l.learnsTo):
		if h > l.anchor.after(now, l.blockTime) {
			l.anchor = l1Point{h, now}
		}
		return
	}
	if h == l.last {
		return
	}
	l.last = h
	h = min(h, l.anchor.after(now, l.blockTime))
	if elapsed(l.chosen, now) >= anchorAge {
		if !l.next.At.IsZero() {
			l.anchor = l.next
		}
		l.next, l.chosen = l1Point{}, now
	}
	if l.next.At.IsZero() || h > l.next.after(now, l.blockTime) {
		l.next = l1Point{h, now}
	}
}

// replace starts the bound at a height.
func (l *l1Bound) replace(h protocol.L1Block, now time.Time) {
	l.anchor, l.next, l.chosen = l1Point{h, now}, l1Point{}, now
}
