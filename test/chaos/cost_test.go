package chaos

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// population is how many others there are on a chain.
type population struct{ orchestrators, delegators uint64 }

func (c population) String() string {
	return fmt.Sprintf("%d orchestrators with %d delegators", c.orchestrators, c.orchestrators*c.delegators)
}

// scene is an idle node on a chain with a population.
type scene struct {
	t     *testing.T
	chain *devnet.Chain
	node  *inside
}

// newStage starts a chain with a population in a round that is initialized.
func newStage(t *testing.T, of population) *devnet.Chain {
	t.Helper()
	began := time.Now()
	c := devnet.Start(t, devnet.Options{Endpoints: endpoints, PoolSize: max(100, of.orchestrators), RoundLength: 1000})
	err := c.Control.Populate(t.Context(), control.Population{
		Orchestrators: of.orchestrators, Base: core.LPTTokens(100), Step: core.LPTTokens(1),
		ServiceURI: "https://o{n}.example:8935",
		Delegators: of.delegators, Delegation: core.LPTTokens(1),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	// What the population did lies behind the blocks whose logs are still asked for.
	c.Mine(300)
	t.Logf("%s are there after %s", of, time.Since(began).Round(time.Second))
	return c
}

// newScene starts a node on a chain: the first orchestrator of the population, with
// nothing to do. urls may change the addresses of the endpoints.
func newScene(t *testing.T, c *devnet.Chain, poll time.Duration, urls func(string) string) *scene {
	t.Helper()
	s := settings{Dir: t.TempDir(), Poll: poll, Timeout: time.Minute, Clock: clock{Begin: time.Now(), Speed: 1},
		Reward: protocol.RewardOff}
	for _, url := range c.Info.Endpoints {
		s.Endpoints = append(s.Endpoints, urls(url))
	}
	wallet := newLedger(nil, c.Info, control.OrchestratorKey(0))
	s.Account = core.Address(wallet.account)
	importKey(t, s.Dir, wallet)
	node, err := liveInside(s, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = node.stop() })
	return &scene{t: t, chain: c, node: node}
}

func asHTTP(url string) string      { return url }
func asWebsocket(url string) string { return "ws" + strings.TrimPrefix(url, "http") }

// until waits for a condition.
func (s *scene) until(what string, limit time.Duration, holds func() bool) {
	s.t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-timer.C:
			s.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// subscribed reports whether every endpoint notifies of its blocks by itself.
func (s *scene) subscribed() bool {
	return !slices.ContainsFunc(s.node.Endpoints.Status().Endpoints,
		func(e endpoint.EndpointStatus) bool { return !e.Subscribed })
}

// requests are how many requests the endpoints got, by method.
type requests map[string]uint64

func (s *scene) calls() requests {
	s.t.Helper()
	out := make(requests)
	for i := range s.chain.Info.Endpoints {
		stats, err := s.chain.Control.Stats(s.t.Context(), i)
		if err != nil {
			s.t.Fatal(err)
		}
		for method, count := range stats.Calls {
			out[method] += count
		}
	}
	return out
}

// since are the requests after those of before.
func (r requests) since(before requests) requests {
	out := make(requests)
	for method, n := range r {
		if n > before[method] {
			out[method] = n - before[method]
		}
	}
	return out
}

func (r requests) all() (n uint64) {
	for _, count := range r {
		n += count
	}
	return n
}

// pass makes blocks one by one, each after the node has seen the last.
func (s *scene) pass(blocks int) {
	s.t.Helper()
	for range blocks {
		s.sees(s.chain.Mine(1))
	}
}

// settles waits until the node has read what it reads once after its start, such as
// the order of the pool.
func (s *scene) settles() {
	s.t.Helper()
	s.until("the end of what is read at the start", 2*time.Minute, func() bool {
		before := s.calls()
		s.pass(5)
		return s.calls().since(before)["eth_call"] == 0
	})
}

func (s *scene) sees(n protocol.L2Block) {
	s.t.Helper()
	s.until(fmt.Sprintf("block %d", n), time.Minute, func() bool { return s.node.Chain.View().Head.Number >= n })
}

// TestCallsPerBlock: a block costs the node a bounded number of requests, one to
// every endpoint and one for logs at most, and a round a few, whatever else is on
// the chain.
func TestCallsPerBlock(t *testing.T) {
	t.Parallel()
	const (
		blocks   = 40
		perBlock = endpoints + 1
		// A round is read from as many endpoints as must agree on it, which are two: 36 calls. An endpoint that
		// is slow, as on a busy machine, has another one asked too.
		perRound = 60
		// roundBlocks are made while it is read: one with the round, and those that follow.
		roundBlocks = 6
		// slack is for what happens at intervals as well, and a busy machine has more intervals: every endpoint
		// that has not notified of a block for as long gets a request for it.
		slack = 20
		poll  = 500 * time.Millisecond
	)
	for _, of := range []population{{1, 0}, {40, 3}} {
		s := newScene(t, newStage(t, of), poll, asWebsocket)
		s.until("the view and the subscriptions", time.Minute,
			func() bool { return s.node.Chain.View().Known && s.subscribed() })
		s.settles()
		before, began := s.calls(), time.Now()
		s.pass(blocks)
		idle, idlePolls := s.calls().since(before), endpoints*uint64(time.Since(began)/poll)
		before, began = s.calls(), time.Now()
		if _, err := s.chain.Control.NextRound(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		s.pass(roundBlocks - 1)
		round, roundPolls := s.calls().since(before), endpoints*uint64(time.Since(began)/poll)
		t.Logf("%s: %d requests for %d blocks: %v", of, idle.all(), blocks, idle)
		t.Logf("%s: %d requests for a new round: %v", of, round.all(), round)
		if idle.all() > perBlock*blocks+slack+idlePolls {
			t.Errorf("%s: %d requests for %d blocks", of, idle.all(), blocks)
		}
		if n := round["eth_call"]; n > perRound {
			t.Errorf("%s: %d calls for a new round", of, n)
		}
		// An endpoint whose height is not known to suffice gets a request for it before a call.
		heights := min(round["eth_blockNumber"], round["eth_call"])
		if n := round.all() - round["eth_call"] - heights; n > perBlock*roundBlocks+slack+roundPolls {
			t.Errorf("%s: %d requests for the blocks of a new round", of, n)
		}
	}
}

// TestCost prints what blocks cost an idle node: CPU time and requests, at
// the real clock and the usual intervals. It is part of the longer run.
func TestCost(t *testing.T) {
	if os.Getenv(roundsEnv) == "" {
		t.Skip("the figures are those of make chaos")
	}
	for _, of := range []population{{1, 0}, {1000, 10}} {
		c := newStage(t, of)
		for name, urls := range map[string]func(string) string{"http": asHTTP, "websocket": asWebsocket} {
			s := newScene(t, c, 5*time.Second, urls)
			cpu, calls, every := s.perBlock(240)
			t.Logf("%s, %s: %s of CPU time and %.2f requests per block, one block each %s", of, name,
				cpu.Round(time.Microsecond), calls, every.Round(time.Millisecond))
			// Where the machine is too busy to make blocks in time, each has to bear more
			// of what the node does at intervals.
			if cpu > time.Millisecond && every < 275*time.Millisecond {
				t.Errorf("%s, %s: a block costs %s of CPU time, more than a millisecond", of, name, cpu)
			}
			if err := s.node.stop(); err != nil {
				t.Error(err)
			}
		}
		c.Stop()
	}
}

// perBlock has blocks come as on Arbitrum and measures what they cost, and how
// often they came.
func (s *scene) perBlock(blocks protocol.L2Block) (cpu time.Duration, calls float64, every time.Duration) {
	s.t.Helper()
	s.settles()
	if err := s.chain.Control.SetL2BlockTime(s.t.Context(), 250*time.Millisecond); err != nil {
		s.t.Fatal(err)
	}
	began, before, from, used := time.Now(), s.calls(), s.node.Chain.View().Head.Number, processorTime(s.t)
	s.idle(from + blocks)
	used = processorTime(s.t) - used
	made, took := s.node.Chain.View().Head.Number-from, time.Since(began)
	if err := s.chain.Control.SetL2BlockTime(s.t.Context(), 0); err != nil {
		s.t.Fatal(err)
	}
	return used / time.Duration(made), float64(s.calls().since(before).all()) / float64(made), took / time.Duration(made)
}

// idle does nothing until the node has seen a block: the CPU's time is the
// node's alone.
func (s *scene) idle(until protocol.L2Block) {
	s.t.Helper()
	seen := make(chan struct{})
	done := sync.OnceFunc(func() { close(seen) })
	stop := s.node.Chain.Subscribe(func(e protocol.Event) {
		if h, ok := e.(protocol.HeadSeen); ok && h.Head.Number >= until {
			done()
		}
	})
	defer stop()
	select {
	case <-seen:
	case <-time.After(5 * time.Minute):
		s.t.Fatalf("block %d does not come", until)
	}
}

// processorTime is what this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
