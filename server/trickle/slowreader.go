package trickle

import (
	"time"
)

// write sends bytes at once. A reader that takes nothing for long is cut off.
func (rd *reader) write(parts [][]byte) error {
	_ = rd.rc.SetWriteDeadline(time.Now().Add(rd.c.limits.Stall))
	for _, p := range parts {
		if _, err := rd.w.Write(p); err != nil {
			return err
		}
	}
	return rd.rc.Flush()
}
