package upstream

import (
	"fmt"
	"net/url"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/tuttinode/tutti/core/route"
	"github.com/tuttinode/tutti/server/rpc"
)

// maxCalls bounds the gRPC connections that are kept.
const maxCalls = 256

// calls keeps one gRPC connection per orchestrator.
type calls struct {
	mu    sync.Mutex
	conns map[string]*call
	uses  int64
}

type call struct {
	conn *grpc.ClientConn
	used int64
}

func newCalls() *calls { return &calls{conns: make(map[string]*call)} }

// to gives the orchestrator's client. It does not connect yet.
func (c *calls) to(uri string) (rpc.OrchestratorClient, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uses++
	if have := c.conns[uri]; have != nil {
		have.used = c.uses
		return rpc.NewOrchestratorClient(have.conn), nil
	}
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("orchestrator address %.128q cannot be called", uri)
	}
	creds := credentials.NewTLS(tlsConfig())
	if u.Scheme == "http" {
		creds = insecure.NewCredentials()
	}
	conn, err := grpc.NewClient("passthrough:///"+u.Host,
		grpc.WithTransportCredentials(creds),
		grpc.WithConnectParams(grpc.ConnectParams{
			// An orchestrator that restarts is found again soon.
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: route.ConnectTimeout,
		}),
		grpc.WithDisableServiceConfig(),
	)
	if err != nil {
		return nil, err
	}
	c.makeRoom()
	c.conns[uri] = &call{conn: conn, used: c.uses}
	return rpc.NewOrchestratorClient(conn), nil
}

// makeRoom closes the connection that was not used for longest. Addresses come
// from peers, so their number must not be theirs to choose.
func (c *calls) makeRoom() {
	if len(c.conns) < maxCalls {
		return
	}
	var oldest string
	for uri, have := range c.conns {
		if oldest == "" || have.used < c.conns[oldest].used {
			oldest = uri
		}
	}
	c.conns[oldest].conn.Close()
	delete(c.conns, oldest)
}

func (c *calls) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for uri, have := range c.conns {
		have.conn.Close()
		delete(c.conns, uri)
	}
}
