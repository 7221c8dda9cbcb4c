package chaos

import (
	"context"
	crand "crypto/rand"
	"encoding/hex"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// The measures of a run.
const (
	// endpoints is how many the node has. One more behaves always, for the tests.
	endpoints = 3
	// roundLength is in L1 blocks: a tenth of it is several.
	roundLength = 100
	blockTime   = 100 * time.Millisecond
	// speed is how much faster the node's clock goes.
	speed = 10
	// deepest is how many blocks a reorg replaces at most.
	deepest = 12
	// patience is what a round may take in which everything works again. It is the
	// node's time for a tenth of a real round, many times over.
	patience = 90 * time.Second
	logLines = 120
)

// Prices of gas: what is paid in calm, the most that the node pays, and more.
var (
	calmFee  = core.NewWei(10_000_000)
	maxFee   = core.NewWei(50_000_000)
	spikeFee = core.NewWei(500_000_000)
)

// world is a chain, a node on it, and the accounts that act on both.
type world struct {
	t      *testing.T
	chain  *devnet.Chain
	ledger ledger
	// bystander is another account that initializes rounds.
	bystander ledger
	dice      *rand.Rand
	set       settings
	node      life
	log       *tail
	// round is the present one.
	round round
	// foreign are the transactions of the second wallet with the node's key.
	foreign []common.Hash
	fig     figures
}

// newWorld starts a chain with a few orchestrators, one of which is the node's.
func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	c := devnet.Start(t, devnet.Options{Endpoints: endpoints + 1, BlockTime: blockTime, RoundLength: roundLength,
		Args: []string{"-baseFee", calmFee.String()}})
	w := &world{t: t, chain: c, dice: rand.New(rand.NewPCG(seed, 0)), log: &tail{limit: logLines}}
	w.must(c.Control.Populate(t.Context(), control.Population{
		Orchestrators: 5, Base: core.LPTTokens(1000), Step: core.LPTTokens(10), ServiceURI: "https://o{n}.example:8935",
		RewardCut: 100_000, FeeShare: 500_000,
	}))
	client, err := ethclient.Dial(c.URL(endpoints))
	w.must(err)
	t.Cleanup(client.Close)
	w.ledger = newLedger(client, c.Info, control.OrchestratorKey(0))
	w.bystander = newLedger(client, c.Info, control.AccountKey(0))
	w.set = settings{
		Endpoints: c.Info.Endpoints[:endpoints], Dir: t.TempDir(), Account: core.Address(w.ledger.account),
		Clock: clock{Begin: time.Now(), Speed: speed}, Poll: blockTime, Timeout: 20 * time.Second, MaxGasPrice: maxFee,
		InitializeRound: 300 * time.Millisecond,
	}
	importKey(t, w.set.Dir, w.ledger)
	t.Cleanup(func() { w.end(seed) })
	return w
}

func importKey(t *testing.T, dir string, l ledger) {
	t.Helper()
	private := core.NewSecret(hex.EncodeToString(crypto.FromECDSA(l.key)))
	if _, err := keystore(dir).ImportKey(private, passphrase(), crand.Reader, time.Now()); err != nil {
		t.Fatal(err)
	}
}

// end stops the node and shows what a failure needs to be understood and repeated.
func (w *world) end(seed uint64) {
	if w.node != nil {
		if err := w.node.stop(); err != nil {
			w.t.Errorf("the node ended badly: %v", err)
		}
	}
	if w.t.Failed() {
		w.t.Logf("seed %d\nlast lines of the node:\n%s", seed, w.log)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) ctx() context.Context { return w.t.Context() }

// start starts the node, in this process or in another.
func (w *world) start(child bool) {
	w.t.Helper()
	if child {
		l, err := liveOutside(w.set, w.log)
		w.must(err)
		w.node = l
		return
	}
	l, err := liveInside(w.set, w.log)
	w.must(err)
	w.node = l
}

// restart ends the node one way or the other and starts it again.
func (w *world) restart(end func(life) error, child bool) {
	w.t.Helper()
	was := w.node
	w.node = nil
	w.must(end(was))
	w.start(child)
}

// until waits for a condition, and fails when it does not come in time or the node
// is gone.
func (w *world) until(what string, limit time.Duration, holds func() bool) {
	w.t.Helper()
	if !w.within(limit, holds) {
		w.t.Fatalf("round %d (%s): waited %s in vain for %s", w.round.number, w.round.plan, limit, what)
	}
}

// within is until that only reports.
func (w *world) within(limit time.Duration, holds func() bool) bool {
	w.t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-w.node.ended():
			w.t.Fatalf("round %d (%s): the node ended by itself", w.round.number, w.round.plan)
		case <-timer.C:
			return false
		}
	}
	return true
}

// calls is how many requests the node has made so far.
func (w *world) calls() (n uint64) {
	w.t.Helper()
	for i := range endpoints {
		stats, err := w.chain.Control.Stats(w.ctx(), i)
		w.must(err)
		for _, count := range stats.Calls {
			n += count
		}
	}
	return n
}
