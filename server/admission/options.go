package admission

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// DefaultPerAddress is how many connections of one address are served at once before
// they have proved anything.
const DefaultPerAddress = 32

// What one address may do follows from the connections that it may have.
const (
	// waitingPer is how many more connections may wait for each that is served. One that
	// waits costs a descriptor and a few KB.
	waitingPer = 16
	// idlePer is the same where only the reading of requests is bounded: most of these
	// connections are idle ones of clients that come back.
	idlePer = 64
	// requestsPer is how many requests may be in progress for each.
	requestsPer = 4
	// burstPer and ratePer are the bytes that are read at once, and each second.
	burstPer, ratePer = 16 << 10, 4 << 10
	// connectionCost is what a new connection counts in bytes: a TLS handshake is work.
	connectionCost = 8 << 10
	// knownFactor is how much more an address may do that is known.
	knownFactor = 64
	// knownFor is how long an address stays known after the last proof from it.
	knownFor = 10 * time.Minute
	// turn is how long a connection is served at least before it makes room for one
	// that waits, if it has no request in progress.
	turn = 3 * time.Second
)

// Options are what a Gate is built from.
type Options struct {
	// Most bounds the connections of all peers.
	Most int
	// PerAddress bounds what one address may do; 0 is no bound.
	PerAddress int
	// Known are networks whose addresses count as known always, each for itself.
	Known []netip.Prefix
	// HeadersOnly bounds an address only while requests are read: no client of the
	// listener has to prove anything. What is in progress or idle does not count.
	HeadersOnly bool
	// Take is how long a client of such a listener may take for a piece of an answer that has
	// no deadline; default two minutes.
	Take time.Duration
	// LocalFree leaves programs of the own machine, at 127.0.0.1 and ::1, unbounded.
	LocalFree bool
	// Full is called when the bound of all connections was reached, once until it is
	// left again. Scarce is called when the system has no descriptor for a connection,
	// at each attempt. Both must be quick, and may be nil.
	Full   func()
	Scarce func(error)
	Now    func() time.Time
	Log    *slog.Logger
}

// Server makes an http.Server's connections the gate's: those that come from the
// gate's Listener. after is called at each change as well, and may be nil.
func (g *Gate) Server(s *http.Server, after func(net.Conn, http.ConnState)) {
	s.ConnContext = connContext
	s.ConnState = func(conn net.Conn, state http.ConnState) {
		g.changed(conn, state)
		if after != nil {
			after(conn, state)
		}
	}
}
