package endpoints

import (
	"sync"

	"github.com/gorilla/websocket"
)

// connections are an endpoint's websockets, which the HTTP server does not close.
type connections struct {
	mu   sync.Mutex
	open map[*websocket.Conn]bool
	shut bool
	busy sync.WaitGroup
}

// add takes a connection on, or closes it when the endpoint has closed. A caller that adds
// one removes it.
func (c *connections) add(conn *websocket.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut {
		_ = conn.Close()
		return false
	}
	if c.open == nil {
		c.open = make(map[*websocket.Conn]bool)
	}
	c.open[conn] = true
	c.busy.Add(1)
	return true
}

// remove closes a connection.
func (c *connections) remove(conn *websocket.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = conn.Close()
	delete(c.open, conn)
	c.busy.Done()
}

// close closes all connections and waits until they are gone.
func (c *connections) close() {
	c.mu.Lock()
	c.shut = true
	for conn := range c.open {
		_ = conn.Close()
	}
	c.mu.Unlock()
	c.busy.Wait()
}

// reopen takes connections again.
func (c *connections) reopen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = false
}
