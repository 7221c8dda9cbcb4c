package devnet

import (
	"context"
	"crypto/ecdsa"
	"strings"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// TB is the part of testing.TB that is used here, so that the demo does not link
// a test framework.
type TB interface {
	Helper()
	Cleanup(func())
	Context() context.Context
	Failed() bool
	Fatal(args ...any)
	Logf(format string, args ...any)
	TempDir() string
}

// Chain is a chain that belongs to a test. Its methods end the test when the
// chain does not do what they ask.
type Chain struct {
	*Process
	t TB
}

// Start starts a chain and ends it with the test. A failing test shows what the
// chain printed.
func Start(t TB, opt Options) *Chain {
	t.Helper()
	p, err := Launch(t.Context(), t.TempDir(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("log of tutti_devnet:\n%s", p.Log())
		}
	})
	return &Chain{Process: p, t: t}
}

// URL is the i-th endpoint for HTTP, from 0.
func (c *Chain) URL(i int) string { return c.Info.Endpoints[i] }

// WebsocketURL is the i-th endpoint as a websocket.
func (c *Chain) WebsocketURL(i int) string { return "ws" + strings.TrimPrefix(c.URL(i), "http") }

// Key is the key of the n-th prefunded account.
func (c *Chain) Key(n uint64) *ecdsa.PrivateKey { return control.AccountKey(n) }

// AdvanceL1 moves the L1 clock on and returns where it is.
func (c *Chain) AdvanceL1(n uint64) protocol.L1Block {
	c.t.Helper()
	at, err := c.Control.AdvanceL1(c.t.Context(), n)
	c.must(err)
	return at
}

// Mine makes n blocks and returns the newest.
func (c *Chain) Mine(n uint64) protocol.L2Block {
	c.t.Helper()
	head, err := c.Control.Mine(c.t.Context(), n)
	c.must(err)
	return head
}

// SetFaults replaces the faults of an endpoint; none makes it behave.
func (c *Chain) SetFaults(endpoint int, faults ...control.Fault) {
	c.t.Helper()
	c.must(c.Control.SetFaults(c.t.Context(), endpoint, faults...))
}

func (c *Chain) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}
