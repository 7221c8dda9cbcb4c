package live

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"net"
	"net/netip"
	"time"

	"github.com/pion/stun/v4"
	"golang.org/x/time/rate"
)

const (
	// checkRate and checkBurst bound the checks of one address, and those of one connection from addresses that are new.
	// Peers send about twenty a second while they connect, and fewer afterwards.
	checkRate, checkBurst = 100, 200
	// checkShares is how many limits addresses and connections share, at random.
	checkShares = 4096
)

// checks is the UDP socket of all connections without the checks of connections that come too fast. The library queues
// what comes for a connection without a bound, and takes longer to answer a check than to read one. It is read by one
// goroutine.
type checks struct {
	*net.UDPConn
	now    func() time.Time
	seed   maphash.Seed
	limits [checkShares]*rate.Limiter
}

// boundChecks is a socket for the library. One that is none of UDP, as tests have, is not bounded.
func boundChecks(conn net.PacketConn, now func() time.Time) net.PacketConn {
	udp, ok := conn.(*net.UDPConn)
	if !ok {
		return conn
	}
	return &checks{UDPConn: udp, now: now, seed: maphash.MakeSeed()}
}

// ReadFromAddrPort reads the next packet that is no check, or not one too many. The library prefers it to ReadFrom.
func (c *checks) ReadFromAddrPort(b []byte) (int, netip.AddrPort, error) {
	for {
		n, from, err := c.ReadFromUDPAddrPort(b)
		if err != nil || !stun.IsMessage(b[:n]) || c.take(b[:n], from) {
			return n, from, err
		}
	}
}

// ReadFrom reads as ReadFromAddrPort does.
func (c *checks) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := c.ReadFromAddrPort(b)
	return n, net.UDPAddrFromAddrPort(from), err
}

// WriteToAddrPort writes a packet.
func (c *checks) WriteToAddrPort(b []byte, to netip.AddrPort) (int, error) {
	return c.WriteToUDPAddrPort(b, to)
}

// take counts a check for its address, and for the connection that it names. A known address may name any, and an
// unknown one is found by the name.
func (c *checks) take(b []byte, from netip.AddrPort) bool {
	now := c.now()
	if !c.limit(maphash.Comparable(c.seed, from)).AllowN(now, 1) {
		return false
	}
	name, ok := connectionOf(b)
	return !ok || c.limit(maphash.Bytes(c.seed, name)).AllowN(now, 1)
}

func (c *checks) limit(hash uint64) *rate.Limiter {
	l := &c.limits[hash%checkShares]
	if *l == nil {
		*l = rate.NewLimiter(checkRate, checkBurst)
	}
	return *l
}

// connectionOf is the name of a connection in a check, if it has one.
func connectionOf(b []byte) (name []byte, ok bool) {
	const header, head = 20, 4
	for b = b[header:]; len(b) >= head; {
		kind, size := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
		if b = b[head:]; size > len(b) {
			return nil, false
		}
		if stun.AttrType(kind) == stun.AttrUsername {
			name, _, _ = bytes.Cut(b[:size], []byte{':'})
			return name, true
		}
		b = b[min(len(b), (size+3)&^3):]
	}
	return nil, false
}
