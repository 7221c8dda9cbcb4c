package worker

import "time"

// exitCount counts how often children died shortly one after another.
type exitCount int

const (
	// stableAfter is a life after which a death is the first again.
	stableAfter = 10 * time.Second
	// firstPause follows the second death; each further one doubles it.
	firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second
	// quarantineAfter deaths in a row put the device in quarantine: callers are refused
	// at once instead of waiting for the next child.
	quarantineAfter = 5
)

// after is the count after the death of a child that lived so long.
func (d exitCount) after(lived time.Duration) exitCount {
	if lived >= stableAfter {
		return 1
	}
	return d + 1
}

// pause is how long to wait before the next child: not at all after the first
// death.
func (d exitCount) pause() time.Duration {
	if d <= 1 {
		return 0
	}
	return min(longestPause, firstPause<<min(d-2, 20))
}

func (d exitCount) quarantined() bool { return d >= quarantineAfter }
