package redeemer

import (
	"net"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/peer"
)

// door is a listener that hangs up on who has too many connections already. When there
// are too many in all, the host that has most of them gives up its oldest one, unless
// the new one's host would then have as many.
type door struct {
	net.Listener
	most, mostEach int

	mu    sync.Mutex
	all   int                 // guarded by mu
	hosts map[string][]*guest // guarded by mu, the oldest first
}

func newDoor(l net.Listener, opt Options) *door {
	return &door{Listener: l, most: opt.Connections, mostEach: opt.ConnectionsEach, hosts: make(map[string][]*guest)}
}

// Accept returns the next connection that may come in.
func (d *door) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g, victim := d.enter(conn)
		if victim != nil {
			_ = victim.Conn.Close() // its server notices, and closes it once more
		}
		if g != nil {
			return g, nil
		}
		_ = conn.Close()
	}
}

// enter counts a connection, nil when there is no room; victim is to be closed for it.
func (d *door) enter(conn net.Conn) (g, victim *guest) {
	host := hostOf(conn.RemoteAddr())
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.hosts[host]) >= d.mostEach {
		return nil, nil
	}
	if d.all >= d.most {
		if victim = d.crowded(); victim == nil || len(d.hosts[victim.host]) <= len(d.hosts[host])+1 {
			return nil, nil
		}
		d.remove(victim)
	}
	g = &guest{Conn: conn, door: d, host: host}
	d.all++
	d.hosts[host] = append(d.hosts[host], g)
	return g, victim
}

// crowded is the oldest connection of the host that has most of them. The caller holds mu.
func (d *door) crowded() (oldest *guest) {
	most := 0
	for _, there := range d.hosts {
		if len(there) > most {
			most, oldest = len(there), there[0]
		}
	}
	return oldest
}

// remove ends a connection's part in the counts. It may be called again. The caller
// holds mu.
func (d *door) remove(g *guest) {
	i := slices.Index(d.hosts[g.host], g)
	if i < 0 {
		return
	}
	d.all--
	if d.hosts[g.host] = slices.Delete(d.hosts[g.host], i, i+1); len(d.hosts[g.host]) == 0 {
		delete(d.hosts, g.host)
	}
}

// guest is a connection that is counted until it is closed.
type guest struct {
	net.Conn
	door *door
	host string
}

// Close ends the connection.
func (g *guest) Close() error {
	g.door.mu.Lock()
	g.door.remove(g)
	g.door.mu.Unlock()
	return g.Conn.Close()
}

// crowd counts who is watched for, in all and by host.
type crowd struct {
	most, mostEach int

	mu    sync.Mutex
	all   int            // guarded by mu
	hosts map[string]int // guarded by mu
}

func newCrowd(most, mostEach int) *crowd {
	return &crowd{most: most, mostEach: mostEach, hosts: make(map[string]int)}
}

// enter counts one more of a host; false when there is no room. leave may be called
// more than once.
func (c *crowd) enter(from net.Addr) (leave func(), ok bool) {
	host := hostOf(from)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all >= c.most || c.hosts[host] >= c.mostEach {
		return nil, false
	}
	c.all++
	c.hosts[host]++
	return sync.OnceFunc(func() { c.left(host) }), true
}

func (c *crowd) left(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.hosts[host]--; c.hosts[host] == 0 {
		delete(c.hosts, host)
	}
}

// hostOf is what counts as one peer: an IPv4 address, or the /64 of an IPv6 one.
func hostOf(a net.Addr) string {
	if a == nil {
		return ""
	}
	return peer.Name(a.String())
}
