package transcoder

import "github.com/tuttinode/tutti/core"

// passthroughRate is the frame rate assumed where a profile keeps the source's.
const passthroughRate = 30

// Load estimates what a session costs a device, in requested pixels per second.
// It only ranks devices against each other; it is fixed when a session is placed.
func Load(profiles []core.Profile) int64 {
	// More than that is refused, or not there; a sum of these is no overflow.
	const maxSide, maxRate = 1 << 15, 1000
	var load int64
	for _, p := range profiles {
		rate := int64(passthroughRate)
		if !p.FPS.Passthrough() {
			num, den := p.FPS.Norm()
			rate = num / den
		}
		load += int64(min(max(0, p.Width), maxSide)) * int64(min(max(0, p.Height), maxSide)) * min(rate, maxRate)
	}
	return load
}
