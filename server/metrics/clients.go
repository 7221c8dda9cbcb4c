package metrics

import (
	"slices"
	"sync"
)

// clientLabel is the label of a client's address.
const clientLabel = "client_ip"

// maxClients bounds the addresses of one stream that are told apart. A gateway's client has one or two; addresses cost
// nothing to change where IPv6 is.
const maxClients = 4

// clients are the addresses of the clients of streams. Safe for concurrent use.
type clients struct {
	mu   sync.Mutex
	seen map[string]*clientsOf // by stream, guarded by mu
}

// clientsOf are those of one stream: the latest, and all that have values of their own.
type clientsOf struct {
	latest string
	all    []string
}

func newClients() *clients { return &clients{seen: make(map[string]*clientsOf)} }

// set makes an address the one of a stream's next events.
func (c *clients) set(manifest, address string) {
	address = cleanLabel(address)
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.seen[manifest]
	if one == nil {
		one = new(clientsOf)
		c.seen[manifest] = one
	}
	if !slices.Contains(one.all, address) {
		if len(one.all) >= maxClients {
			address = otherValue
		} else {
			one.all = append(one.all, address)
		}
	}
	one.latest = address
}

// of is the address of a stream's events, "" while none is known.
func (c *clients) of(manifest string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.seen[manifest]; one != nil {
		return one.latest
	}
	return ""
}

// drop forgets a stream.
func (c *clients) drop(manifest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.seen, manifest)
}

// client sets a stream's client, if clients are told apart. The stream is one with values of its own from then on, so
// that what is kept of clients is bounded as streams are.
func (s *streams) client(manifest, address string) {
	if s.clients == nil {
		return
	}
	manifest = cleanLabel(manifest)
	s.touch(manifest)
	s.clients.set(manifest, address)
}

// clientLabels are the labels of series by stream and client.
func (s *streams) clientLabels() []string {
	labels := s.labels(nil)
	if s.clients != nil {
		labels = append(labels, clientLabel)
	}
	return labels
}
