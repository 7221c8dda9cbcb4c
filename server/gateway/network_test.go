package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// staked is a fake orchestrator of the chain.
type staked struct {
	*fakeOrchestrator
	stake uint64
}

func newStaked(t testing.TB, stake uint64, price int64) staked {
	t.Helper()
	o := newFake(t)
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	o.key, o.price = key, price
	return staked{o, stake}
}

// activeSet is what the chain says.
type activeSet []protocol.Orchestrator

func (a activeSet) Pool(context.Context) ([]protocol.Orchestrator, error) { return a, nil }

func (activeSet) Subscribe(func(protocol.Event)) (stop func()) { return func() {} }

// network runs a directory of these orchestrators until the test's end.
func network(t testing.TB, members ...staked) *registry.Directory {
	t.Helper()
	return networkOf(t, func(*registry.Options) {}, members...)
}

func networkOf(t testing.TB, change func(*registry.Options), members ...staked) *registry.Directory {
	t.Helper()
	var set activeSet
	for _, m := range members {
		set = append(set, protocol.Orchestrator{Address: m.address(), ServiceURI: m.uri,
			DelegatedStake: core.LPTTokens(m.stake), Active: true})
	}
	client := upstream.New(upstream.Options{})
	opt := registry.Options{Stakes: set, Events: set, Survey: client.Survey}
	change(&opt)
	d := registry.New(opt)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		client.Close()
	})
	return d
}

// onChain starts a gateway that chooses among them.
func onChain(t testing.TB, members []staked, change ...func(*gateway.Options)) *node {
	t.Helper()
	d := network(t, members...)
	// The survey of the start is over, so that it does not count among the calls.
	wait(t, "the first survey", func() bool {
		known, _, _ := d.Snapshot()
		for _, k := range known {
			if k.LastAnswer.IsZero() && k.Problem == "" {
				return false
			}
		}
		return len(known) > 0
	})
	all := append([]func(*gateway.Options){func(o *gateway.Options) {
		o.Network, o.Payments = d, d.CheckPayments(upstream.FreePayments{})
		// All answers are in the choice, however busy the machine.
		o.Routing.DiscoveryTimeout = 5 * time.Second
	}}, change...)
	return start(t, nil, all...)
}

// status is one orchestrator's line in the gateway's status.
func (n *node) status(uri string) gateway.OrchestratorStatus {
	n.t.Helper()
	for _, o := range n.g.Selection().Orchestrators {
		if o.URI == uri {
			return o
		}
	}
	n.t.Fatalf("%s is not in the status", uri)
	return gateway.OrchestratorStatus{}
}

func TestChainChoosesByStake(t *testing.T) {
	t.Parallel()
	rich, small, none := newStaked(t, 600, 1), newStaked(t, 200, 1), newStaked(t, 0, 1)
	n := onChain(t, []staked{rich, small, none}, func(o *gateway.Options) {
		o.Selection.Weights, o.Rand = selectionweights.Weights{Stake: 1}, rand.NewChaCha8([32]byte{1})
	})
	const streams = 60
	for i := range streams {
		for s := range 2 { // the second one stays where the first one went
			// Long segments keep a busy machine from looking slow.
			n.push(fmt.Sprintf("/live/show%d/%d.ts", i, s), media, "Content-Duration", "60000").want(t, media)
		}
	}
	if r, p := len(rich.seen()), len(small.seen()); r+p != 2*streams || r < 2*32 || p < 2*3 || len(none.seen()) != 0 {
		t.Errorf("%d, %d and %d segments, want about %d, %d and 0", r, p, len(none.seen()), 3*streams/2, streams/2)
	}
	if got := n.events.count("swapped"); got != 0 {
		t.Errorf("%d streams moved", got)
	}
	o := n.status(rich.uri)
	if o.Address != rich.address() || o.Stake.Cmp(core.LPTTokens(600)) != 0 || o.Price != "1" || o.Score == nil ||
		*o.Score != 1 || o.Code != "" {
		t.Errorf("%+v", o)
	}
	if b, err := json.Marshal(n.g.Selection()); err != nil || !strings.Contains(string(b), rich.address().String()) {
		t.Errorf("%s %v", b, err)
	}
}

func TestChainPriceLimits(t *testing.T) {
	t.Parallel()
	expensive, fair := newStaked(t, 1e6, 100), newStaked(t, 1, 10)
	limit := func(o *gateway.Options) { o.Selection.MaxPrice = func() *big.Rat { return big.NewRat(50, 1) } }
	n := onChain(t, []staked{expensive, fair}, limit)
	for i := range 5 {
		n.push(fmt.Sprintf("/live/show%d/0.ts", i), media).want(t, media)
	}
	if len(expensive.seen()) != 0 || n.status(expensive.uri).Code != fault.OrchestratorTooDear {
		t.Errorf("%d segments at the expensive one, %+v", len(expensive.seen()), n.status(expensive.uri))
	}
	alone := newStaked(t, 1, 100)
	n = onChain(t, []staked{alone}, limit)
	n.push("/live/show/0.ts", media).wantFault(t, http.StatusServiceUnavailable, fault.NoSessionsAvailable)
	n = onChain(t, []staked{alone}, limit, func(o *gateway.Options) { o.Selection.IgnoreMaxPrice = true })
	n.push("/live/show/0.ts", media).want(t, media)
}

func TestChainPerformanceFloor(t *testing.T) {
	t.Parallel()
	bad, good := newStaked(t, 1e6, 1), newStaked(t, 1, 1)
	scores := map[core.Address]float64{bad.address(): 0.3}
	n := onChain(t, []staked{bad, good}, func(o *gateway.Options) {
		o.Selection.MinPerfScore = 0.5
		o.Selection.Score = func(a core.Address) (float64, bool) { s, ok := scores[a]; return s, ok }
	})
	for i := range 5 {
		n.push(fmt.Sprintf("/live/show%d/0.ts", i), media).want(t, media)
	}
	if len(bad.seen()) != 0 || n.status(bad.uri).Code != fault.OrchestratorBelowScore {
		t.Errorf("%d segments below the floor, %+v", len(bad.seen()), n.status(bad.uri))
	}
}

func TestChainTakesNoOffersInAnothersName(t *testing.T) {
	t.Parallel()
	rich, thief := newStaked(t, 1e6, 1), newStaked(t, 1, 1)
	identity := rich.address()
	thief.set(behavior{offer: func(i *rpc.OrchestratorInfo) {
		i.Address, i.TicketParams = identity[:], &rpc.TicketParams{Recipient: identity[:]}
	}})
	n := onChain(t, []staked{rich, thief},
		func(o *gateway.Options) { o.Selection.Weights = selectionweights.Weights{Random: 1} })
	for i := range 8 {
		n.push(fmt.Sprintf("/live/show%d/0.ts", i), media).want(t, media)
	}
	if len(thief.seen()) != 0 || n.status(thief.uri).Code != fault.OrchestratorUnregistered {
		t.Errorf("%d segments, %+v", len(thief.seen()), n.status(thief.uri))
	}
}

func TestChainWithoutPriceIsNoOffer(t *testing.T) {
	t.Parallel()
	o := newStaked(t, 1, 1)
	o.set(behavior{offer: func(i *rpc.OrchestratorInfo) { i.PriceInfo = nil }})
	n := onChain(t, []staked{o}, func(opt *gateway.Options) { opt.Routing.DiscoveryTimeout = 10 * time.Millisecond })
	n.push("/live/show/0.ts", media).wantFault(t, http.StatusServiceUnavailable, fault.NoSessionsAvailable)
}

// TestChainWithAHook takes those that the operator's hook names, registered or not,
// and weighs them by the chain.
func TestChainWithAHook(t *testing.T) {
	t.Parallel()
	rich, other, unnamed := newStaked(t, 1e6, 1), newStaked(t, 0, 1), newStaked(t, 1e6, 1)
	d := networkOf(t, func(o *registry.Options) { o.Named = true }, rich, unnamed)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `[{"address":%q},{"address":%q}]`, rich.uri, other.uri)
	}))
	t.Cleanup(hook.Close)
	n := start(t, nil, func(o *gateway.Options) {
		o.Network, o.OrchestratorHook = d, hook.URL
		o.Routing.DiscoveryTimeout = 5 * time.Second
		o.Selection.Weights = selectionweights.Weights{Stake: 1}
	})
	wait(t, "the chain's stakes", func() bool { _, read, _ := d.Snapshot(); return !read.IsZero() })
	for i := range 5 {
		n.push(fmt.Sprintf("/live/show%d/0.ts", i), media).want(t, media)
	}
	if len(rich.seen()) != 5 || len(other.seen())+len(unnamed.seen()) != 0 {
		t.Errorf("%d, %d and %d segments", len(rich.seen()), len(other.seen()), len(unnamed.seen()))
	}
	rich.set(behavior{status: 500, text: "Internal Server Error"})
	n.push("/live/show0/1.ts", media).want(t, media)
	if len(other.seen()) != 1 {
		t.Error("the other one that was named is not used")
	}
}
