package core

import (
	"math"
	"math/bits"
	"time"
)

// passthroughFPS is assumed where the source's own frame rate is kept.
const passthroughFPS = 60

// EstimatePixels returns about how many pixels the renditions of a segment will have:
// from the sizes asked for, in whole frames per second and whole seconds. Gateways
// pay ahead by it, with a margin, and orchestrators set money aside by it, so both
// must come to the same number. It is never negative, and ends at the largest
// number where a stranger's profiles ask for more.
func EstimatePixels(profiles []Profile, duration time.Duration) Pixels {
	seconds := uint64(max(0, math.Ceil(duration.Seconds())))
	var sum uint64
	for i := range profiles {
		p := &profiles[i]
		size := product(uint64(max(0, p.Width)), uint64(max(0, p.Height)))
		rendition := product(product(size, p.FPS.ceil()), seconds)
		sum = min(sum+rendition, math.MaxInt64) // neither is more than that
	}
	return Pixels(sum)
}

// ceil returns the frame rate in whole frames per second.
func (r Framerate) ceil() uint64 {
	if r.Passthrough() {
		return passthroughFPS
	}
	num, den := r.Norm()
	return (uint64(num) + uint64(den) - 1) / uint64(den)
}

// product is a·b, at most the largest Pixels.
func product(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxInt64
	}
	return min(low, math.MaxInt64)
}
