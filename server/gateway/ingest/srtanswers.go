package ingest

import "github.com/datarhei/gosrt"

const (
	// maxUnanswered bounds the acknowledgments without an answer, all of which the library looks at with each answer.
	// There are about 100 a second, and more of a fast client.
	maxUnanswered = 1500
	// maxRTT bounds how old the answered ones are, in milliseconds.
	maxRTT = 10_000
)

// srtAnswers are a client's answers to acknowledgments. The library keeps an entry per acknowledgment until a later
// one is answered, and each answer changes the time of a round trip.
type srtAnswers struct {
	rtt  float64
	sent uint64
}

// missing looks at a client again. It reports whether too many answers are missing.
func (a *srtAnswers) missing(now *srt.Statistics) bool {
	if rtt := now.Instantaneous.MsRTT; rtt != a.rtt {
		a.rtt, a.sent = rtt, now.Accumulated.PktSentACK
	}
	return a.rtt > maxRTT || now.Accumulated.PktSentACK-a.sent > maxUnanswered
}
