package chain

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// Client is the chain's endpoints; endpoint.Pool is one.
type Client interface {
	contracts.Batcher
	// Quorum runs batches on a quorum of endpoints, which is a single one while the others do not answer.
	// Majority needs at least two equal answers where several endpoints are configured.
	Quorum() contracts.Batcher
	Majority() contracts.Batcher
	// ChainID is 0 before the first endpoint answered.
	ChainID() uint64
	// Status contains, among others, how many blocks one log request spans.
	Status() endpoint.Status
	Head(ctx context.Context) (protocol.Head, error)
	// Heads sends every new newest block until ctx ends; a slow reader gets only the newest.
	Heads(ctx context.Context) <-chan protocol.Head
	HeaderByNumber(ctx context.Context, n protocol.L2Block) (protocol.Head, error)
	BalanceAt(ctx context.Context, addr common.Address, block protocol.L2Block) (core.Wei, error)
	// Logs returns what it has, in order, and the first block that it has not read.
	Logs(ctx context.Context, from, to protocol.L2Block, filter endpoint.LogFilter) ([]types.Log, protocol.L2Block, error)
	// LogsFromEach passes the logs of one endpoint after another to look until look reports that it found
	// what it searches.
	LogsFromEach(ctx context.Context, from, to protocol.L2Block, filter endpoint.LogFilter,
		look func([]types.Log) (found bool, err error)) error
	// TransactionReceipt returns ethereum.NotFound for a transaction in no block, TransactionByHash for an
	// unknown one.
	TransactionReceipt(ctx context.Context, hash protocol.TxHash) (*types.Receipt, error)
	TransactionByHash(ctx context.Context, hash protocol.TxHash) (tx *types.Transaction, mined bool, err error)
}

// Transactions sends the account's transactions; txmgr.Manager implements it.
type Transactions interface {
	Send(ctx context.Context, in txmgr.Intent, opt protocol.SendOptions) (protocol.Transaction, error)
	Estimate(ctx context.Context, in txmgr.Intent) (protocol.Estimate, error)
	Transactions() []protocol.Transaction
}

// Options are a Chain's parts and settings.
type Options struct {
	Client  Client
	Network contracts.Network
	// Controller replaces the network's.
	Controller core.Address
	// AIRegistry: the service URI in use is that of the AI network's registry.
	AIRegistry bool
	// Account sends transactions; zero for a node that only reads.
	Account core.Address
	// NoService: no gateway is served here, so no service URI is needed.
	NoService bool
	// Orchestrator is watched; zero for the account.
	Orchestrator core.Address
	// Tx may be nil where there is no account.
	Tx Transactions
	// Cache is the node's database; nil remembers nothing.
	Cache *sql.DB
	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time

	// PollInterval is how often logs are asked for; 5 s.
	PollInterval time.Duration
	// StaleAfter is how long the chain may be silent; 30 s, and at least six polls.
	StaleAfter time.Duration
	// FullRead is how often everything is read again, whatever the logs say; 5 min.
	FullRead time.Duration
	// MaxSenders is how many gateways are watched at once; 1000.
	MaxSenders int
}

func (o Options) withDefaults() Options {
	if o.PollInterval <= 0 {
		o.PollInterval = 5 * time.Second
	}
	if o.StaleAfter <= 0 {
		o.StaleAfter = max(30*time.Second, 6*o.PollInterval)
	}
	if o.FullRead <= 0 {
		o.FullRead = 5 * time.Minute
	}
	if o.MaxSenders <= 0 {
		o.MaxSenders = 1000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Board == nil {
		o.Board = health.New(o.Log, o.Now, nil)
	}
	if o.Controller.IsZero() {
		o.Controller = o.Network.Controller
	}
	if o.Orchestrator.IsZero() {
		o.Orchestrator = o.Account
	}
	return o
}
