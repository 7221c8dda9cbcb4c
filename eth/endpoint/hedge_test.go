package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// scripted is a transport without sockets, for tests with a clock of their own.
type scripted struct {
	mu sync.Mutex // guards calls while requests run
	// delay is how long an answer takes.
	delay time.Duration
	fail  *failure
	// broken fails everything but the chain ID.
	broken *failure
	err    *wireError
	// deaf is a method that is never answered.
	deaf  string
	calls int
}

func (s *scripted) do(ctx context.Context, reqs []request) ([]response, *failure) {
	s.mu.Lock()
	s.calls++
	s.mu.Unlock()
	if s.deaf == reqs[0].method {
		<-ctx.Done()
		return nil, netFailure(ctx, "scripted", ctx.Err())
	}
	select {
	case <-time.After(s.delay):
	case <-ctx.Done():
		return nil, netFailure(ctx, "scripted", ctx.Err())
	}
	if s.fail != nil {
		f := *s.fail
		return nil, &f
	}
	if s.broken != nil && reqs[0].method != "eth_chainId" {
		f := *s.broken
		return nil, &f
	}
	if s.err != nil && reqs[0].method != "eth_chainId" {
		return []response{{err: s.err}}, nil
	}
	results := map[string]string{"eth_chainId": `"0xa4b1"`, "eth_blockNumber": `"0x10"`, "eth_gasPrice": `"0x5"`,
		"eth_call": `"0x05"`, "eth_getLogs": "[]"}
	out := make([]response, len(reqs))
	for i, r := range reqs {
		out[i].result = json.RawMessage(results[r.method])
	}
	return out, nil
}

func (*scripted) close() {}

func scriptedPool(t *testing.T, lines ...*scripted) *Pool {
	t.Helper()
	o := Options{ChainID: 42161}
	for range lines {
		o.Endpoints = append(o.Endpoints, Endpoint{URL: core.NewSecret("http://node.example")})
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lines {
		p.remotes[i].transport = l
		if f := p.remotes[i].verify(t.Context()); l.fail == nil && f != nil {
			t.Fatal(f)
		}
		l.calls = 0
	}
	return p
}

func TestHedge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow, fast := &scripted{}, &scripted{delay: 10 * time.Millisecond}
		p := scriptedPool(t, slow, fast)
		slow.delay = 5 * time.Second
		began := time.Now()
		if _, err := p.GasPrice(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != hedgeFloor+fast.delay {
			t.Errorf("took %v; want the floor and the second one's time", took)
		}
		if slow.calls != 1 || fast.calls != 1 {
			t.Errorf("calls: %d, %d", slow.calls, fast.calls)
		}
		// Now the slow one is known as such: the next read does not wait for it.
		began = time.Now()
		if _, err := p.GasPrice(t.Context()); err != nil || time.Since(began) != fast.delay {
			t.Errorf("the next took %v, %v", time.Since(began), err)
		}
	})
}

// A large batch takes its time and is not paid for twice; one that hangs goes
// elsewhere all the same.
func TestLargeBatchesAreNotDoubled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := &scripted{}, &scripted{delay: 10 * time.Millisecond}
		p := scriptedPool(t, first, second)
		limit := p.opt.CallTimeout
		for _, tt := range []struct {
			calls       int
			delay, want time.Duration
			doubled     int
		}{
			{largeBatch + 1, 2 * time.Second, 2 * time.Second, 0},
			{250, 3 * time.Second, 9 * time.Second, 0},
			{100, limit, limit/2 + second.delay, 1},
			{largeBatch, 2 * time.Second, hedgeFloor + second.delay, 1},
		} {
			for _, r := range p.remotes {
				r.recordHeight(16)
				r.mu.Lock()
				r.stats = stats{}
				r.mu.Unlock()
			}
			first.delay, second.calls = tt.delay, 0
			began := time.Now()
			if out, err := p.CallBatch(t.Context(), 7, calls(tt.calls)); err != nil || len(out) != tt.calls {
				t.Fatalf("%d results, %v", len(out), err)
			}
			if took := time.Since(began); took != tt.want || second.calls != tt.doubled {
				t.Errorf("%d calls took %v and went %d times to the second one", tt.calls, took, second.calls)
			}
		}
	})
}

func TestAnswersAreFinal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		revert := &wireError{Code: 3, Message: "execution reverted: system is paused", Data: json.RawMessage(`"0x08c379a0"`)}
		first, second := &scripted{err: revert, delay: time.Millisecond}, &scripted{delay: time.Second}
		p := scriptedPool(t, first, second)
		_, err := p.CallContract(t.Context(), ethereum.CallMsg{}, 0)
		var answer *RPCError
		if !errors.As(err, &answer) || answer.ErrorData() != "0x08c379a0" || answer.ErrorCode() != 3 {
			t.Fatalf("got %v", err)
		}
		if first.calls != 1 || second.calls != 0 {
			t.Errorf("a revert was tried elsewhere: %d, %d", first.calls, second.calls)
		}
	})
}

func TestCallersTimeIsNotTheEndpoints(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &scripted{}
		p := scriptedPool(t, slow)
		slow.delay = time.Second
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			_, err := p.GasPrice(ctx)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
		if s := p.Status().Endpoints[0]; s.Open || s.ErrorRate != 0 {
			t.Errorf("the endpoint was blamed: %+v", s)
		}
	})
}

func TestRestAndReturn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		only := &scripted{}
		p := scriptedPool(t, only)
		only.fail = &failure{kind: throttled, name: "x", detail: "HTTP 429", wait: 20 * time.Second}
		if _, err := p.GasPrice(t.Context()); !errors.Is(err, fault.RPCRateLimited) {
			t.Fatal(err)
		}
		only.fail = nil
		if _, err := p.GasPrice(t.Context()); !errors.Is(err, fault.RPCRateLimited) || only.calls != 1 {
			t.Fatalf("asked during its rest (%d calls): %v", only.calls, err)
		}
		<-time.After(21 * time.Second)
		if _, err := p.GasPrice(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
