package remote

import (
	"net"
	"time"
)

// A peer that disappears without closing is detected within four to five seconds, so that its work can still be retried
// elsewhere in time: a segment has eight.
const (
	probeAfter = 2 * time.Second
	probeEvery = time.Second
	probes     = 2
	// unheard is how long what was sent may stay unacknowledged.
	unheard = 4 * time.Second
)

// KeepAlive has the kernel watch a connection. Both ends of a registration use it.
// What is no TCP connection stays as it is.
func KeepAlive(conn net.Conn) error {
	tcp, ok := bare(conn).(*net.TCPConn)
	if !ok {
		return nil
	}
	err := tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: probeAfter, Interval: probeEvery, Count: probes})
	if err != nil {
		return err
	}
	return limitUnheard(tcp)
}
