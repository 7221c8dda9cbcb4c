package registry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

func addr(n byte) core.Address { return core.Address{0: 0xaa, 19: n} }

// member is an orchestrator of the active set at its usual address.
func member(n byte, stake uint64) protocol.Orchestrator {
	return protocol.Orchestrator{Address: addr(n), ServiceURI: uriOf(n), DelegatedStake: core.LPTTokens(stake),
		Active: true, Registered: true}
}

func uriOf(n byte) string { return fmt.Sprintf("https://o%d.example:8935", n) }

// chain is the active set, the events and what orchestrators answer.
type chain struct {
	mu     sync.Mutex
	pool   []protocol.Orchestrator
	err    error
	reads  int
	asked  map[string]int
	answer map[string]upstream.Info
	events []func(protocol.Event)
}

func newChain(pool ...protocol.Orchestrator) *chain {
	c := &chain{pool: pool, asked: map[string]int{}, answer: map[string]upstream.Info{}}
	for _, o := range pool {
		c.answer[o.ServiceURI] = infoOf(o.ServiceURI, o.Address)
	}
	return c
}

// infoOf is a good offer.
func infoOf(uri string, account core.Address) upstream.Info {
	return &rpc.OrchestratorInfo{
		Transcoder: uri, Address: account[:], TicketParams: &rpc.TicketParams{Recipient: account[:]},
		PriceInfo: &rpc.PriceInfo{PricePerUnit: 1200, PixelsPerUnit: 10},
	}
}

func (c *chain) Pool(context.Context) ([]protocol.Orchestrator, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	return c.pool, c.err
}

func (c *chain) Subscribe(f func(protocol.Event)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, f)
	return func() {}
}

func (c *chain) tell(e protocol.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.events {
		f(e)
	}
}

func (c *chain) survey(_ context.Context, uri string) (upstream.Info, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[uri]++
	if info := c.answer[uri]; info != nil {
		return info, nil
	}
	return nil, errors.New("no listener is there")
}

// set changes the chain under its lock.
func (c *chain) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (c *chain) count(uri string) (reads, asked int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads, c.asked[uri]
}

// running starts a directory and returns how to stop it.
func running(t *testing.T, c *chain, change ...func(*registry.Options)) (d *registry.Directory, log *bytes.Buffer,
	stop func()) {
	t.Helper()
	log = &bytes.Buffer{}
	opt := registry.Options{Stakes: c, Events: c, Survey: c.survey,
		Log: slog.New(slog.NewTextHandler(&locked{w: log}, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, f := range change {
		f(&opt)
	}
	d = registry.New(opt)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx, func() {}) }()
	return d, log, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// locked makes a writer safe for several goroutines.
type locked struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// pass lets so much of the bubble's time go by.
func pass(d time.Duration) { <-time.NewTimer(d).C }
