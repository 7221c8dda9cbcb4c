package worker

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// What a result may have beyond the sum that its order comes to. Encoders need more than
// they were asked for where that is hardly anything, gateways state a duration that is
// too short, and a signature has some 700 bytes for each frame.
const (
	resultBase = 8 << 20
	// minRate is taken for renditions of a lower rate, freeRate for those of a constant
	// quality without a rate, in bits per second.
	minRate, freeRate = 8_000_000, 100_000_000
	// signatureRate is in bytes per second of a rendition.
	signatureRate = 128 << 10
	// minDuration is taken for segments that are shorter or of unknown length.
	minDuration = 2 * time.Second
)

// maxResultBytes returns how many bytes the renditions of a job may have in all: twice what they
// come to by their rates over twice the stated time or the source's own, whichever is longer,
// and twice the source for each. An honest engine stays below it unless its gateway understates
// the length of a source that does not state its own, such as one in fragments.
func maxResultBytes(job *core.TranscodeJob) int64 {
	seconds := 2*max(job.Duration, playingTime(job.Input), minDuration).Seconds() + minDuration.Seconds()
	most := int64(resultBase)
	for i := range job.Profiles {
		p := &job.Profiles[i]
		rate := max(2*float64(p.Bitrate), minRate)
		if p.Bitrate <= 0 {
			rate = freeRate
		}
		bytes := rate / 8
		if job.Signature {
			bytes += signatureRate
		}
		most += int64(min(seconds*bytes, core.MaxSegmentBytes)) + 2*int64(len(job.Input))
	}
	return most
}
