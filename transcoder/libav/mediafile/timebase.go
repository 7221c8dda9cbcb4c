package mediafile

import (
	"math"
	"math/bits"
)

// NoTime marks a time that is not known. libav uses the same value.
const NoTime = math.MinInt64

// TimeBase is a time base: one tick lasts Num/Den seconds. Both are positive.
type TimeBase struct{ Num, Den int64 }

// MPEGClock is the clock of MPEG-TS, 90 kHz. Read-only.
var MPEGClock = TimeBase{1, 90000}

// far bounds results, so that sums of a few of them never overflow.
const far = math.MaxInt64 / 8

// Rescale converts ticks of one base to another, rounding to the nearest tick
// and halves away from zero. Results beyond any real time are clamped.
func Rescale(t int64, from, to TimeBase) int64 {
	if t == NoTime || from == to {
		return t
	}
	return mulDiv(t, from.Num*to.Den, from.Den*to.Num)
}

// Ticks converts milliseconds-exact nanoseconds to ticks of the base.
func (b TimeBase) Ticks(nanos int64) int64 { return Rescale(nanos, TimeBase{1, 1e9}, b) }

// mulDiv returns t × mul / div, to the nearest, halves away from zero. mul and
// div are positive.
func mulDiv(t, mul, div int64) int64 {
	if t < 0 {
		return -mulDiv(-max(t, -far), mul, div)
	}
	hi, lo := bits.Mul64(uint64(t), uint64(mul))
	lo, carry := bits.Add64(lo, uint64(div)/2, 0)
	hi += carry
	if hi >= uint64(div) {
		return far
	}
	q, _ := bits.Div64(hi, lo, uint64(div))
	return int64(min(q, far))
}
