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
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// maxConns bounds the idle gRPC connections. The registry knows up to 2048 addresses, which are
	// all asked every few seconds.
	maxConns = 2560
	// maxReply bounds the reply of a call: terms with a thousand models and prices are less than
	// half as large.
	maxReply = 256 << 10
	// maxHeaders bounds the header and the trailer of a reply: gRPC's default is 16 MB from each
	// address.
	maxHeaders = 64 << 10
)

// connPool keeps one gRPC connection per orchestrator.
type connPool struct {
	mu    sync.Mutex
	conns map[string]*pooledConn
	uses  int64
}

type pooledConn struct {
	conn    *grpc.ClientConn
	lastUse int64
	// users is the number of calls in flight.
	users int
}

func newConnPool() *connPool { return &connPool{conns: make(map[string]*pooledConn)} }

// client returns the orchestrator's client, without connecting. done must be called after the call;
// until then the connection is not evicted.
func (c *connPool) client(uri string) (client rpc.OrchestratorClient, done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	have := c.conns[uri]
	if have == nil {
		conn, err := dial(uri)
		if err != nil {
			return nil, nil, err
		}
		c.evictLocked()
		have = &pooledConn{conn: conn}
		c.conns[uri] = have
	}
	c.uses++
	have.lastUse = c.uses
	have.users++
	return rpc.NewOrchestratorClient(have.conn), func() { c.done(have) }, nil
}

func (c *connPool) done(have *pooledConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	have.users--
}

// dial makes a connection that connects on first use.
func dial(uri string) (*grpc.ClientConn, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%w: %.128q is not valid", errAddress, uri)
	}
	creds := credentials.NewTLS(tlsConfig())
	if u.Scheme == "http" {
		creds = insecure.NewCredentials()
	}
	return grpc.NewClient("passthrough:///"+u.Host,
		grpc.WithTransportCredentials(creds),
		grpc.WithConnectParams(grpc.ConnectParams{
			// An orchestrator that restarts is found again soon.
			Backoff: backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2,
				MaxDelay: 2 * time.Second},
			MinConnectTimeout: videorouting.ConnectTimeout,
		}),
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReply),
			grpc.ForceCodecV2(boundedCodec{encoding.GetCodecV2("proto")})),
		grpc.WithMaxHeaderListSize(maxHeaders),
	)
}

// evictLocked closes the least recently used idle connection when there are too many. Peers choose
// the addresses, so they must not choose the number of connections; callers bound the concurrent
// ones.
func (c *connPool) evictLocked() {
	if len(c.conns) < maxConns {
		return
	}
	oldest := ""
	for uri, have := range c.conns {
		if have.users == 0 && (oldest == "" || have.lastUse < c.conns[oldest].lastUse) {
			oldest = uri
		}
	}
	if oldest == "" {
		return
	}
	c.conns[oldest].conn.Close()
	delete(c.conns, oldest)
}

func (c *connPool) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for uri, have := range c.conns {
		have.conn.Close()
		delete(c.conns, uri)
	}
}

// boundedCodec is gRPC's own codec, except that it refuses replies with too many small parts, which
// sessions would keep in memory.
type boundedCodec struct{ encoding.CodecV2 }

// Name is empty, so that requests have the network's content type, application/grpc without a
// codec.
func (boundedCodec) Name() string { return "" }

// Unmarshal reads a reply.
func (w boundedCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return w.CodecV2.Unmarshal(data, v)
	}
	return rpc.Unmarshal(data.Materialize(), m)
}
