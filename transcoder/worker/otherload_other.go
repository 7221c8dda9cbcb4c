//go:build !linux

package worker

import "time"

// OtherLoad returns 0: the CPU time of other processes is not known here.
func OtherLoad() time.Duration { return 0 }
