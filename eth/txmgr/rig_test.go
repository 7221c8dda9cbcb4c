package txmgr_test

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"log/slog"
	"math/big"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/txmgr"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		writeForEver(dir)
	}
	goleak.VerifyTestMain(m)
}

// signer signs with a key that is public.
type signer struct {
	key *ecdsa.PrivateKey
	// refuses may be nil.
	refuses func(account.Call) error
}

func newSigner() signer {
	key, err := crypto.ToECDSA(common.LeftPadBytes([]byte{7}, 32))
	if err != nil {
		panic(err)
	}
	return signer{key: key}
}

func (s signer) Address() core.Address { return core.Address(crypto.PubkeyToAddress(s.key.PublicKey)) }

func (s signer) Sign(c account.Call, t account.Terms) (*types.Transaction, error) {
	if s.refuses != nil {
		if err := s.refuses(c); err != nil {
			return nil, err
		}
	}
	to := common.Address(c.To)
	id := new(big.Int).SetUint64(t.ChainID)
	return types.SignNewTx(s.key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: t.Nonce, Gas: t.Gas, GasFeeCap: t.FeeCap.Big(), GasTipCap: t.Tip.Big(), To: &to,
		Value: c.Value.Big(), Data: c.Data})
}

// signed is a transaction of the account that the Manager does not know.
func signed(nonce uint64, to common.Address, data []byte, price uint64) *types.Transaction {
	tx, err := newSigner().Sign(account.Call{To: core.Address(to), Data: data},
		account.Terms{ChainID: 1337, Nonce: nonce, Gas: 100_000, FeeCap: core.NewWei(price), Tip: core.NewWei(price)})
	if err != nil {
		panic(err)
	}
	return tx
}

// act is an intent whose data are its name.
func act(name string) txmgr.Intent {
	return txmgr.JournalCall{Verb: name, About: "do " + name, Addr: common.Address{1}, Input: []byte(name)}
}

// tb is what a test and a property have in common.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// rig is a Manager with everything around it, inside a synctest bubble.
type rig struct {
	t       tb
	chain   *chain
	journal *memory
	board   *health.Board
	opt     txmgr.Options
	m       *txmgr.Manager
	gate    *gate
	stop    func()
}

func quietLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newRig(t tb, change func(*txmgr.Options)) *rig {
	r := &rig{t: t, chain: newChain(), journal: &memory{records: make(map[uint64]txmgr.Record),
		past: make(map[protocol.Hash]map[uint64]txmgr.Record)}}
	r.board = health.New(quietLog(), time.Now, nil)
	r.chain.onSend = func(tx *types.Transaction) {
		if !r.journal.knows(tx.Hash()) {
			t.Errorf("nonce %d was sent before it was in the journal", tx.Nonce())
		}
	}
	r.opt = txmgr.Options{
		ChainID: 1337, Signer: newSigner(), Health: r.board, Log: quietLog(), Now: time.Now, Replacements: 1,
		Decode: func(in txmgr.Intent, err error) (error, bool) {
			if !errors.Is(err, errRevert) {
				return nil, false
			}
			return fault.New(fault.RoundNotInitialized, in.Name(), "no"), true
		},
	}
	if change != nil {
		change(&r.opt)
	}
	r.start()
	return r
}

// start runs a new Manager on the journal there is.
func (r *rig) start() { r.through(func(b txmgr.Backend) txmgr.Backend { return b }) }

// through is start with something between the Manager and the chain.
func (r *rig) through(between func(txmgr.Backend) txmgr.Backend) {
	r.gate = &gate{chain: r.chain, memory: r.journal}
	r.opt.Backend, r.opt.Journal = between(r.gate), r.gate
	m := txmgr.New(r.opt)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	ready := make(chan struct{})
	go func() { ended <- m.Run(ctx, func() { close(ready) }) }()
	<-ready
	r.m = m
	m.OnHead(r.chain.head())
	r.stop = func() {
		r.stop = func() {}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			r.t.Errorf("the Manager ended with %v", err)
		}
	}
}

// kill ends the process as SIGKILL does: nothing it does afterwards counts.
func (r *rig) kill() {
	r.gate.shut()
	r.stop()
}

// beat mines n blocks, a second apart, and tells the Manager.
func (r *rig) beat(n int) {
	for range n {
		r.chain.mine(1)
		r.tell(time.Second)
	}
}

// tell lets time pass and tells of the newest head.
func (r *rig) tell(d time.Duration) {
	r.m.OnHead(r.chain.head())
	<-time.After(d)
	synctest.Wait()
}

// idle lets time pass in which no block takes any transaction, with heads.
func (r *rig) idle(d time.Duration) {
	for range d / (10 * time.Second) {
		r.chain.set(func() { r.chain.seal(nil) })
		r.tell(10 * time.Second)
	}
}

// sending is a Send in progress.
type sending struct {
	done   chan struct{}
	tx     protocol.Transaction
	err    error
	cancel func()
}

func (r *rig) send(in txmgr.Intent, opt protocol.SendOptions) *sending {
	ctx, cancel := context.WithCancel(context.Background())
	s := &sending{done: make(chan struct{}), cancel: cancel}
	m := r.m
	go func() {
		defer cancel()
		defer close(s.done)
		s.tx, s.err = m.Send(ctx, in, opt)
	}()
	synctest.Wait()
	return s
}

func (s *sending) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// ends waits a bounded number of blocks for the answer.
func (r *rig) ends(s *sending) (protocol.Transaction, error) {
	r.t.Helper()
	for range 400 {
		if s.over() {
			return s.tx, s.err
		}
		r.beat(1)
	}
	r.t.Fatal("no answer")
	return protocol.Transaction{}, nil
}

func (r *rig) mined(s *sending) protocol.Transaction {
	r.t.Helper()
	tx, err := r.ends(s)
	if err != nil || tx.State != protocol.TxMined && tx.State != protocol.TxFinal {
		r.t.Fatalf("%+v %v", tx, err)
	}
	return tx
}

func (r *rig) failed(s *sending, code fault.Code) {
	r.t.Helper()
	if tx, err := r.ends(s); !errors.Is(err, code) {
		r.t.Fatalf("%+v: %v, want %s", tx, err, code)
	}
}

// settled waits until nothing is on its way, and returns the last transaction.
func (r *rig) settled() protocol.Transaction {
	r.t.Helper()
	for range 400 {
		r.beat(1)
		if !slices.ContainsFunc(r.journal.all(), func(j txmgr.Record) bool { return !j.Settled }) {
			all := r.m.Transactions()
			return all[len(all)-1]
		}
	}
	r.t.Fatalf("not settled: %+v", r.m.Transactions())
	return protocol.Transaction{}
}

func (r *rig) condition(code fault.Code) bool {
	return slices.ContainsFunc(r.board.Snapshot(), func(c health.Condition) bool { return c.Code == code })
}

// run runs a test in a bubble, with a rig that is stopped at its end.
func run(t *testing.T, change func(*txmgr.Options), f func(*testing.T, *rig)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, change)
		defer func() { r.stop() }()
		f(t, r)
	})
}

// newManager is one that does not run yet.
func newManager(r *rig) *txmgr.Manager { return txmgr.New(r.opt) }
