package route

import (
	"math"
	"time"

	"github.com/tuttinode/tutti/core"
)

const (
	// passthroughFPS is assumed where the source's own frame rate is kept.
	passthroughFPS = 60
	// estimateMargin is added to the estimate.
	estimateMargin = 1.02
)

// Estimate is about how many pixels the renditions of a segment will have, for
// the payment that goes ahead: from the sizes asked for, rounded up.
func Estimate(profiles []core.Profile, duration time.Duration) core.Pixels {
	seconds := math.Ceil(duration.Seconds())
	var sum float64
	for _, p := range profiles {
		fps := float64(passthroughFPS)
		if !p.FPS.Passthrough() {
			num, den := p.FPS.Norm()
			fps = math.Ceil(float64(num) / float64(den))
		}
		sum += float64(p.Width) * float64(p.Height) * fps * seconds
	}
	return core.Pixels(math.Ceil(sum * estimateMargin))
}
