package process

import (
	"encoding/gob"
	"net"
	"time"

	"github.com/tuttinode/tutti/server/liverunner"
)

// updateTime limits how long an update to the other process may take.
const updateTime = 5 * time.Second

// share tells the other process of an upgrade what becomes of live sessions, and gets the same from it, until
// that process ends or closes the line.
func share(live *liverunner.Server, conn net.Conn, in *gob.Decoder, out *gob.Encoder) {
	updates := make(chan liverunner.Update, 1024)
	done := make(chan struct{})
	live.Tell(func(n liverunner.Update) {
		select {
		case updates <- n:
		case <-done:
		}
	})
	go func() {
		broken := false
		for {
			select {
			case n := <-updates:
				_ = conn.SetWriteDeadline(time.Now().Add(updateTime))
				if !broken && out.Encode(n) != nil {
					broken = true
					_ = conn.Close() // the reading side ends; until then it may send, and must not wait
				}
			case <-done:
				return
			}
		}
	}()
	_ = conn.SetReadDeadline(time.Time{})
	for {
		var n liverunner.Update
		if in.Decode(&n) != nil {
			break
		}
		live.Receive(n)
	}
	close(done)
	live.Tell(nil)
	_ = conn.Close()
}
