package orchestrator_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

// pipes is a listener whose connections never leave the process, so that a
// synctest bubble knows when everyone waits and moves its clock.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{accept: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8935} }

func (p *pipes) dial() (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accept <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// newPipeNode is newNode inside a bubble. It has no gRPC client.
func newPipeNode(t *testing.T, change ...func(*setup)) (*node, *pipes) {
	t.Helper()
	p := newPipes()
	n := &node{t: t, fake: &coretest.Fake{}, uri: "https://127.0.0.1:8935"}
	su := &setup{
		rules: orchestrate.Options{
			Capabilities: func() capability.Capabilities { return capability.Offer(capability.Default(), "0.9.1") },
			Transcoder:   n.fake, Limit: 10, Now: time.Now, Rand: rand.Reader, Log: quiet(),
		},
		listener: orchestrator.Options{Listener: p, Now: time.Now, Log: quiet()},
	}
	for _, f := range change {
		f(su)
	}
	n.start(su)
	n.h1, n.h2 = p.client(protocols(true, false)), p.client(protocols(false, true))
	t.Cleanup(func() {
		n.h1.CloseIdleConnections()
		n.h2.CloseIdleConnections()
		n.stop()
	})
	return n, p
}

func (p *pipes) client(version *http.Protocols) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext:     func(context.Context, string, string) (net.Conn, error) { return p.dial() },
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		Protocols:       version,
	}}
}

// connect is a client by hand, over TLS.
func (p *pipes) connect(t *testing.T) net.Conn {
	t.Helper()
	raw, err := p.dial()
	if err != nil {
		t.Fatal(err)
	}
	conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true})
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	return conn
}

// token is an offer's, without gRPC.
func (n *node) token() *rpc.AuthToken {
	n.t.Helper()
	in, err := n.orch.Offer(context.Background(), orchestrate.OfferRequest{})
	if err != nil {
		n.t.Fatal(err)
	}
	return &rpc.AuthToken{Token: in.Token.Code, SessionId: string(in.Token.Session), Expiration: in.Token.Expires}
}
