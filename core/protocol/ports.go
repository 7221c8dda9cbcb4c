package protocol

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Rounds reads the protocol's clock. The error is a fault; the result is as of the newest block of a healthy
// endpoint.
type Rounds interface {
	Head(ctx context.Context) (Head, error)
	Round(ctx context.Context) (RoundState, error)
}

// Stakes reads the bonding contract. Each method reads one block.
type Stakes interface {
	Orchestrator(ctx context.Context, account core.Address) (Orchestrator, error)
	Delegator(ctx context.Context, account core.Address) (Delegator, error)
	// UnbondingLocks are the locks that still hold stake, by ID.
	UnbondingLocks(ctx context.Context, account core.Address) ([]UnbondingLock, error)
	// Pool is the active set of the next round, highest stake first.
	Pool(ctx context.Context) ([]Orchestrator, error)
	EarningsPool(ctx context.Context, account core.Address, round Round) (EarningsPool, error)
}

// Settings reads the parameters that governance set.
type Settings interface {
	Parameters(ctx context.Context) (Parameters, error)
	// Contracts are the resolved addresses by their names in the Controller.
	Contracts() map[string]core.Address
	// ChainID is the chain's number; 0 before the first endpoint answered.
	ChainID() uint64
}

// Funds reads an account's money.
type Funds interface {
	Balances(ctx context.Context, account core.Address) (Balances, error)
	Sender(ctx context.Context, account core.Address) (Sender, error)
}

// Senders reads gateways' funds. A gateway is watched after the first request, so that the next answer costs
// no call; SenderSeen reports changes.
type Senders interface {
	// SenderFunds are the funds available to the watched orchestrator. For a gateway that is not watched yet it
	// reads the chain, and may fail with the fault of that read.
	SenderFunds(ctx context.Context, account core.Address) (SenderFunds, error)
}

// Tickets reads single tickets from the ticket broker.
type Tickets interface {
	// TicketUsed reports whether a ticket was redeemed, by any account and whatever it paid.
	TicketUsed(ctx context.Context, ticket Hash) (bool, error)
	// Payouts is what a mined transaction redeemed; empty when it redeemed nothing.
	Payouts(ctx context.Context, tx TxHash) ([]Payout, error)
	// FindPayout searches the redemption of a used ticket, by any sender, in the rounds in which it was
	// possible.
	FindPayout(ctx context.Context, ticket WinningTicket) (Payout, bool, error)
}

// TxState is the state of a transaction.
type TxState string

// The states of a transaction. A mined one may still be undone by a
// reorg; a final one has enough blocks on it.
const (
	TxSubmitted TxState = "submitted"
	TxMined     TxState = "mined"
	TxFinal     TxState = "final"
	TxFailed    TxState = "failed"
	TxDropped   TxState = "dropped"
)

// Transaction is one action sent to the chain. Replacements change Hash; ID stays.
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
	// Used is the gas that the simulation took, without the headroom of Gas, and Current the price per unit now,
	// without the headroom of Price. Each is 0 where it is not known.
	Used    Gas
	Current core.Wei
	// Left is what the account has beyond the maximum cost of its transactions in progress.
	Left core.Wei
}

// SendOptions bound one action.
type SendOptions struct {
	// Once makes the action happen at most once for this text, also across restarts: while a transaction with it
	// is pending or done, Send follows that one instead of sending. Empty for no such limit.
	Once string
	// Until is the last layer-1 block in which sending, or sending again with a
	// higher fee, makes sense; 0 for no such bound.
	Until L1Block
	// Async returns as soon as the transaction is submitted.
	Async bool
	// MinGas is the least gas limit, for actions that may need more gas when they are mined than when they are
	// simulated; unused gas is not paid. An account that cannot pay for it sends with the limit that it can pay
	// for. A limit that the operator set for all transactions takes precedence.
	MinGas Gas
	// Gas is the gas limit, whatever a simulation would ask for; 0 asks a simulation. It is for actions that
	// succeed with too little gas and then do less. MinGas and FitToBalance do not change it; a limit that the
	// operator set for all transactions does.
	Gas Gas
	// FitToBalance lowers the offer to what the account can pay for, as long as it is enough at the present
	// price: for actions that are lost if they are not sent. The transaction may stay in the pool when the price
	// rises.
	FitToBalance bool
}

// Actor sends actions from the node's account.
type Actor interface {
	// Account is the sending account.
	Account() core.Address
	// Send submits the action and waits until it is mined, or until ctx ends; then
	// the transaction goes on and the error is ctx's. A transaction that failed or
	// would fail is a fault with the contract's reason.
	Send(ctx context.Context, a Action, opt SendOptions) (Transaction, error)
	// Estimate simulates the action and says what it would cost. Its error is the
	// fault that Send would return.
	Estimate(ctx context.Context, a Action) (Estimate, error)
	// Transactions are the pending ones and the last ones that ended.
	Transactions() []Transaction
}

// Events publishes changes. The callbacks run one after another in the order of blocks and must not block;
// they do slow work elsewhere.
type Events interface {
	// Subscribe calls f for every event until the returned function is called.
	Subscribe(f func(Event)) (stop func())
}

// Event is one change that was seen on the chain.
type Event interface{ isEvent() }

type (
	// HeadSeen is a new newest block.
	HeadSeen struct{ Head Head }
	// RoundSeen is a change of the round: its number, its initialization, its lock.
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
	// Reorganized: blocks from From on were undone; everything after it is read and reported again.
	Reorganized struct{ From L2Block }
	// StaleSeen: no block comes from the chain any more, or again.
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

// View is what the node knows of the chain now, without a request.
type View struct {
	Head  Head
	Round RoundState
	// Self is the watched orchestrator.
	Self     Orchestrator
	PoolSize int
	Balances Balances
	// Stale: no block for longer than the chain ever pauses; the rest is the last known state.
	Stale bool
	// Known is false until the first block was read, or the cache was.
	Known bool
}

// Views gives the present view; it never blocks.
type Views interface{ View() View }
