package mediafile

// Grid converts a segment's frames to a fixed frame rate: output frames sit on a
// grid that starts at the segment's first frame, each showing the source frame
// whose own grid point is the latest at or before it. It starts afresh with each
// segment, so a gap between segments is never filled.
//
// A frame's share of the grid is known only when the next frame, or the end, is.
type Grid struct {
	base     TimeBase
	num, den int64
	origin   int64
	next     int64
	started  bool
}

// NewGrid makes a grid of num/den frames per second over ticks of base.
func NewGrid(base TimeBase, num, den int64) *Grid { return &Grid{base: base, num: num, den: den} }

// Slots are the grid points [From, To) that one frame fills.
type Slots struct{ From, To int64 }

// Len returns the number of grid points.
func (s Slots) Len() int64 { return s.To - s.From }

// Add tells the time of the next frame and returns the slots of the one before
// it; they are empty for the first frame.
func (g *Grid) Add(t int64) Slots {
	if !g.started {
		g.started, g.origin = true, t
		return Slots{}
	}
	return g.upTo(t)
}

// End tells when the last frame ends and returns its slots. A segment that has
// filled none until then fills one.
func (g *Grid) End(t int64) Slots {
	if !g.started {
		return Slots{}
	}
	s := g.upTo(t)
	if g.next == 0 {
		g.next, s.To = 1, 1
	}
	return s
}

func (g *Grid) upTo(t int64) Slots {
	s := Slots{From: g.next, To: max(g.next, mulDiv(t-g.origin, g.num*g.base.Num, g.den*g.base.Den))}
	g.next = s.To
	return s
}

// Time returns the time of grid point n, in ticks.
func (g *Grid) Time(n int64) int64 {
	return g.origin + g.offset(n)
}

func (g *Grid) offset(n int64) int64 { return mulDiv(n, g.den*g.base.Den, g.num*g.base.Num) }

// Step returns the usual distance of two grid points in ticks, at least 1.
func (g *Grid) Step() int64 { return max(1, g.offset(1)) }
