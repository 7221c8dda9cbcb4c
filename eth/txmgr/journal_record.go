package txmgr

import (
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// JournalKept is how many ended transactions stay in the history. Successful ones with a Once text stay forever
// next to them, without their bytes: each was paid for, so their number is bounded by money.
const JournalKept = 200

// Record is one transaction: the action and everything that was signed for it.
type Record struct {
	// ID is unique for the account on its chain, and grows.
	ID    uint64
	Nonce uint64
	// Once is protocol.SendOptions.Once, Until the same's Until.
	Once  string
	Until protocol.L1Block
	Call  JournalCall
	Gas   protocol.Gas
	// Attempts are the signed transactions of this nonce, the oldest first. At most
	// one of them is ever mined.
	Attempts []JournalAttempt
	State    protocol.TxState
	// Settled: the state will not change any more.
	Settled bool
	// Mined is the place of a mined attempt in the chain; nil while there is none.
	Mined *JournalMined
	// Code and Reason are why it failed or was dropped, or is about to be.
	Code   fault.Code
	Reason string
	// Resent: it is the second one for its action, because a foreign transaction
	// took the first one's nonce.
	Resent bool
	Sent   time.Time
	Update time.Time
}

// JournalCall is the action in the form that is signed. It can be signed again.
type JournalCall struct {
	Verb  string
	About string
	Addr  common.Address
	Input []byte
	Wei   *big.Int
}

// Name returns the action's name.
func (c JournalCall) Name() string { return c.Verb }

// To returns what is called.
func (c JournalCall) To() common.Address { return c.Addr }

// Data returns the call data.
func (c JournalCall) Data() []byte { return c.Input }

// Value returns the ETH that goes with it.
func (c JournalCall) Value() *big.Int {
	if c.Wei == nil {
		return new(big.Int)
	}
	return new(big.Int).Set(c.Wei)
}

// Describe says in words what happens.
func (c JournalCall) Describe() string { return c.About }

// JournalAttempt is one signed transaction.
type JournalAttempt struct {
	Hash protocol.TxHash
	// Raw is the transaction as it is sent.
	Raw []byte
	// Cancel: it does nothing but use the nonce.
	Cancel bool
	// Repriced: the attempt before it offered less than the base fee, and could not
	// be mined.
	Repriced bool
	Signed   time.Time
}

// JournalMined is a place in the chain and what it cost.
type JournalMined struct {
	// Attempt counts in Record.Attempts.
	Attempt int
	Block   protocol.L2Block
	Hash    protocol.Hash
	GasUsed protocol.Gas
	Fee     core.Wei
	// At is when it was first seen there.
	At time.Time
}
