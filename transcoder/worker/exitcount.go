package worker

import "time"

// exitCount counts children that ended shortly one after another.
type exitCount int

const (
	// stableAfter is the lifetime after which an exit counts as the first again.
	stableAfter = 10 * time.Second
	// firstPause follows the second exit; each further one doubles it.
	firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second
	// quarantineAfter exits in a row quarantine the device: callers are refused at once
	// instead of waiting for the next child.
	quarantineAfter = 5
)

// after returns the count after the exit of a child with the given lifetime.
func (d exitCount) after(lived time.Duration) exitCount {
	if lived >= stableAfter {
		return 1
	}
	return d + 1
}

// pause returns the wait before the next child: none after the first exit.
func (d exitCount) pause() time.Duration {
	if d <= 1 {
		return 0
	}
	return min(longestPause, firstPause<<min(d-2, 20))
}

func (d exitCount) quarantined() bool { return d >= quarantineAfter }
