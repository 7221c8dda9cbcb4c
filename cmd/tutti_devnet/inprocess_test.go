package main_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet/chain"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/devnet/endpoints"
)

// Other tests here talk to the program over its sockets; in this file chain and
// endpoints run in the test's process, under the race detector.

func inProcess(t *testing.T, count int) (*chain.Chain, *endpoints.Set) {
	t.Helper()
	c, err := chain.New(chain.Options{ChainID: 42161, BaseFee: core.NewWei(10_000_000), L1Start: 5,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	f, err := endpoints.Open(c, "127.0.0.1:0", count)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, f
}

func TestClientsAndFaultsAtOnce(t *testing.T) {
	c, f := inProcess(t, 2)
	var all sync.WaitGroup
	for i, url := range f.URLs() {
		for _, address := range []string{url, "ws" + strings.TrimPrefix(url, "http")} {
			all.Go(func() { clientOf(t.Context(), address) })
		}
		e, err := f.Endpoint(i)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() { misbehave(t, e) })
	}
	all.Go(func() {
		for range 30 {
			if _, err := c.AdvanceL1(1); err != nil {
				t.Error(err)
			}
		}
		if _, err := c.Reorg(chain.Reorg{Depth: 5, Keep: true}); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
}

// clientOf asks and subscribes, whatever comes back. It has a limit, because
// go-ethereum's client waits forever when a websocket ends while it sends.
func clientOf(ctx context.Context, url string) {
	for range 5 {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		client, err := ethclient.DialContext(ctx, url)
		if err != nil {
			continue
		}
		heads := make(chan *types.Header, 100)
		if sub, err := client.SubscribeNewHead(ctx, heads); err == nil {
			defer sub.Unsubscribe()
		}
		for range 10 {
			_, _ = client.HeaderByNumber(ctx, nil)
			_, _ = client.BlockNumber(ctx)
		}
		client.Close()
	}
}

func misbehave(t *testing.T, e *endpoints.Endpoint) {
	faults := []control.Fault{{Kind: control.Stop}, {Kind: control.Lag, Blocks: 2}, {Kind: control.HalfJSON},
		{Kind: control.Reset}, {Kind: control.HTTP429, Times: 3}}
	for range 4 {
		for _, fault := range faults {
			if err := e.SetFaults([]control.Fault{fault}); err != nil {
				t.Error(err)
			}
		}
	}
	if err := e.SetFaults(nil); err != nil {
		t.Error(err)
	}
	_ = e.Stats()
}

func TestAddressesThatCannotBe(t *testing.T) {
	c, _ := inProcess(t, 1)
	for _, address := range []string{"nonsense", "127.0.0.1:x", "127.0.0.1:70000", "192.0.2.1:0"} {
		if f, err := endpoints.Open(c, address, 1); err == nil {
			t.Errorf("%s is accepted", address)
			_ = f.Close()
		}
	}
	if _, err := (&endpoints.Set{}).Endpoint(0); err == nil {
		t.Error("there is an endpoint")
	}
}
