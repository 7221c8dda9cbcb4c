package admission

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

// attackers are the attackers' addresses: one of each /64 of a /48, or each address of a
// /24.
var attackers = map[string]func(n int) string{
	"/48": func(n int) string { return fmt.Sprintf("[2001:db8:7:%x::1]:1", n) },
	"/24": func(n int) string { return fmt.Sprintf("192.0.2.%d:1", n%256) },
}

// factors are how many times one address's bounds are those of its site.
var factors = map[string]int{"/48": factor6, "/24": factor4}

// TestConnectionsOfASite: however many addresses one owner has, the connections that
// wait and those that are served are bounded, and another site does not notice.
func TestConnectionsOfASite(t *testing.T) {
	t.Parallel()
	for name, at := range attackers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, q, l := newTestGate(10_000, 1)
				var conns []*Conn
				for n := range 2000 {
					if _, c := q.dial(t, l, at(n)); c != nil {
						conns = append(conns, c)
						reading(c)
					}
				}
				if most := factors[name] * (1 + waitingPer); len(conns) > most {
					t.Errorf("%d connections were taken, at most %d may be", len(conns), most)
				}
				synctest.Wait()
				granted := 0
				for _, c := range conns {
					select {
					case <-c.granted:
						granted++
					default:
					}
				}
				if granted != factors[name] {
					t.Errorf("%d connections are served, not %d", granted, factors[name])
				}
				client, c := q.dial(t, l, "203.0.113.9:1")
				done := reading(c)
				go client.Write([]byte("x"))
				if err, ok := settled(done); !ok || err != nil {
					t.Errorf("another site: %v, %v", err, ok)
				}
				c.Close()
				for _, c := range conns {
					c.Close()
				}
				if g.unprovedSites != 0 || len(g.open) != 0 {
					t.Errorf("counts are left: %d, %d", g.unprovedSites, len(g.open))
				}
				for key, s := range g.sites {
					if s.open+s.requests+s.unprovedPeers+len(s.served.conns)+len(s.waiting) != 0 {
						t.Errorf("counts of %s are left: %+v", key, s)
					}
				}
			})
		})
	}
}

// TestASiteTakesTurns: connections that the site holds up are served when the turn of
// others is over.
func TestASiteTakesTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, q, l := newTestGate(1000, 1)
		var conns []*Conn
		var last <-chan error
		for n := range factor6 + 1 {
			client, c := q.dial(t, l, attackers["/48"](n))
			last = reading(c)
			conns = append(conns, c)
			synctest.Wait()
			if n == factor6 {
				go client.Write([]byte("x"))
			}
		}
		if _, ok := settled(last); ok {
			t.Error("one more than the site may have was served")
		}
		<-time.After(minServed)
		if err, ok := settled(last); !ok || err != nil {
			t.Errorf("after a turn: %v, %v", err, ok)
		}
		for _, c := range conns {
			c.Close()
		}
	})
}

// TestBytesOfASite: all addresses of a site together have a rate.
func TestBytesOfASite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, q, l := newTestGate(1000, 1)
		begun, got := time.Now(), 0
		const most = factor6 * (burstPer + 10*ratePer)
		for n := 0; got < most; n++ {
			client, c := q.dial(t, l, attackers["/48"](n))
			go client.Write(make([]byte, burstPer/2-1))
			buf := make([]byte, burstPer)
			read, err := c.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			got += read + connectionCost
			c.Close()
		}
		if took := time.Since(begun); took < 9*time.Second {
			t.Errorf("%d bytes of a site came within %s", got, took)
		}
	})
}

// TestAKnownAddressIsNoPartOfItsSite: what others of the site do does not hold up an
// address that has proved itself, nor one that the operator named.
func TestAKnownAddressIsNoPartOfItsSite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(Options{Most: 1000, PerAddress: 1, Known: []netip.Prefix{netip.MustParsePrefix("2001:db8:7:ffff::8/128")}})
		q := newQueue()
		l := g.Listener(q)
		_, payer := q.dial(t, l, "[2001:db8:7:fffe::1]:1")
		Prove(connContext(context.Background(), payer))
		conns := []*Conn{payer}
		for n := range 200 {
			if _, c := q.dial(t, l, attackers["/48"](n)); c != nil {
				reading(c)
				conns = append(conns, c)
			}
		}
		synctest.Wait()
		for _, from := range []string{"[2001:db8:7:fffe::1]:1", "[2001:db8:7:ffff::8]:1"} {
			client, c := q.dial(t, l, from)
			if c == nil {
				t.Errorf("%s was refused", from)
				continue
			}
			done := reading(c)
			go client.Write([]byte("x"))
			if err, ok := settled(done); !ok || err != nil {
				t.Errorf("%s: %v, %v", from, err, ok)
			}
			conns = append(conns, c)
		}
		if _, c := q.dial(t, l, "[2001:db8:7:ffff::9]:1"); c != nil {
			t.Error("a neighbor of a named address counts as known")
		}
		for _, c := range conns {
			c.Close()
		}
	})
}

// TestCause: what requests make the node send is bounded for the address and its site;
// a known address may do more.
func TestCause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, q, l := newTestGate(1000, causedDivisor)
		caused := func(n int) (bytes int, ctx context.Context) {
			_, c := q.dial(t, l, attackers["/48"](n))
			ctx = connContext(context.Background(), net.Conn(c))
			for Cause(ctx, 1<<10) {
				bytes += 1 << 10
			}
			c.Close()
			return bytes, ctx
		}
		if n, _ := caused(0); n != burstPer {
			t.Errorf("one address caused %d bytes at once, not %d", n, burstPer)
		}
		sum := burstPer
		for i := range 100 {
			n, _ := caused(1 + i)
			sum += n
		}
		if sum != factor6*burstPer {
			t.Errorf("a site caused %d bytes at once, not %d", sum, factor6*burstPer)
		}
		<-time.After(time.Second)
		if n, _ := caused(0); n != ratePer {
			t.Errorf("a second later %d bytes, not %d", n, ratePer)
		}
		if !Cause(context.Background(), 1<<40) {
			t.Error("bounded without a gate")
		}
	})
}
