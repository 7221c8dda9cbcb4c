package process

import (
	"encoding/gob"
	"net"
	"time"

	"github.com/tuttinode/tutti/server/liverunner"
)

// updateTime limits how long an update to the other process may take.
const updateTime = 5 * time.Second

// share connects live sessions with the other process of an upgrade. run tells that process what becomes of them and
// takes the same from it, until that process ends or closes the connection.
func share(
	connect func(send func(liverunner.Update)) *liverunner.Line, conn net.Conn, in *gob.Decoder, out *gob.Encoder,
) (run func()) {
	updates := make(chan liverunner.Update, 1024)
	done := make(chan struct{})
	line := connect(func(n liverunner.Update) {
		select {
		case updates <- n:
		case <-done:
		}
	})
	return func() {
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
			line.Receive(n)
		}
		close(done)
		line.Close()
		_ = conn.Close()
	}
}
