package chain_test

import (
	"context"
	"crypto/ecdsa"
	"database/sql"
	"errors"
	"log/slog"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/chain"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/eth/txmgr"
	"github.com/tuttinode/tutti/test/devnet"
)

// key signs whatever it is given.
type key struct{ *ecdsa.PrivateKey }

func (k key) Address() core.Address { return core.Address(crypto.PubkeyToAddress(k.PublicKey)) }

func (k key) Sign(c account.Call, t account.Terms) (*types.Transaction, error) {
	id, to := new(big.Int).SetUint64(t.ChainID), common.Address(c.To)
	return types.SignNewTx(k.PrivateKey, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: t.Nonce, GasFeeCap: t.FeeCap.Big(), GasTipCap: t.Tip.Big(), Gas: t.Gas, To: &to,
		Value: c.Value.Big(), Data: c.Data,
	})
}

// node is the chain's part of a node on a test chain.
type node struct {
	*chain.Chain
	pool  *endpoint.Pool
	board *health.Board
	stop  func()
	// ended gives what Run of the chain returned.
	ended chan error

	mu   sync.Mutex
	seen []protocol.Event // guarded by mu
}

// setup changes a node's options before it starts.
type setup func(*chain.Options, *endpoint.Options)

// start runs a node for an account on a chain, until the test ends or stop is
// called. The key may be nil.
func start(t *testing.T, c *devnet.Chain, k *ecdsa.PrivateKey, db *sql.DB, with ...setup) *node {
	t.Helper()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	pools := endpoint.Options{ChainID: c.Info.ChainID, PollInterval: 100 * time.Millisecond, CallTimeout: 5 * time.Second}
	for i := range c.Info.Endpoints {
		pools.Endpoints = append(pools.Endpoints, endpoint.Endpoint{URL: core.NewSecret(c.URL(i))})
	}
	network, _ := contracts.LookupNetwork(contracts.Devnet)
	opt := chain.Options{
		Network: network, Cache: db, Board: board, Now: time.Now, PollInterval: 100 * time.Millisecond,
	}
	for _, f := range with {
		f(&opt, &pools)
	}
	pool, err := endpoint.New(pools)
	if err != nil {
		t.Fatal(err)
	}
	opt.Client = pool
	n := &node{pool: pool, board: board, ended: make(chan error, 1)}
	parts := []lifecycle.Component{pool}
	if k != nil {
		m := manager(t, pool, k, c.Info.ChainID)
		opt.Account, opt.Tx = key{k}.Address(), m
		parts = append(parts, m)
	}
	n.Chain = chain.New(opt)
	n.Subscribe(n.see)
	if m, ok := opt.Tx.(*txmgr.Manager); ok {
		n.Subscribe(func(e protocol.Event) {
			if h, ok := e.(protocol.HeadSeen); ok {
				m.OnHead(h.Head)
			}
		})
	}
	n.run(t, parts)
	return n
}

// run starts the parts and leaves stopping them to stop and the test's end.
func (n *node) run(t *testing.T, parts []lifecycle.Component) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Go(func() { _ = p.Run(ctx, func() {}) })
	}
	ready := make(chan struct{})
	wg.Go(func() { n.ended <- n.Chain.Run(ctx, sync.OnceFunc(func() { close(ready) })) })
	n.stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
	})
	t.Cleanup(n.stop)
	select {
	case <-ready:
	case err := <-n.ended:
		n.ended <- err
	case <-time.After(20 * time.Second):
		t.Fatal("the chain is not ready at once")
	}
}

func manager(t *testing.T, pool *endpoint.Pool, k *ecdsa.PrivateKey, chainID uint64) *txmgr.Manager {
	t.Helper()
	store, err := txmgr.OpenJournal(t.Context(), open(t, t.TempDir()), chainID, key{k}.Address())
	if err != nil {
		t.Fatal(err)
	}
	return txmgr.New(txmgr.Options{
		ChainID: chainID, Backend: pool, Signer: key{k}, Journal: store, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Health: health.New(slog.New(slog.DiscardHandler), time.Now, nil),
		Decode: func(in txmgr.Intent, err error) (error, bool) {
			c, ok := in.(contracts.Call)
			if !ok || !contracts.IsRevert(err) {
				return nil, false
			}
			return c.Explain(err), true
		},
		Pace: 20 * time.Millisecond, Poll: 100 * time.Millisecond, Rebroadcast: time.Second,
	})
}

// open opens the database of a data directory until the test ends.
func open(t *testing.T, dir string) *sql.DB {
	t.Helper()
	busy := func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}
	db, err := database.Driver{Name: "sqlite3", Busy: busy}.Open(t.Context(), dir,
		func(context.Context, *sql.DB) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (n *node) see(e protocol.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen = append(n.seen, e)
}

// count is how many events of a kind came, of those that pred likes.
func count[E protocol.Event](n *node, pred func(E) bool) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	sum := 0
	for _, e := range n.seen {
		if one, ok := e.(E); ok && (pred == nil || pred(one)) {
			sum++
		}
	}
	return sum
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// send does an action and fails the test if it fails.
func (n *node) send(t *testing.T, a protocol.Action) protocol.Transaction {
	t.Helper()
	tx, err := n.Send(t.Context(), a, protocol.SendOptions{})
	if err != nil {
		t.Fatalf("%s: %v", a.Verb(), err)
	}
	return tx
}

// register bonds an account's tokens to itself.
func (n *node) register(t *testing.T, stake core.LPT) {
	t.Helper()
	n.send(t, protocol.Approve{Amount: stake})
	n.send(t, protocol.Bond{Amount: stake, To: n.Account()})
}
