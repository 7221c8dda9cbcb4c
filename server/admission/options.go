package admission

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// DefaultPerAddress is how many unproved connections of one address are served at once.
const DefaultPerAddress = 32

// The bounds of an address follow from its number of connections.
const (
	// waitingPer is how many connections may wait per served one. A waiting one costs a
	// descriptor and a few KB.
	waitingPer = 16
	// idlePer is the same with HeadersOnly: most of these connections are idle keep-alive
	// ones.
	idlePer = 64
	// requestsPer is how many requests may be in progress per served connection.
	requestsPer = 4
	// burstPer and ratePer are the bucket's size and rate per second, in bytes.
	burstPer, ratePer = 16 << 10, 4 << 10
	// connectionCost is the cost of a new connection in bytes, for its TLS handshake.
	connectionCost = 8 << 10
	// knownFactor multiplies the bounds of a known address.
	knownFactor = 64
	// knownFor is how long an address stays known after the last proof from it.
	knownFor = 10 * time.Minute
	// minServed is how long a connection without a request in progress is served at least
	// before it is closed for a waiting one.
	minServed = 3 * time.Second
)

// Options are what a Gate is built from.
type Options struct {
	// Most bounds the connections of all peers.
	Most int
	// PerAddress is the bound of one address; 0 is no bound.
	PerAddress int
	// Known are networks whose addresses always count as known, each separately.
	Known []netip.Prefix
	// HeadersOnly bounds an address only while requests are read, for listeners without
	// credentials. Requests in progress and idle connections do not count.
	HeadersOnly bool
	// Take bounds a write without a deadline with HeadersOnly; default two minutes.
	Take time.Duration
	// LocalFree leaves loopback clients, at 127.0.0.1 and ::1, unbounded.
	LocalFree bool
	// Full is called when the bound of all connections is reached, once until the number has
	// dropped below it. Scarce is called at each attempt when the system has no descriptor
	// for a connection. Both must not block, and may be nil.
	Full   func()
	Scarce func(error)
	Now    func() time.Time
	Log    *slog.Logger
}

// Server installs the gate's hooks in an http.Server that uses the gate's Listener. after is
// called at each state change too, and may be nil.
func (g *Gate) Server(s *http.Server, after func(net.Conn, http.ConnState)) {
	s.ConnContext = connContext
	s.ConnState = func(conn net.Conn, state http.ConnState) {
		g.changed(conn, state)
		if after != nil {
			after(conn, state)
		}
	}
}
