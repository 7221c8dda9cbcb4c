// Package timing holds the rules about time inside one segment: how broken times
// are repaired, which output frames a frame rate asks for, what a clip keeps,
// where key frames are forced, and how packets are ordered for a container.
//
// It is pure arithmetic on ticks of a time base and knows nothing of libav, so
// that a device of any kind follows the same rules. Only transcoder/libav calls it.
//
// A SoundMeter measures for how long packets of sound play, by what the codec's own bytes say: a
// container may state any duration, and work on sound is paid by its length. It decodes nothing.
// Where a packet cannot be read, its bytes bound the time from below by the codec's highest rate.
package timing

import (
	"math"
	"math/bits"
)

// None marks a time that is not known. libav uses the same value.
const None = math.MinInt64

// Base is a time base: one tick lasts Num/Den seconds. Both are positive.
type Base struct{ Num, Den int64 }

// MPEG is the clock of MPEG-TS, 90 kHz. Read-only.
var MPEG = Base{1, 90000}

// far bounds results, so that sums of a few of them never overflow.
const far = math.MaxInt64 / 8

// Rescale converts ticks of one base to another, rounding to the nearest tick
// and halves away from zero. Results beyond any real time are clamped.
func Rescale(t int64, from, to Base) int64 {
	if t == None || from == to {
		return t
	}
	return mulDiv(t, from.Num*to.Den, from.Den*to.Num)
}

// Ticks converts milliseconds-exact nanoseconds to ticks of the base.
func (b Base) Ticks(nanos int64) int64 { return Rescale(nanos, Base{1, 1e9}, b) }

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
