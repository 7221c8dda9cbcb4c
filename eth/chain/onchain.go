package chain

import (
	"context"
	"database/sql"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// NodeOptions are the operator's settings and the parts that are made elsewhere.
type NodeOptions struct {
	Network    contracts.Network
	Controller core.Address
	AIRegistry bool
	Endpoints  []core.Secret
	// Signer is nil for a node that only reads.
	Signer *account.Signer
	// NoService: no gateway is served here, so no service URI is needed.
	NoService bool
	// Orchestrator is watched; zero for the account.
	Orchestrator core.Address
	// DB is the node's database.
	DB           *sql.DB
	PollInterval time.Duration

	Timeout      time.Duration
	Replacements int
	GasLimit     protocol.Gas
	MinGasPrice  core.Wei
	MaxGasPrice  core.Wei

	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time
}

// Node is the chain for the rest of the process. Transactions is nil without a
// signer.
type Node struct {
	Endpoints    *endpoint.Pool
	Chain        *Chain
	Transactions *txmgr.Manager
	Signer       *account.Signer
}

// NewNode puts the parts together; nothing runs.
func NewNode(ctx context.Context, opt NodeOptions) (*Node, error) {
	n := &Node{Signer: opt.Signer}
	var err error
	if n.Endpoints, err = newEndpoints(opt); err != nil {
		return nil, err
	}
	of := Options{
		Client: n.Endpoints, Network: opt.Network, Controller: opt.Controller, AIRegistry: opt.AIRegistry,
		NoService: opt.NoService, Orchestrator: opt.Orchestrator, Cache: opt.DB, Board: opt.Board, Log: opt.Log,
		Now: opt.Now, PollInterval: opt.PollInterval,
	}
	if opt.Signer != nil {
		if n.Transactions, err = newTransactions(ctx, opt, n.Endpoints); err != nil {
			return nil, err
		}
		of.Account, of.Tx = opt.Signer.Address(), n.Transactions
	}
	n.Chain = New(of)
	if opt.Signer != nil {
		opt.Signer.Allow(n.permits)
	}
	return n, nil
}

func newEndpoints(opt NodeOptions) (*endpoint.Pool, error) {
	urls := make([]endpoint.Endpoint, len(opt.Endpoints))
	for i, u := range opt.Endpoints {
		urls[i] = endpoint.Endpoint{URL: u}
	}
	return endpoint.New(endpoint.Options{
		Endpoints: urls, ChainID: opt.Network.ChainID, Now: opt.Now, Random: rand.Float64,
		Log: opt.Log, Board: opt.Board, PollInterval: opt.PollInterval,
	})
}

func newTransactions(ctx context.Context, opt NodeOptions, pool *endpoint.Pool) (*txmgr.Manager, error) {
	store, err := txmgr.OpenJournal(ctx, opt.DB, opt.Network.ChainID, opt.Signer.Address())
	if err != nil {
		return nil, err
	}
	return txmgr.New(txmgr.Options{
		ChainID: opt.Network.ChainID, Backend: pool, Signer: opt.Signer, Journal: store,
		Decode: decodeRevert,
		Health: opt.Board, Log: opt.Log, Now: opt.Now,
		Timeout: opt.Timeout, Replacements: opt.Replacements, GasLimit: opt.GasLimit,
		MinGasPrice: opt.MinGasPrice, MaxGasPrice: opt.MaxGasPrice,
	}), nil
}

// decodeRevert is the contract's reason behind a refusal.
func decodeRevert(in txmgr.Intent, err error) (reason error, undone bool) {
	if !contracts.IsRevert(err) {
		return nil, false
	}
	if c, ok := in.(contracts.Call); ok {
		return c.Explain(err), true
	}
	return contracts.Explain(in.Name(), err), true
}

// permits says what the key may sign: calls of the contracts that were resolved.
func (n *Node) permits(to core.Address, data []byte, value core.Wei) bool {
	at, known := n.Chain.Addresses()
	return known && contracts.NewCalls(at).Permits(to, data, value)
}

// Components returns the parts in their starting order.
func (n *Node) Components() []lifecycle.Component {
	out := []lifecycle.Component{n.Endpoints, n.Chain}
	if n.Transactions != nil {
		out = append(out, heads{n}, n.Transactions)
	}
	return out
}

// heads passes new blocks, and that some were undone, to the transaction manager.
type heads struct{ n *Node }

// Name returns the component's name.
func (heads) Name() string { return "heads for transactions" }

// Run passes on new blocks until ctx ends.
func (h heads) Run(ctx context.Context, ready func()) error {
	stop := h.n.Chain.Subscribe(func(e protocol.Event) {
		switch e := e.(type) {
		case protocol.HeadSeen:
			h.n.Transactions.OnHead(e.Head)
		case protocol.Reorganized:
			h.n.Transactions.OnReorganized()
		}
	})
	defer stop()
	ready()
	<-ctx.Done()
	return nil
}
