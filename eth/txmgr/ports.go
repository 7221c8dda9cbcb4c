package txmgr

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/journal"
)

// Intent is what is to be done: one call of a contract. contracts.Call is one.
type Intent interface {
	// Name is the action's name in logs and the API.
	Name() string
	To() common.Address
	Data() []byte
	// Value is the ETH that goes with it, in wei.
	Value() *big.Int
	// Describe says in words what happens.
	Describe() string
}

// Backend is the chain as a Manager sees it; endpoint.Pool is one. A block of 0
// (ethcall.Latest) is the newest. Calls end with ctx.
type Backend interface {
	// Genesis is the hash of block 0: what tells chains with the same number apart.
	Genesis(ctx context.Context) (protocol.Hash, error)
	// Head is the newest block.
	Head(ctx context.Context) (protocol.Head, error)
	// NonceAt is the number of an account's transactions up to a block.
	NonceAt(ctx context.Context, account common.Address, block protocol.L2Block) (uint64, error)
	// PendingNonceAt counts also what endpoints have and is in no block.
	PendingNonceAt(ctx context.Context, account common.Address) (uint64, error)
	BalanceAt(ctx context.Context, account common.Address, block protocol.L2Block) (core.Wei, error)
	SuggestTip(ctx context.Context) (core.Wei, error)
	EstimateGas(ctx context.Context, msg ethereum.CallMsg) (protocol.Gas, error)
	CallContract(ctx context.Context, msg ethereum.CallMsg, block protocol.L2Block) ([]byte, error)
	// TransactionReceipt is ethereum.NotFound for what is in no block, as far as one
	// endpoint at the newest block can tell.
	TransactionReceipt(ctx context.Context, hash protocol.TxHash) (*types.Receipt, error)
	// TransactionByHash looks a transaction up in blocks and pools; it is
	// ethereum.NotFound only where no endpoint is left that could know it: when one
	// gives no answer, that is another error.
	TransactionByHash(ctx context.Context, hash protocol.TxHash) (tx *types.Transaction, mined bool, err error)
	// SendTransaction hands a signed transaction to all endpoints. The error is nil
	// when one took it; see outcomeOf for what errors mean.
	SendTransaction(ctx context.Context, tx *types.Transaction) error
}

// Signer signs for the account; account.Signer is one. It is asked to sign what
// callers sent, the same again with a higher fee, also after a restart, and empty
// transactions of the account to itself.
type Signer interface {
	Address() core.Address
	// Sign makes an EIP-1559 transaction of exactly these terms.
	Sign(c account.Call, t account.Terms) (*types.Transaction, error)
}

// Journal keeps what was signed; journal.Store is one.
type Journal interface {
	// Adopt says of which chain the journal is. When that is another than before, the
	// records are set aside, and Load gives those of the chain that it is now.
	Adopt(ctx context.Context, genesis protocol.Hash) (changed bool, err error)
	// Load returns what is not settled and the last that is, in the order of IDs.
	Load(ctx context.Context) ([]journal.Record, error)
	// Find returns the newest record with a Once text, however old.
	Find(ctx context.Context, once string) (journal.Record, bool, error)
	// Put writes records, all or none, and returns when they are on disk. When it
	// fails, they may be there or not.
	Put(ctx context.Context, records ...journal.Record) error
}

// cancelName is the name of what uses a nonce and does nothing else.
const cancelName = "cancel"

// cancel is that: no ETH and no data, to the account itself.
func cancel(self core.Address) journal.Call {
	return journal.Call{Verb: cancelName, About: "take the place of a transaction that was given up", Addr: common.Address(self)}
}
