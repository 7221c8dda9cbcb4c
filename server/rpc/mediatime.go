package rpc

import (
	"strconv"
	"time"
)

// MediaTimeHeader tells how many milliseconds of a segment's time the codecs took.
// An orchestrator sends it as a trailer of its answer to /segment, a gateway as a
// header of its answer to a push: the rest of the time is transport and overhead,
// and a client that measures can tell the two apart. Nodes that do not know it ignore it.
const MediaTimeHeader = "Tutti-Media-Ms"

// FormatMediaTime writes a time as MediaTimeHeader carries it.
func FormatMediaTime(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 3, 64)
}

// ParseMediaTime reads what FormatMediaTime writes. A peer that says nothing, or
// nonsense, gives 0.
func ParseMediaTime(text string) time.Duration {
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil || !(ms >= 0 && ms < 1e7) {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}
