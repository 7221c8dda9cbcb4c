package protocol

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Rounds reads time. The error is a fault; what is read belongs to the newest
// block that a healthy endpoint has.
type Rounds interface {
	Head(ctx context.Context) (Head, error)
	Round(ctx context.Context) (RoundState, error)
}

// Stakes reads what the bonding contract knows. Each method reads one block.
type Stakes interface {
	Orchestrator(ctx context.Context, who core.Address) (Orchestrator, error)
	Delegator(ctx context.Context, who core.Address) (Delegator, error)
	// UnbondingLocks are the locks that still hold stake, by ID.
	UnbondingLocks(ctx context.Context, who core.Address) ([]UnbondingLock, error)
	// Pool is the active set of the next round, highest stake first.
	Pool(ctx context.Context) ([]Orchestrator, error)
	EarningsPool(ctx context.Context, who core.Address, round Round) (EarningsPool, error)
}

// Settings reads what governance set.
type Settings interface {
	Parameters(ctx context.Context) (Parameters, error)
	// Contracts are the resolved addresses by their names in the Controller.
	Contracts() map[string]core.Address
	// ChainID is the chain's number; 0 before the first endpoint answered.
	ChainID() uint64
}

// Funds reads an account's money.
type Funds interface {
	Balances(ctx context.Context, who core.Address) (Balances, error)
	Sender(ctx context.Context, who core.Address) (Sender, error)
}

// Senders tells of gateways' money. A gateway that was asked about is kept in
// sight, so that the next answer costs no call; SenderSeen tells of changes.
type Senders interface {
	// SenderFunds is what the watched orchestrator has to look at. It reads the chain
	// for a gateway that is not in sight yet; then it may fail with the fault of that
	// read.
	SenderFunds(ctx context.Context, who core.Address) (SenderFunds, error)
}

// Tickets reads what the ticket broker knows of single tickets.
type Tickets interface {
	// TicketUsed reports whether a ticket was redeemed, by whomever and whatever it
	// paid.
	TicketUsed(ctx context.Context, ticket Hash) (bool, error)
	// Payouts is what a mined transaction redeemed; empty when it redeemed nothing.
	Payouts(ctx context.Context, tx TxHash) ([]Payout, error)
	// FindPayout looks for the redemption of a ticket that is used, whoever sent it,
	// in the rounds in which that was possible.
	FindPayout(ctx context.Context, ticket WinningTicket) (Payout, bool, error)
}

// TxState is how far a transaction came.
type TxState string

// The states of a transaction. A mined one may still be undone by a
// reorganisation; a final one has enough blocks on it.
const (
	TxSubmitted TxState = "submitted"
	TxMined     TxState = "mined"
	TxFinal     TxState = "final"
	TxFailed    TxState = "failed"
	TxDropped   TxState = "dropped"
)

// Transaction is one action on its way to the chain. Replacements change Hash;
// ID stays.
type Transaction struct {
	ID     uint64
	Verb   string
	About  string
	State  TxState
	Hash   TxHash
	Nonce  uint64
	Block  L2Block
	Gas    Gas
	Fee    core.Wei
	Sent   time.Time
	Update time.Time
	// Replaced counts how often it was sent again with a higher fee.
	Replaced int
	// Reason says why it failed, with its code.
	Reason string
	// Once is SendOptions.Once.
	Once string
}

// Estimate is what an action would cost.
type Estimate struct {
	Verb  string
	About string
	Gas   Gas
	Price core.Wei
	// Fee is Gas times Price. Need is what the account must hold: Fee and what the
	// action pays itself.
	Fee, Need core.Wei
	// Used is the gas that the simulation took, without the room that Gas leaves, and
	// Current what is paid for one unit of it now, without that of Price. Each is 0
	// where it is not known.
	Used    Gas
	Current core.Wei
	// Left is what the account has beside what its transactions in progress may take.
	Left core.Wei
}

// SendOptions bound one action.
type SendOptions struct {
	// Once makes the action happen at most once for this text, also across
	// restarts: while a transaction with it is on its way or done, Send follows
	// that one instead of sending. Empty for no such bond.
	Once string
	// Until is the last layer-1 block in which sending, or sending again with a
	// higher fee, makes sense; 0 for no such bound.
	Until L1Block
	// Async returns as soon as the transaction is submitted.
	Async bool
	// MinGas is the least gas limit, for actions that may need more when they are mined
	// than when they are tried out; what is not used is not paid. An account that could
	// not pay for so much sends with what it can pay for. A limit that the operator set
	// for all transactions counts instead.
	MinGas Gas
	// Gas is the gas limit, whatever a simulation would ask for; 0 asks a simulation. It is
	// for actions that succeed with too little gas and then do less. MinGas and Thrifty
	// change nothing of it, a limit that the operator set for all transactions does.
	Gas Gas
	// Thrifty sends with what the account can pay for where that is less than the usual
	// offer, as long as it is enough at the price of the moment: for what is lost if it
	// is not sent. It may stay in the pool when the price rises.
	Thrifty bool
}

// Actor does things on the chain in the name of the node's account.
type Actor interface {
	// Account is who acts.
	Account() core.Address
	// Send submits the action and waits until it is mined, or until ctx ends; then
	// the transaction goes on and the error is ctx's. A transaction that failed or
	// would fail is a fault with the contract's reason.
	Send(ctx context.Context, a Action, opt SendOptions) (Transaction, error)
	// Estimate simulates the action and says what it would cost. Its error is the
	// fault that Send would return.
	Estimate(ctx context.Context, a Action) (Estimate, error)
	// Transactions are those on their way and the last ones that ended.
	Transactions() []Transaction
}

// Events tells of changes. The callbacks run one after another in the order of
// blocks and must not block; what they need time for they do elsewhere.
type Events interface {
	// Subscribe calls f for every event until the returned function is called.
	Subscribe(f func(Event)) (stop func())
}

// Event is one change that was seen on the chain.
type Event interface{ isEvent() }

type (
	// HeadSeen is a new newest block.
	HeadSeen struct{ Head Head }
	// RoundSeen is a change of the round: its number, its initialisation, its lock.
	RoundSeen struct{ Round RoundState }
	// SelfSeen is a change of the watched orchestrator's record.
	SelfSeen struct{ Orchestrator Orchestrator }
	// PoolSeen is a change of the number of members of the pool.
	PoolSeen struct{ Size int }
	// LockSeen is a change of an unbonding lock of the account; a zero Amount means
	// that it is gone.
	LockSeen struct{ Lock UnbondingLock }
	// ServiceURISeen is a change of the watched orchestrator's service URI.
	ServiceURISeen struct{ URI string }
	// SenderSeen is a change of a gateway's funds.
	SenderSeen struct {
		Address core.Address
		Sender  Sender
	}
	// TicketRedeemed is the redemption of a ticket for the watched orchestrator.
	TicketRedeemed struct{ Payout Payout }
	// RewardSeen is a reward of the watched orchestrator.
	RewardSeen struct {
		Round  Round
		Amount core.LPT
		Tx     TxHash
	}
	// Reorganized says that blocks from From on were undone; everything after it is
	// read anew and told again.
	Reorganized struct{ From L2Block }
	// StaleSeen says that the chain's news ended, or came back.
	StaleSeen struct {
		Stale bool
		Since time.Time
	}
)

func (HeadSeen) isEvent()       {}
func (RoundSeen) isEvent()      {}
func (SelfSeen) isEvent()       {}
func (PoolSeen) isEvent()       {}
func (LockSeen) isEvent()       {}
func (ServiceURISeen) isEvent() {}
func (SenderSeen) isEvent()     {}
func (TicketRedeemed) isEvent() {}
func (RewardSeen) isEvent()     {}
func (Reorganized) isEvent()    {}
func (StaleSeen) isEvent()      {}

// View is what the node knows of the chain at this moment without asking.
type View struct {
	Head  Head
	Round RoundState
	// Self is the watched orchestrator.
	Self     Orchestrator
	PoolSize int
	Balances Balances
	// Stale: no news for longer than the chain is ever silent; the rest is what was
	// known last.
	Stale bool
	// Known is false until the first block was read, or the cache was.
	Known bool
}

// Views gives the present view; it never blocks.
type Views interface{ View() View }
