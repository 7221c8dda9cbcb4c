package backend

import (
	"strconv"
	"time"
)

// maxRetryAfter bounds a runner's Retry-After.
const maxRetryAfter = 5 * time.Minute

// retryAfter reads the header's form in seconds; false for any other.
func retryAfter(header string) (time.Duration, bool) {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 1 {
		return 0, false
	}
	return min(time.Duration(min(seconds, 3600))*time.Second, maxRetryAfter), true
}
