package byoc

import (
	"context"
	"crypto/rand"
	"log/slog"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/byoc"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/trickle"
)

// Secret lets capabilities register at a Node.
const Secret = "topsecret"

// Node is an orchestrator's listener with external capabilities.
type Node struct {
	URI          string
	Capabilities *byoc.Server
	Hub          *trickle.Hub
	// End ends its work, as the node's end does; EndWork ends the part of the capabilities alone.
	End, EndWork context.CancelFunc
}

// NodeOptions make a Node.
type NodeOptions struct {
	Rules *orchestrate.Orchestrator
	Rate  func(core.UnitPrice) (*big.Rat, bool)
	// Lost is notified of capabilities that were removed; may be nil.
	Lost func(name string, err error)
}

// Start starts a node, and ends it with the test, when nothing of its work may be left.
func Start(t testing.TB, o NodeOptions) *Node {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	n := &Node{Hub: trickle.NewHub(trickle.Limits{}, time.Now)}
	n.Capabilities = byoc.New(byoc.Options{
		Rules: o.Rules, Hub: n.Hub, ServiceURI: o.Rules.ServiceURI(), RunnerHost: "inside.test:8935",
		Authorized: func(secret string) bool { return secret == Secret }, Rate: o.Rate, Lost: o.Lost,
		Now: time.Now, Rand: rand.Reader, Log: log,
	})
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := orchestrator.New(orchestrator.Options{
		Orchestrator: o.Rules, Listener: l, Capabilities: n.Capabilities, Channels: n.Hub, Version: "test", Now: time.Now,
		Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	n.URI = "http://" + l.Addr().String()
	var ctx, work context.Context
	ctx, n.End = context.WithCancel(context.Background())
	work, n.EndWork = context.WithCancel(ctx)
	results := make(chan error, 2)
	go func() { results <- n.Capabilities.Run(work, func() {}) }()
	go func() { results <- s.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		n.End()
		for range 2 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if n.Capabilities.Streams() != 0 || n.Capabilities.Used() != 0 || n.Hub.Len() != 0 {
			t.Errorf("%d streams, %d slots, %d channels are left", n.Capabilities.Streams(), n.Capabilities.Used(), n.Hub.Len())
		}
	})
	return n
}
