package redeemer

import (
	"net"
	"sync"
)

// door is a listener that hangs up on who has too many connections already, and on
// everybody when there are too many in all. Whoever is inside is not disturbed.
type door struct {
	net.Listener
	crowd *crowd
}

func newDoor(l net.Listener, opt Options) *door {
	return &door{Listener: l, crowd: newCrowd(opt.Connections, opt.ConnectionsEach)}
}

// Accept returns the next connection that may come in.
func (d *door) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		leave, ok := d.crowd.enter(conn.RemoteAddr())
		if ok {
			return &guest{Conn: conn, leave: leave}, nil
		}
		_ = conn.Close()
	}
}

// guest is a connection that is counted until it is closed.
type guest struct {
	net.Conn
	leave func()
}

// Close ends the connection.
func (g *guest) Close() error {
	g.leave()
	return g.Conn.Close()
}

// crowd counts who is there, in all and by host.
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

func hostOf(a net.Addr) string {
	if a == nil {
		return ""
	}
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return host
}
