package videorouting

import (
	"math"
	"time"

	"github.com/tuttinode/tutti/core"
)

// estimateMargin is added to the estimate.
const estimateMargin = 1.02

// Estimate returns the approximate number of pixels of a segment's renditions, for the payment in
// advance: the network's estimate plus a margin.
func Estimate(profiles []core.Profile, duration time.Duration) core.Pixels {
	pixels := math.Ceil(float64(core.EstimatePixels(profiles, duration)) * estimateMargin)
	return core.Pixels(min(pixels, 1<<62))
}
