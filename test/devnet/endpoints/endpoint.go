package endpoints

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// Endpoint is one address that clients dial.
type Endpoint struct {
	node   Node
	client *rpc.Client
	drops  *drops
	faults faults

	// mu guards the listener, which a fault may close and another opens again.
	mu     sync.Mutex
	addr   string
	server *http.Server
	end    context.CancelFunc
	done   sync.WaitGroup
	conns  connections
}

// open starts to listen, on the same address as before if it did.
func (e *Endpoint) open() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.server != nil {
		return nil
	}
	listener, err := net.Listen("tcp", e.addr)
	if err != nil {
		return fmt.Errorf("listen for clients: %w", err)
	}
	e.addr = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	e.end = cancel
	e.server = &http.Server{
		Handler: e, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    discardLog(),
	}
	e.conns.reopen()
	server := e.server
	e.done.Go(func() { _ = server.Serve(listener) })
	return nil
}

// close stops to listen and closes all connections.
func (e *Endpoint) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.server == nil {
		return nil
	}
	e.end()
	err := e.server.Close()
	e.conns.close()
	e.done.Wait()
	e.server = nil
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// URL returns the address for HTTP.
func (e *Endpoint) URL() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return "http://" + e.addr
}

// SetFaults replaces the endpoint's faults.
func (e *Endpoint) SetFaults(list []control.Fault) error {
	for _, f := range list {
		if err := f.Check(); err != nil {
			return err
		}
	}
	e.faults.set(list)
	if e.faults.stopped() {
		return e.close()
	}
	return e.open()
}

// Stats returns the requests so far, and the faults that met them.
func (e *Endpoint) Stats() control.Stats { return e.faults.stats() }
