package videorouting

import (
	"math"
	"time"

	"github.com/tuttinode/tutti/core"
)

// estimateMargin is added to the estimate.
const estimateMargin = 1.02

// Estimate is about how many pixels the renditions of a segment will have, for
// the payment that goes ahead: what both sides estimate, and a margin.
func Estimate(profiles []core.Profile, duration time.Duration) core.Pixels {
	pixels := math.Ceil(float64(core.EstimatePixels(profiles, duration)) * estimateMargin)
	return core.Pixels(min(pixels, 1<<62))
}
