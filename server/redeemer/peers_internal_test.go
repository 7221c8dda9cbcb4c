package redeemer

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// remoteConn is a connection from an address.
type remoteConn struct {
	net.Conn
	from   string
	closed bool
}

func (c *remoteConn) RemoteAddr() net.Addr {
	at, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(c.from, "1000"))
	if err != nil {
		panic(err)
	}
	return at
}

func (c *remoteConn) Close() error { c.closed = true; return nil }

func at(ip string) origin { return originOf((&remoteConn{from: ip}).RemoteAddr()) }

func newTestKnown() *known { return newKnown(func() time.Time { return time.Unix(1e9, 0) }) }

func TestOrigins(t *testing.T) {
	t.Parallel()
	for ip, want := range map[string]string{
		"192.0.2.7": "192.0.2.7/32 192.0.2.7/32", "::ffff:192.0.2.7": "192.0.2.7/32 192.0.2.7/32",
		"2001:db8:1:2:3::4": "2001:db8:1:2::/64 2001:db8:1::/48",
	} {
		if o := at(ip); fmt.Sprint(o.host, " ", o.site) != want {
			t.Errorf("%s: %v %v", ip, o.host, o.site)
		}
	}
}

// TestStrangersWithManyAddresses: they hold all connections, from many networks of one site
// or from many sites. A new host gets in, a known one stays.
func TestStrangersWithManyAddresses(t *testing.T) {
	t.Parallel()
	const most = 16
	for name, stranger := range map[string]string{"of one site": "2001:db8:0:%x::1", "of many sites": "2001:db8:%x::1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTestKnown()
			l := newListener(nil, Options{Connections: most, ConnectionsEach: 4}, k)
			proved := &remoteConn{from: "192.0.2.1"}
			k.prove(at(proved.from), protocol.Hash{1})
			if c, _ := l.admit(proved); c == nil {
				t.Fatal("the known host is refused")
			}
			for i := range most - 1 {
				if c, _ := l.admit(&remoteConn{from: fmt.Sprintf(stranger, i+1)}); c == nil {
					t.Fatalf("stranger %d is refused while there is room", i)
				}
			}
			fresh, victim := l.admit(&remoteConn{from: "198.51.100.1"})
			if fresh == nil || victim == nil || victim.from != at(fmt.Sprintf(stranger, 1)) {
				t.Fatalf("%v, %v gives way", fresh, victim)
			}
			for i := range 10 * most {
				if _, victim := l.admit(&remoteConn{from: fmt.Sprintf(stranger, i+100)}); victim != nil && victim.Conn == proved {
					t.Fatal("the known host gives way")
				}
			}
			if len(l.open) != most {
				t.Errorf("%d connections, %d may be", len(l.open), most)
			}
		})
	}
}

// TestSlotsOfSites: a site has its share of what is in progress, known hosts go first, and
// strangers leave a quarter to them.
func TestSlotsOfSites(t *testing.T) {
	t.Parallel()
	k := newTestKnown()
	proved := at("192.0.2.1")
	k.prove(proved, protocol.Hash{1})
	s := newSlots(16, k)
	now, cancel := context.WithCancel(t.Context())
	cancel()
	enter := func(from origin) bool {
		_, err := s.enter(now, from)
		return err == nil
	}
	held := 0
	for i := range 40 {
		for n := range 4 {
			if enter(at(fmt.Sprintf("2001:db8:%x:%x::1", i, n))) {
				held++
			}
		}
		if most := min(12, 2*(i+1)); held > most {
			t.Fatalf("%d sites hold %d slots, want %d at most", i+1, held, most)
		}
	}
	if held == 0 || len(s.waiting) != 0 {
		t.Fatalf("%d slots are held, %d groups wait", held, len(s.waiting))
	}
	for i := range 4 {
		if !enter(proved) {
			t.Errorf("the known host has %d slots", i)
		}
	}
}

// TestCallsOfHosts: a host always has a few, a site no more than half, and a known host what
// one host may have.
func TestCallsOfHosts(t *testing.T) {
	t.Parallel()
	k := newTestKnown()
	proved := at("192.0.2.1")
	k.prove(proved, protocol.Hash{1})
	c := newCounts(200, 60, k)
	fill := func(from origin) (n int) {
		for {
			if _, ok := c.enter(from); !ok {
				return n
			}
			n++
		}
	}
	for i, want := range []int{60, 40, alwaysEach} {
		if n := fill(at(fmt.Sprintf("2001:db8:0:%x::1", i))); n != want {
			t.Errorf("host %d of the site: %d calls, want %d", i, n, want)
		}
	}
	for i := range 8 {
		fill(at(fmt.Sprintf("2001:db8:%x::1", i+1)))
	}
	if n := fill(at("198.51.100.1")); n != alwaysEach {
		t.Errorf("a new host has %d calls", n)
	}
	if n := fill(proved); n != 60 {
		t.Errorf("a known host has %d calls", n)
	}
}

// TestATicketProvesOneHost: a redeemed ticket is on the chain for everybody to read, and what
// is remembered is bounded.
func TestATicketProvesOneHost(t *testing.T) {
	t.Parallel()
	k := newTestKnown()
	one, other := at("192.0.2.1"), at("192.0.2.2")
	k.prove(one, protocol.Hash{1})
	k.prove(other, protocol.Hash{1})
	if !k.has(one) || k.has(other) {
		t.Errorf("known: %v, %v", k.has(one), k.has(other))
	}
	for i := range 2 * provedMost {
		k.prove(at(fmt.Sprintf("2001:db8:%x:%x::1", i>>8, i&0xff)), protocol.Hash{2, byte(i >> 8), byte(i)})
	}
	if len(k.until) > knownMost || len(k.by) > provedMost || len(k.tickets) > provedMost || !k.has(one) {
		t.Errorf("%d hosts, %d tickets", len(k.until), len(k.by))
	}
}
