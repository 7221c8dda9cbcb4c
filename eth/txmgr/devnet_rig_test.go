package txmgr_test

import (
	"context"
	"database/sql"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/eth/txmgr"
	"github.com/tuttinode/tutti/test/devnet"
)

// node is what a node has of the chain: the endpoint pool, the journal in SQLite
// and the Manager, on a real local chain.
type node struct {
	t     *testing.T
	chain *devnet.Chain
	dir   string
	opt   txmgr.Options
	board *health.Board
	pool  *endpoint.Pool
	m     *txmgr.Manager
	stop  func()
}

// newNode starts a chain that makes a block every 20 ms, and a node on it.
func newNode(t *testing.T, change func(*txmgr.Options)) *node {
	t.Helper()
	n := &node{t: t, dir: t.TempDir(), board: health.New(quietLog(), time.Now, nil)}
	n.chain = devnet.Start(t, devnet.Options{NoContracts: true, Endpoints: 2, BlockTime: 20 * time.Millisecond})
	s := signer{key: n.chain.Key(0)}
	n.opt = txmgr.Options{
		ChainID: n.chain.Info.ChainID, Signer: s, Health: n.board, Log: quietLog(), Now: time.Now,
		Timeout: 700 * time.Millisecond, Replacements: 1, Confirmations: 15, FinalAfter: 300 * time.Millisecond,
		ForeignAfter: time.Second,
		Pace:         10 * time.Millisecond, Poll: 100 * time.Millisecond, Rebroadcast: 150 * time.Millisecond,
		Decode: func(in txmgr.Intent, err error) (error, bool) {
			return contracts.Explain(in.Name(), err), contracts.IsRevert(err)
		},
	}
	if change != nil {
		change(&n.opt)
	}
	n.start()
	t.Cleanup(func() { n.stop() })
	return n
}

func (n *node) start() {
	n.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	n.open(ctx)
	ended := make(chan error, 3)
	go func() { ended <- n.pool.Run(ctx, func() {}) }()
	go func(pool *endpoint.Pool, m *txmgr.Manager) {
		for h := range pool.Heads(ctx) {
			m.OnHead(h)
		}
		ended <- nil
	}(n.pool, n.m)
	ready := make(chan struct{})
	go func(m *txmgr.Manager) { ended <- m.Run(ctx, func() { close(ready) }) }(n.m)
	<-ready
	n.stop = func() {
		n.stop = func() {}
		cancel()
		for range cap(ended) {
			<-ended
		}
	}
}

// open opens the journal as a second process would: the process that had it before does not
// close it.
func (n *node) open(ctx context.Context) {
	n.t.Helper()
	busy := func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}
	db, err := database.Driver{Name: "sqlite3", Busy: busy}.Open(ctx, n.dir,
		func(context.Context, *sql.DB) error { return nil })
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = db.Close() })
	if n.opt.Journal, err = txmgr.OpenJournal(ctx, db, n.opt.ChainID, n.opt.Signer.Address()); err != nil {
		n.t.Fatal(err)
	}
	o := endpoint.Options{ChainID: n.opt.ChainID, PollInterval: 50 * time.Millisecond, CallTimeout: 2 * time.Second}
	for i := range 2 {
		o.Endpoints = append(o.Endpoints, endpoint.Endpoint{URL: core.NewSecret(n.chain.URL(i)), Name: string(rune('a' + i))})
	}
	if n.pool, err = endpoint.New(o); err != nil {
		n.t.Fatal(err)
	}
	n.opt.Backend = n.pool
	n.m = txmgr.New(n.opt)
}

// do sends and waits until it is mined.
func (n *node) do(name string, opt protocol.SendOptions) protocol.Transaction {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tx, err := n.m.Send(ctx, act(name), opt)
	if err != nil || !opt.Async && tx.State != protocol.TxMined {
		n.t.Fatalf("%+v %v", tx, err)
	}
	return tx
}

// final waits until a transaction does not change any more.
func (n *node) final(id uint64) protocol.Transaction {
	n.t.Helper()
	var found protocol.Transaction
	n.eventually("a final transaction", func() bool {
		for _, tx := range n.m.Transactions() {
			if tx.ID == id && (tx.State == protocol.TxFinal || tx.State == protocol.TxDropped) {
				found = tx
				return true
			}
		}
		return false
	})
	return found
}

func (n *node) eventually(what string, holds func() bool) {
	n.t.Helper()
	limit, tick := time.NewTimer(30*time.Second), time.NewTicker(5*time.Millisecond)
	defer limit.Stop()
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			n.t.Fatalf("waited in vain for %s: %+v, %+v", what, n.m.Transactions(), n.board.Snapshot())
		}
	}
}

func (n *node) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

// used is how many transactions of the account the chain has.
func (n *node) used() uint64 {
	n.t.Helper()
	used, err := n.pool.NonceAt(n.t.Context(), common.Address(n.opt.Signer.Address()), 0)
	n.must(err)
	return used
}

// intrude sends with the node's key behind its back.
func (n *node) intrude(nonce uint64, price int64) {
	n.t.Helper()
	client, err := ethclient.Dial(n.chain.URL(0))
	n.must(err)
	defer client.Close()
	id := new(big.Int).SetUint64(n.chain.Info.ChainID)
	n.must(client.SendTransaction(n.t.Context(), types.MustSignNewTx(n.chain.Key(0), types.LatestSignerForChainID(id),
		&types.DynamicFeeTx{
			ChainID: id, Nonce: nonce, Gas: 30_000, GasFeeCap: big.NewInt(price), GasTipCap: big.NewInt(price),
			To: &common.Address{9}, Value: big.NewInt(1),
		})))
}
