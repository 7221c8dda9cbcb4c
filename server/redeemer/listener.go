package redeemer

import (
	"net"
	"net/netip"
	"sync"
)

// listener refuses connections of hosts that have too many already. When there are too many
// in all it closes one for each that comes: the longest of the site that has most, first of
// those whose host is not known. So a host that is new gets in while strangers hold every
// connection, however many addresses they have.
type listener struct {
	net.Listener
	most, mostEach int
	known          *known

	mu sync.Mutex
	// open are in the order in which they came; hosts counts them. Guarded by mu.
	open  []*conn
	hosts map[netip.Prefix]int
}

func newListener(l net.Listener, opt Options, k *known) *listener {
	return &listener{Listener: l, most: opt.Connections, mostEach: opt.ConnectionsEach, known: k,
		hosts: make(map[netip.Prefix]int)}
}

// Accept returns the next connection that is admitted.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		admitted, victim := l.admit(c)
		if victim != nil {
			_ = victim.Conn.Close() // its server notices, and closes it once more
		}
		if admitted != nil {
			return admitted, nil
		}
		_ = c.Close()
	}
}

// admit counts a connection, nil when it is refused; victim is to be closed for it.
func (l *listener) admit(c net.Conn) (admitted, victim *conn) {
	from := originOf(c.RemoteAddr())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts[from.host] >= l.mostEach {
		return nil, nil
	}
	if len(l.open) >= l.most {
		if victim = l.victimLocked(from); victim == nil {
			return nil, nil
		}
		l.removeLocked(victim)
	}
	admitted = &conn{Conn: c, listener: l, from: from}
	l.open = append(l.open, admitted)
	l.hosts[from.host]++
	return admitted, victim
}

// victimLocked chooses the connection that is closed for one from an origin: the oldest of the site
// with most connections of unknown hosts, as long as that site has no fewer than the new one's.
// If all hosts are known, only a site with more than the new one's loses one.
func (l *listener) victimLocked(from origin) *conn {
	unknown := make(map[netip.Prefix][]*conn)
	sites := make(map[netip.Prefix][]*conn)
	for _, c := range l.open {
		sites[c.from.site] = append(sites[c.from.site], c)
		if !l.known.has(c.from) {
			unknown[c.from.site] = append(unknown[c.from.site], c)
		}
	}
	own := len(sites[from.site])
	if c, n := largest(l.open, unknown); n > 0 && (n >= own || l.known.has(from)) {
		return c
	}
	if c, n := largest(l.open, sites); n > own+1 {
		return c
	}
	return nil
}

// largest returns the longest connection of the largest group, of several the one that came
// first, and how large the group is.
func largest(order []*conn, groups map[netip.Prefix][]*conn) (first *conn, most int) {
	for _, c := range order {
		if g := groups[c.from.site]; len(g) > most {
			first, most = g[0], len(g)
		}
	}
	return first, most
}

// removeLocked ends a connection's part in the counts. It may be called again.
func (l *listener) removeLocked(c *conn) {
	for i, o := range l.open {
		if o != c {
			continue
		}
		l.open = append(l.open[:i], l.open[i+1:]...)
		if l.hosts[c.from.host]--; l.hosts[c.from.host] == 0 {
			delete(l.hosts, c.from.host)
		}
		return
	}
}

// conn is a connection that is counted until it is closed.
type conn struct {
	net.Conn
	listener *listener
	from     origin
}

// Close ends the connection.
func (c *conn) Close() error {
	c.listener.mu.Lock()
	c.listener.removeLocked(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}
