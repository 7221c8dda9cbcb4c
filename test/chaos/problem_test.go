package chaos

import (
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// problem is something that happens once in a round: before it begins, after that
// and before the reward has to be there, or right after the reward was mined. What
// is nil does nothing.
type problem struct {
	name string
	// kind keeps problems apart that would take each other's effect away.
	kind                  string
	before, during, after func(*world)
}

func (t problem) excludes(other problem) bool { return t.kind == other.kind }

// Kinds of problems.
const (
	ofLife  = "life"
	ofFlow  = "flow"
	ofForks = "forks"
)

// problems are all there are.
func problems() []problem {
	return []problem{
		{name: "restart", kind: ofLife, during: (*world).restartAnywhere},
		{name: "kill", kind: ofLife, before: (*world).moveOut, during: (*world).killAnywhere},
		{name: "kill again and again", kind: ofLife, before: (*world).moveOut, during: (*world).killThrice},
		{name: "down when the round begins", kind: ofLife, before: (*world).goDown, during: (*world).comeUp},
		{name: "outage", kind: ofFlow, before: (*world).breakAll, during: (*world).sitOut},
		{name: "fees beyond the limit", kind: ofFlow, before: (*world).spike, during: (*world).waitForCalm},
		{name: "fees rise after sending", kind: ofFlow, before: (*world).halt, during: (*world).spikeLate},
		{name: "transactions get stuck", kind: ofFlow, before: (*world).halt, during: (*world).holdBack},
		{name: "transactions get lost", kind: ofFlow, before: (*world).lose},
		{name: "a foreign wallet takes nonces before", kind: ofFlow, before: (*world).foreignBefore},
		{name: "a foreign wallet is quicker", kind: ofFlow, before: (*world).halt, during: (*world).foreignQuicker},
		{name: "a foreign wallet does it by hand", kind: ofFlow, before: (*world).halt, during: (*world).foreignByHand},
		{name: "a foreign wallet leaves a gap", kind: ofFlow, before: (*world).foreignGap},
		{name: "reorganization", kind: ofForks, after: func(w *world) { w.fork(control.Reorg{}) }},
		{name: "reorganization that forgets", kind: ofForks, after: func(w *world) { w.fork(control.Reorg{Forget: true}) }},
		{name: "reorganization that keeps", kind: ofForks, after: func(w *world) { w.fork(control.Reorg{Keep: true}) }},
		{name: "two reorganizations", kind: ofForks, after: func(w *world) {
			w.fork(control.Reorg{Forget: true})
			w.fork(control.Reorg{})
		}},
	}
}

// anywhere waits for any moment of a round: so many requests later.
func (w *world) anywhere() {
	w.t.Helper()
	target := w.calls() + w.dice.Uint64N(60)
	w.within(2*time.Second, func() bool { return w.calls() >= target })
}

func (w *world) restartAnywhere() {
	w.anywhere()
	w.restart(life.stop, w.dice.IntN(2) == 0)
	w.fig.restarts++
}

// moveOut has the node be a process that can be killed.
func (w *world) moveOut() {
	if _, ok := w.node.(*outside); !ok {
		w.restart(life.stop, true)
		w.fig.restarts++
	}
}

func (w *world) killAnywhere() {
	w.anywhere()
	w.restart(life.kill, w.dice.IntN(2) == 0)
	w.fig.kills++
}

func (w *world) killThrice() {
	for range 3 {
		w.anywhere()
		w.restart(life.kill, true)
		w.fig.kills++
	}
}

// goDown stops the node; the world has none until comeUp.
func (w *world) goDown() {
	was := w.node
	w.node = absent{}
	w.must(was.stop())
}

func (w *world) comeUp() {
	w.passL1(w.dice.Uint64N(roundLength / 2))
	w.start(w.dice.IntN(2) == 0)
	w.fig.restarts++
}

// absent is the life of no node.
type absent struct{}

func (absent) stop() error            { return nil }
func (absent) kill() error            { return nil }
func (absent) ended() <-chan struct{} { return nil }

// outages are how all endpoints are lost at once.
var outages = []control.Kind{control.Stop, control.Hang, control.HTTP429, control.HTTP500, control.HTML502,
	control.HalfJSON, control.Reset, control.LimitExceeded}

// breakAll takes all endpoints away.
func (w *world) breakAll() {
	kind := outages[w.dice.IntN(len(outages))]
	for i := range endpoints {
		w.chain.SetFaults(i, control.Fault{Kind: kind})
	}
}

// sitOut lets nine tenths of the round go by, and gives the endpoints back.
func (w *world) sitOut() {
	for range 9 {
		w.passL1(roundLength / 10)
		w.passBlocks(3)
	}
	w.restore()
	w.ail()
	w.fig.outages++
}

// passL1 moves the L1 clock on within the round, as far as its last tenth.
func (w *world) passL1(n uint64) {
	w.t.Helper()
	if n = min(n, roundLength*9/10-w.round.passed); n > 0 {
		w.chain.AdvanceL1(n)
		w.round.passed += n
	}
}

// passBlocks waits until the chain has made so many blocks by itself.
func (w *world) passBlocks(n protocol.L2Block) {
	w.t.Helper()
	target := w.head() + n
	w.until("blocks", patience, func() bool { return w.head() >= target })
}

func (w *world) head() protocol.L2Block {
	w.t.Helper()
	n, err := w.ledger.BlockNumber(w.ctx())
	w.must(err)
	return protocol.L2Block(n)
}

func (w *world) spike() { w.must(w.chain.Control.SetBaseFee(w.ctx(), spikeFee)) }

func (w *world) waitForCalm() {
	w.passBlocks(5)
	w.passL1(w.dice.Uint64N(roundLength / 2))
	w.passBlocks(5)
	w.must(w.chain.Control.SetBaseFee(w.ctx(), calmFee))
	w.fig.spikes++
}

// halt leaves transactions in the pool: only L1 blocks come, in blocks of their own.
func (w *world) halt() {
	w.must(w.chain.Control.SetAutomine(w.ctx(), false))
	w.must(w.chain.Control.SetL2BlockTime(w.ctx(), 0))
}

// flow has blocks made again.
func (w *world) flow() {
	w.must(w.chain.Control.SetAutomine(w.ctx(), true))
	w.must(w.chain.Control.SetL2BlockTime(w.ctx(), blockTime))
}

// sent waits for a transaction of the account in the pool.
func (w *world) sent() {
	w.t.Helper()
	w.halted("a transaction in the pool", func() bool {
		n, err := w.ledger.waiting(w.ctx())
		w.must(err)
		return n > 0
	})
}

// halted waits for a condition while no transaction is mined.
func (w *world) halted(what string, holds func() bool) {
	w.t.Helper()
	last := time.Now()
	w.until(what, patience, func() bool {
		if time.Since(last) >= blockTime {
			last = time.Now()
			w.passL1(1)
		}
		return holds()
	})
}

func (w *world) spikeLate() {
	w.sent()
	w.spike()
	w.flow()
	w.waitForCalm()
}

// holdBack makes no block until the node has handed its transaction out again.
func (w *world) holdBack() {
	w.sent()
	before := w.sends()
	w.halted("the transaction handed out again", func() bool { return w.sends() > before })
	w.flow()
}

// sends is how many transactions the node has handed to endpoints.
func (w *world) sends() (n uint64) {
	w.t.Helper()
	for i := range endpoints {
		stats, err := w.chain.Control.Stats(w.ctx(), i)
		w.must(err)
		n += stats.Calls["eth_sendRawTransaction"]
	}
	return n
}

// lose takes the next transactions: from one of the endpoints, from all, or twice.
func (w *world) lose() {
	n := []uint64{1, endpoints, 2 * endpoints}[w.dice.IntN(3)]
	w.must(w.chain.Control.DropNext(w.ctx(), n))
	w.fig.dropped += int(n)
}
