package chain

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

func staleKey() health.Key { return health.Key{Code: fault.ChainStale} }

// updateStale marks the view stale when no block came, or none could be read, for too long, and fresh again
// afterwards. An endpoint that keeps answering the same block does not count: Arbitrum One has several blocks
// a second, so either the endpoint is stuck or the sequencer stopped, and in both cases what follows from the
// layer-1 height is unknown.
func (f *follower) updateStale() {
	since := f.clock.head
	if f.clock.good.Before(since) {
		since = f.clock.good
	}
	silent := f.c.opt.Now().Sub(since) > f.c.opt.StaleAfter
	switch {
	case silent && !f.stale:
		f.toRead |= allParts
		f.setStale(true, since)
	case f.stale && !silent && f.known:
		f.setStale(false, since)
	}
	if silent && !f.alarmed {
		f.alarmed = true
		f.c.opt.Board.Set(staleKey(), f.lastKnown())
	}
}

func (f *follower) setStale(stale bool, since time.Time) {
	f.stale = stale
	if !stale {
		f.alarmed = false
		f.c.opt.Board.Clear(staleKey())
	}
	if f.cur.Head.Hash.IsZero() {
		return
	}
	f.publish()
	f.c.bus.publish(protocol.StaleSeen{Stale: stale, Since: since})
}

// lastKnown describes the age of the view.
func (f *follower) lastKnown() string {
	if f.cur.Head.Hash.IsZero() {
		return "nothing was read since the start"
	}
	text := fmt.Sprintf("the last block read is %d, of %s", f.cur.Head.Number,
		f.cur.Head.Time.UTC().Format("2006-01-02 15:04:05 UTC"))
	if f.cur.Head.Hash == f.head.Hash && f.clock.answered.After(f.clock.head) {
		text += "; the endpoints answer, and know no later one"
	}
	return text
}
