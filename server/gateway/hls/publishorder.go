package hls

import (
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core"
)

// Order publishes segments that finish in any order by their numbers. A finished segment waits for
// segments with lower numbers that are still in progress, as long as all waiting ones fit into a
// stream's window. Safe for concurrent use; the zero value is ready.
type Order struct {
	mu      sync.Mutex
	pending []*PendingSegment // in order of epoch and number
	waiting int64             // bytes of the finished ones among them
	begun   bool
	highest core.SegmentNumber // of the arrivals of this epoch
	epoch   int
	out     core.SegmentNumber // highest number published in this epoch
	anyOut  bool
	// late is the number of the last arrival that came too late.
	late    core.SegmentNumber
	anyLate bool
}

// maxPending bounds the segments in the order; failed ones have no bytes.
const maxPending = 1024

// PendingSegment is a segment's position in the order.
type PendingSegment struct {
	number core.SegmentNumber
	epoch  int
	done   bool
	seg    *Segment
	// published: it left the order, or later segments were published without it.
	published bool
}

func (p *PendingSegment) bytes() (n int64) {
	if p.seg == nil {
		return 0
	}
	for _, d := range p.seg.Data {
		n += int64(len(d))
	}
	return n
}

// restartDistance is how far below the highest a number must be to mean a restart, not a late
// segment.
const restartDistance = 16

// Begin records that a segment has arrived.
//
// A number far below the highest one, number 0, and two late segments in a row mean that the source
// restarted its numbers.
func (o *Order) Begin(n core.SegmentNumber) *PendingSegment {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.begun && o.restartsLocked(n) {
		o.epoch++
		o.begun, o.anyOut, o.anyLate = false, false, false
	}
	if o.anyOut && n <= o.out {
		o.late, o.anyLate = n, true
	}
	if !o.begun || n > o.highest {
		o.begun, o.highest = true, n
	}
	p := &PendingSegment{number: n, epoch: o.epoch}
	i, _ := slices.BinarySearchFunc(o.pending, p, comparePending)
	o.pending = slices.Insert(o.pending, i, p)
	return p
}

func (o *Order) restartsLocked(n core.SegmentNumber) bool {
	return n < o.highest-restartDistance || n == 0 && o.highest > 0 && o.anyOut || o.anyLate && o.anyOut &&
		n == o.late+1 && n <= o.out
}

func comparePending(a, b *PendingSegment) int {
	if a.epoch != b.epoch {
		return a.epoch - b.epoch
	}
	switch {
	case a.number < b.number:
		return -1
	case a.number > b.number:
		return 1
	}
	return 0
}

// Finish hands in a segment, nil for one that failed, and calls publish in order for every segment
// that is due, before it returns. Segments that are too late are left out.
func (o *Order) Finish(p *PendingSegment, seg *Segment, publish func(Segment)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.done, p.seg = true, seg
	if p.published {
		p.seg.release()
		return
	}
	o.waiting += p.bytes()
	for len(o.pending) > 0 && (o.pending[0].done || o.waiting > DefaultStreamBytes || len(o.pending) > maxPending) {
		next := o.pending[0]
		o.pending = slices.Delete(o.pending, 0, 1)
		o.waiting -= next.bytes()
		next.published = true
		if next.seg == nil {
			continue
		}
		if o.advanceLocked(next) {
			publish(*next.seg)
		}
		next.seg.release()
	}
}

// advanceLocked reports whether a segment is not too late, and records its number.
func (o *Order) advanceLocked(p *PendingSegment) bool {
	if p.epoch != o.epoch {
		return true
	}
	if o.anyOut && p.number <= o.out {
		return false
	}
	o.out, o.anyOut = p.number, true
	return true
}
