package main_test

import (
	"context"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// says reports an error whose text holds a part.
func says(part string) func(error) bool {
	return func(err error) bool { return err != nil && strings.Contains(err.Error(), part) }
}

// httpStatus reports an error of a status.
func httpStatus(code int) func(error) bool {
	return func(err error) bool {
		var h rpc.HTTPError
		return errors.As(err, &h) && h.StatusCode == code
	}
}

// askHead is a request in the group read. It has a limit, because go-ethereum's
// client waits forever when a websocket ends while it sends.
func askHead(ctx context.Context, c *ethclient.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := c.BlockNumber(ctx)
	return err
}

// askHeadBriefly is askHead by a client without patience.
func askHeadBriefly(ctx context.Context, c *ethclient.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	return askHead(ctx, c)
}

// askLogs asks for the logs of all blocks.
func askLogs(ctx context.Context, c *ethclient.Client) error {
	_, err := c.FilterLogs(ctx, ethereum.FilterQuery{FromBlock: new(big.Int)})
	return err
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault control.Fault
		ask   func(context.Context, *ethclient.Client) error
		want  func(error) bool
	}{
		{"stop", control.Fault{Kind: control.Stop}, askHead, says("connection refused")},
		{"hang", control.Fault{Kind: control.Hang}, askHeadBriefly, says("deadline exceeded")},
		{"slow", control.Fault{Kind: control.Slow, Duration: control.Duration(time.Minute)}, askHeadBriefly,
			says("deadline exceeded")},
		{"429", control.Fault{Kind: control.HTTP429}, askHead, httpStatus(http.StatusTooManyRequests)},
		{"500", control.Fault{Kind: control.HTTP500}, askHead, httpStatus(http.StatusInternalServerError)},
		{"502 with a page", control.Fault{Kind: control.HTML502}, askHead, says("<html>")},
		{"half an answer", control.Fault{Kind: control.HalfJSON}, askHead, says("unexpected EOF")},
		{"reset", control.Fault{Kind: control.Reset}, askHead, says("reset by peer")},
		{"limit", control.Fault{Kind: control.LimitExceeded}, askHead, says("limit exceeded")},
		{"log range", control.Fault{Kind: control.LogRange, Blocks: 3}, askLogs,
			says("query returned more than 10000 results")},
		{"a group", control.Fault{Kind: control.HTTP500, Methods: []string{"logs"}}, askLogs,
			httpStatus(http.StatusInternalServerError)},
		{"an exact name", control.Fault{Kind: control.HTTP500, Methods: []string{"eth_blockNumber"}}, askHead,
			httpStatus(http.StatusInternalServerError)},
	}
	c := devnet.Start(t, devnet.Options{NoContracts: true, Endpoints: len(tests)})
	c.Mine(5)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := dial(t, c.URL(i))
			c.SetFaults(i, tt.fault)
			if err := tt.ask(t.Context(), client); !tt.want(err) {
				t.Errorf("misbehaving: %v", err)
			}
			c.SetFaults(i, control.Fault{Kind: control.None})
			if err := tt.ask(t.Context(), client); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func TestFaultsLeaveOtherMethodsAlone(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	c.SetFaults(0, control.Fault{Kind: control.HTTP500, Methods: []string{"logs", "eth_gasPrice"}})
	if err := askHead(t.Context(), client); err != nil {
		t.Error(err)
	}
	if err := askLogs(t.Context(), client); err == nil {
		t.Error("logs are answered")
	}
	if _, err := client.SuggestGasPrice(t.Context()); err == nil {
		t.Error("the price is answered")
	}
}

func TestFaultsHappenSoManyTimes(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	c.SetFaults(0, control.Fault{Kind: control.HTTP429, Times: 2}, control.Fault{Kind: control.EmptyLogs})
	for i, want := range []bool{false, false, true, true} {
		if err := askHead(t.Context(), client); (err == nil) != want {
			t.Errorf("request %d: %v", i, err)
		}
	}
	stats, err := c.Control.Stats(t.Context(), 0)
	if err != nil || stats.Faults[control.HTTP429] != 2 || stats.Calls["eth_blockNumber"] != 2 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func TestFaultsHappenByChance(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true, Endpoints: 2})
	var seen [2][]bool
	for i := range seen {
		client := dial(t, c.URL(i))
		c.SetFaults(i, control.Fault{Kind: control.LimitExceeded, Probability: 0.5, Seed: 7})
		for range 40 {
			seen[i] = append(seen[i], askHead(t.Context(), client) == nil)
		}
	}
	good := 0
	for n := range seen[0] {
		if seen[0][n] != seen[1][n] {
			t.Fatal("the same seed gives other dice")
		}
		if seen[0][n] {
			good++
		}
	}
	if good < 5 || good > 35 {
		t.Errorf("%d of 40 were answered", good)
	}
}

func TestWrongChain(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	c.SetFaults(0, control.Fault{Kind: control.WrongChain, ChainID: 1})
	if id, err := client.ChainID(t.Context()); err != nil || id.Uint64() != 1 {
		t.Errorf("chain %v, %v", id, err)
	}
	if id, err := client.NetworkID(t.Context()); err != nil || id.Uint64() != 1 {
		t.Errorf("network %v, %v", id, err)
	}
}

func TestFaultsAreChecked(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	for _, f := range []control.Fault{{Kind: "nonsense"}, {Kind: control.Lag}, {Kind: control.Slow},
		{Kind: control.WrongChain}, {Kind: control.Hang, Probability: 2}} {
		if err := c.Control.SetFaults(t.Context(), 0, f); err == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
	if err := c.Control.SetFaults(t.Context(), 1, control.Fault{Kind: control.Hang}); err == nil {
		t.Error("an endpoint that is not there misbehaves")
	}
}

func TestOnlyClientsMethodsAreServed(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	for _, method := range []string{"devnet_mine", "debug_setHead", "admin_peers", "txpool_content", "rpc_modules"} {
		if err := client.Client().CallContext(t.Context(), nil, method); !says("does not exist")(err) {
			t.Errorf("%s: %v", method, err)
		}
	}
	var version string
	if err := client.Client().CallContext(t.Context(), &version, "web3_clientVersion"); err != nil || version == "" {
		t.Errorf("version %q, %v", version, err)
	}
}
