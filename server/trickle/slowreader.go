package trickle

import (
	"time"
)

// write sends bytes at once. A reader that takes nothing for long is cut off.
func (rd *reader) write(parts [][]byte) error {
	// Between the time of a stall and a little more is as good, and the deadline is not set for each write.
	if now := time.Now(); now.Sub(rd.extended) > rd.c.limits.Stall/8 {
		rd.extended = now
		_ = rd.rc.SetWriteDeadline(now.Add(rd.c.limits.Stall + rd.c.limits.Stall/8))
	}
	for _, p := range parts {
		if _, err := rd.w.Write(p); err != nil {
			return err
		}
	}
	return rd.rc.Flush()
}
