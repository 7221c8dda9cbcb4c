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
)

// Intent is one call of a contract that is to be sent. contracts.Call implements it.
type Intent interface {
	// Name is the action's name in logs and the API.
	Name() string
	To() common.Address
	Data() []byte
	// Value is the ETH that goes with it, in wei.
	Value() *big.Int
	// Describe is the effect in words.
	Describe() string
}

// Backend is the chain; endpoint.Pool implements it. A block of 0 (contracts.Latest) is the newest. Calls end
// with ctx.
type Backend interface {
	// Genesis is the hash of block 0, which tells chains with the same number apart.
	Genesis(ctx context.Context) (protocol.Hash, error)
	// Head is the newest block.
	Head(ctx context.Context) (protocol.Head, error)
	// NonceAt is the number of an account's transactions up to a block.
	NonceAt(ctx context.Context, account common.Address, block protocol.L2Block) (uint64, error)
	// PendingNonceAt also counts the endpoints' pending transactions.
	PendingNonceAt(ctx context.Context, account common.Address) (uint64, error)
	BalanceAt(ctx context.Context, account common.Address, block protocol.L2Block) (core.Wei, error)
	SuggestTip(ctx context.Context) (core.Wei, error)
	EstimateGas(ctx context.Context, msg ethereum.CallMsg) (protocol.Gas, error)
	CallContract(ctx context.Context, msg ethereum.CallMsg, block protocol.L2Block) ([]byte, error)
	// TransactionReceipt returns ethereum.NotFound for a transaction in no block, as far as one endpoint at the
	// newest block can tell.
	TransactionReceipt(ctx context.Context, hash protocol.TxHash) (*types.Receipt, error)
	// TransactionByHash looks a transaction up in blocks and pools. It returns ethereum.NotFound only when every
	// endpoint that could know it answered; otherwise another error.
	TransactionByHash(ctx context.Context, hash protocol.TxHash) (tx *types.Transaction, mined bool, err error)
	// SendTransaction sends a signed transaction to all endpoints. The error is nil when one accepted it; see
	// outcomeOf for the meaning of errors.
	SendTransaction(ctx context.Context, tx *types.Transaction) error
}

// Signer signs for the account; account.Signer implements it. It signs what callers sent, the same again with
// a higher fee, also after a restart, and empty transactions of the account to itself.
type Signer interface {
	Address() core.Address
	// Sign makes an EIP-1559 transaction of exactly these terms.
	Sign(c account.Call, t account.Terms) (*types.Transaction, error)
}

// Journal stores signed transactions; JournalStore implements it.
type Journal interface {
	// SelectChain sets the journal's chain. When that differs from before, the records are set aside, and Load
	// returns those of the new chain.
	SelectChain(ctx context.Context, genesis protocol.Hash) (changed bool, err error)
	// Load returns the records that are not settled and the last settled ones, by ID.
	Load(ctx context.Context) ([]Record, error)
	// Find returns the newest record with a Once text, however old.
	Find(ctx context.Context, once string) (Record, bool, error)
	// Put writes records, all or none, and returns when they are on disk. After an error they may be there or
	// not.
	Put(ctx context.Context, records ...Record) error
}

// cancelName is the name of a call that only uses up a nonce.
const cancelName = "cancel"

// cancel transfers nothing, without data, to the account itself.
func cancel(self core.Address) JournalCall {
	return JournalCall{Verb: cancelName, About: "replace a transaction that was given up",
		Addr: common.Address(self)}
}
