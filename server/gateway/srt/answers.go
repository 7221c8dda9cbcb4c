package srt

import "github.com/datarhei/gosrt"

const (
	// maxUnanswered bounds the acknowledgements without an answer. There are about 100 a second, and more of a fast
	// client.
	maxUnanswered = 5000
	// maxRTT bounds how old the answered ones are, in milliseconds.
	maxRTT = 10_000
)

// answers are a client's answers to acknowledgements. The library keeps an entry per acknowledgement until a later one
// is answered, and each answer changes the time of a round trip.
type answers struct {
	rtt  float64
	sent uint64
}

// missing looks at a client again. It reports whether too many answers are missing.
func (a *answers) missing(now *srt.Statistics) bool {
	if rtt := now.Instantaneous.MsRTT; rtt != a.rtt {
		a.rtt, a.sent = rtt, now.Accumulated.PktSentACK
	}
	return a.rtt > maxRTT || now.Accumulated.PktSentACK-a.sent > maxUnanswered
}
