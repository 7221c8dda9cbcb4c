package apikeys

import "time"

// windowSeconds is the length of the window that limits per minute look at. It
// is one slot longer than a minute, because the oldest second is not over when
// the youngest begins: so no 60 seconds, wherever they start, hold more than the
// limit.
const windowSeconds = 61

// window counts per second over the last minute. The zero value is empty.
type window struct {
	// counts is a ring by second, made with the first count: most keys have no
	// limits per minute.
	counts []int64
	last   int64
	sum    int64
}

// advance forgets what is older than the window. A clock that was set back does
// not bring anything back, and keeps nothing for longer than two windows.
func (w *window) advance(second int64) {
	if w.counts == nil || second <= w.last && w.last-second < windowSeconds {
		return
	}
	if second < w.last {
		w.setBack(second)
		return
	}
	if second-w.last >= windowSeconds {
		clear(w.counts)
		w.sum = 0
	} else {
		for s := w.last + 1; s <= second; s++ {
			slot := &w.counts[slotOf(s)]
			w.sum -= *slot
			*slot = 0
		}
	}
	w.last = second
}

// setBack moves what the window holds to the seconds before a present one that is
// earlier: the clock was ahead, and is right now.
func (w *window) setBack(second int64) {
	moved := make([]int64, windowSeconds)
	for age := range int64(windowSeconds) {
		moved[slotOf(second-age)] = w.counts[slotOf(w.last-age)]
	}
	w.counts, w.last = moved, second
}

// slotOf returns the place of a second in the ring.
func slotOf(second int64) int64 { return (second%windowSeconds + windowSeconds) % windowSeconds }

// add counts n in the present second, and returns that second.
func (w *window) add(second, n int64) int64 {
	if w.counts == nil {
		w.counts = make([]int64, windowSeconds)
		w.last = second
	}
	w.advance(second)
	w.counts[slotOf(w.last)] += n
	w.sum += n
	return w.last
}

// correct changes what was counted in an earlier second, if the window still
// holds it. What cannot be taken back from that second is left.
func (w *window) correct(second, n int64) {
	if w.counts == nil || second < 0 || second > w.last || w.last-second >= windowSeconds {
		return
	}
	slot := &w.counts[slotOf(second)]
	n = max(n, -*slot)
	*slot += n
	w.sum += n
}

// fits reports whether n more are within limit. If not, wait says when they will
// be, zero for never.
func (w *window) fits(now time.Time, limit, n int64) (ok bool, wait time.Duration) {
	second := now.Unix()
	w.advance(second)
	if w.sum+n <= limit {
		return true, 0
	}
	if n > limit || w.counts == nil {
		return false, 0
	}
	second = max(second, w.last)
	left := w.sum
	for s := second - windowSeconds + 1; s <= second; s++ {
		left -= w.counts[slotOf(s)]
		if left+n <= limit {
			return false, time.Unix(s+windowSeconds, 0).Sub(now)
		}
	}
	return false, 0
}

// idle reports whether the window holds nothing.
func (w *window) idle(now time.Time) bool {
	w.advance(now.Unix())
	return w.sum == 0
}
