package mediafile

// Order repairs the times of one stream's packets on their way into a container:
// decode times grow and never exceed the presentation time. Presentation times
// are kept wherever that is possible.
//
// Encoders that reorder frames begin with decode times before the first
// presentation time. At the very start of the clock those are negative, which
// MPEG-TS cannot say: there they are squeezed after 0, so that no presentation
// time has to move.
type Order struct {
	// Negative allows times below 0.
	Negative bool

	last    int64
	started bool
}

// Next returns the packet's repaired times. Either may be None.
func (o *Order) Next(pts, dts int64) (newPTS, newDTS int64) {
	if pts == NoTime {
		pts = dts
	}
	if dts == NoTime {
		dts = pts
	}
	if dts == NoTime {
		dts = max(o.floor(), 0)
		pts = dts
	}
	if dts > pts {
		m := median(pts, dts, o.floor())
		pts, dts = m, m
	}
	dts = max(dts, o.floor())
	pts = max(pts, dts)
	o.last, o.started = dts, true
	return pts, dts
}

// floor returns the smallest decode time that may come next.
func (o *Order) floor() int64 {
	switch {
	case o.started:
		return o.last + 1
	case o.Negative:
		return -far
	}
	return 0
}

func median(a, b, c int64) int64 { return max(min(a, b), min(max(a, b), c)) }
