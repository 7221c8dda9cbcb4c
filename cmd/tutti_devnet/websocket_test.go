package main_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// next waits for an event of a subscription.
func next[T any](t *testing.T, events <-chan T, sub *rpc.ClientSubscription) (out T) {
	t.Helper()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	select {
	case out = <-events:
	case err := <-sub.Err():
		t.Fatalf("the subscription ended: %v", err)
	case <-limit.C:
		t.Fatal("no event came")
	}
	return out
}

// heads subscribes to new heads as they are on the wire.
func heads(t *testing.T, url string) (chan json.RawMessage, *rpc.ClientSubscription) {
	t.Helper()
	events := make(chan json.RawMessage, 64)
	sub, err := dial(t, url).Client().EthSubscribe(t.Context(), events, "newHeads")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Unsubscribe)
	return events, sub
}

func read(t *testing.T, raw json.RawMessage) (b block) {
	t.Helper()
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNewHeadsSayTheirL1Block(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	events, sub := heads(t, c.WebsocketURL(0))
	for range 3 {
		l1 := c.AdvanceL1(2)
		b := read(t, next(t, events, sub))
		if protocol.L1Block(b.L1BlockNumber) != l1 {
			t.Errorf("head %+v, want L1 %d", b, l1)
		}
	}
}

func TestCallsOverWebsocket(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.WebsocketURL(0))
	tx := pay(c, 0, 0, fee)
	if err := client.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a receipt", func() bool { return mined(t, client, tx.Hash()) })
}

func TestLogsOverWebsocket(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{})
	events := make(chan types.Log, 64)
	sub, err := dial(t, c.WebsocketURL(0)).SubscribeFilterLogs(t.Context(), ethereum.FilterQuery{}, events)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	if err := c.Control.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l := next(t, events, sub.(*rpc.ClientSubscription)); l.Address != c.Info.Controller {
		t.Errorf("a log of %v", l.Address)
	}
}

func TestNewHeadsLag(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	c.SetFaults(0, control.Fault{Kind: control.Lag, Blocks: 2})
	events, sub := heads(t, c.WebsocketURL(0))
	c.Mine(5)
	for want := range uint64(3) {
		if b := read(t, next(t, events, sub)); uint64(b.Number) != want+1 {
			t.Errorf("head %d, want %d", b.Number, want+1)
		}
	}
	select {
	case raw := <-events:
		t.Errorf("a head of the future: %s", raw)
	default:
	}
}

func TestNewHeadsOfAFork(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	events, sub := heads(t, c.WebsocketURL(0))
	c.Mine(1)
	before := read(t, next(t, events, sub))
	if _, err := c.Control.Reorg(t.Context(), control.Reorg{Depth: 1}); err != nil {
		t.Fatal(err)
	}
	after := read(t, next(t, events, sub))
	if after.Number != before.Number || after.Hash == before.Hash {
		t.Errorf("%+v after %+v", after, before)
	}
}

func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	events, sub := heads(t, c.WebsocketURL(0))
	c.Mine(1)
	next(t, events, sub)
	sub.Unsubscribe()
	other, otherSub := heads(t, c.WebsocketURL(0))
	c.Mine(1)
	next(t, other, otherSub)
	select {
	case raw := <-events:
		t.Errorf("an event after the end: %s", raw)
	default:
	}
}

// Whatever cannot be said on a websocket ends it.
func TestFaultsCloseWebsockets(t *testing.T) {
	t.Parallel()
	kinds := []control.Kind{control.Stop, control.HTTP429, control.HTTP500, control.HTML502, control.Reset,
		control.HalfJSON}
	c := devnet.Start(t, devnet.Options{NoContracts: true, Endpoints: len(kinds)})
	for i, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			client := dial(t, c.WebsocketURL(i))
			_, sub := heads(t, c.WebsocketURL(i))
			c.SetFaults(i, control.Fault{Kind: kind})
			if err := askHead(t.Context(), client); err == nil {
				t.Error("the request is answered")
			}
			if kind == control.Stop {
				<-sub.Err()
			}
			c.SetFaults(i)
			if err := askHead(t.Context(), dial(t, c.WebsocketURL(i))); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func TestWebsocketHangs(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.WebsocketURL(0))
	c.SetFaults(0, control.Fault{Kind: control.Hang, Methods: []string{"read"}})
	if err := askHeadBriefly(t.Context(), client); !says("deadline exceeded")(err) {
		t.Errorf("%v", err)
	}
	if err := askLogs(t.Context(), client); err != nil {
		t.Errorf("other methods: %v", err)
	}
}
