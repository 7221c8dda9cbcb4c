package process

import "time"

// monotonic is of use to service managers that Windows has not.
func monotonic() (time.Duration, bool) { return 0, false }
