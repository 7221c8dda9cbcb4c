package coretest

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Chain is the protocol without a chain: accounts, stake, rounds and funds in
// memory, behind the ports of package protocol, all of which it implements. Its
// rules are those of the contracts where callers can tell, with one
// simplification: a reward goes to the orchestrator's own bond alone.
//
// Time stands still until Mine. An action that is sent makes a block of its own,
// unless Hold was called.
type Chain struct {
	// account acts, self is watched. Both are set by NewChain.
	account, self core.Address

	turn sync.Mutex // held while callbacks run, so that they come in order

	mu        sync.Mutex // covers the fields below
	id        uint64
	head      protocol.Head
	fork      byte
	round     protocol.RoundState
	hashes    map[protocol.Round]protocol.Hash
	params    protocol.Parameters
	contracts map[string]core.Address
	accounts  map[core.Address]*chainAccount
	members   map[core.Address]*protocol.Orchestrator
	pool      []core.Address
	earnings  map[earningsKey]protocol.EarningsPool
	broker    broker
	chainFaults
	chainEvents
}

// chainFaults are what a test makes the chain do wrong.
type chainFaults struct {
	stale    bool
	unknown  bool
	hold     bool
	failRead error
	refuse   func(protocol.Action) error
}

// chainEvents are what happened, and for which subscribers.
type chainEvents struct {
	sent    []protocol.Action
	txs     []*chainTx
	events  []protocol.Event
	subs    map[int]func(protocol.Event)
	nextSub int
	wake    chan struct{}
}

type earningsKey struct {
	address core.Address
	round   protocol.Round
}

// chainAccount is what one account has.
type chainAccount struct {
	ether     core.Wei
	token     core.LPT
	allowance core.LPT
	bonded    core.LPT
	fees      core.Wei
	delegate  core.Address
	start     protocol.Round
	claimed   protocol.Round
	locks     []protocol.UnbondingLock
	nextLock  protocol.LockID
	sender    protocol.Sender
}

// chainFirstL2 is the fake's first layer-2 block: far from the layer-1 height, so
// that callers that mix the two up are detected.
const chainFirstL2 protocol.L2Block = 2_000_000

// NewChain makes a chain whose account acts and whose orchestrator self is
// watched; self may be zero, then it is the account. It starts at the first block
// of round 100, initialized, with 50 blocks of layer 1 per round, the last five of
// them locked, and a pool of 10; the account has 100 ETH and 10 000 tokens.
func NewChain(account, self core.Address) *Chain {
	if self.IsZero() {
		self = account
	}
	c := &Chain{
		account: account, self: self, id: 54321,
		hashes: make(map[protocol.Round]protocol.Hash), contracts: make(map[string]core.Address),
		accounts: make(map[core.Address]*chainAccount), members: make(map[core.Address]*protocol.Orchestrator),
		earnings: make(map[earningsKey]protocol.EarningsPool), broker: newBroker(),
		chainEvents: chainEvents{subs: make(map[int]func(protocol.Event)), wake: make(chan struct{})},
		round:       protocol.RoundState{Number: 100, Start: 5000, Length: 50, LockLength: 5, LastInitialized: 99},
		params:      chainParameters(),
	}
	c.head = protocol.Head{Number: chainFirstL2, L1: c.round.Start, Time: time.Unix(1_800_000_000, 0).UTC(),
		BaseFee: core.NewWei(10_000_000)}
	c.head.Hash = c.blockHash(c.head.Number)
	for i, name := range []string{"Controller", "LivepeerToken", "BondingManager", "TicketBroker", "RoundsManager",
		"ServiceRegistry", "Minter", "LivepeerTokenFaucet"} {
		c.contracts[name] = core.Address{0xc0, 19: byte(i + 1)}
	}
	if !account.IsZero() {
		a := c.accountLocked(account)
		a.token = core.LPTTokens(10_000)
		a.ether, _ = core.ParseEther("100")
	}
	c.initializeLocked()
	c.events = nil
	return c
}

func chainParameters() protocol.Parameters {
	return protocol.Parameters{
		PoolMaxSize: 10, RoundLength: 50, RoundLockAmount: 100_000, UnbondingPeriod: 7, UnlockPeriod: 2,
		TicketValidity: 2,
		Inflation:      250_000, InflationChange: 500, TargetBondingRate: 500_000_000,
		TotalSupply: core.LPTTokens(30_000_000), MintableTokens: core.LPTTokens(5000),
		TreasuryCut: 100_000_000, NextTreasuryCut: 100_000_000,
	}
}

// accountLocked returns an account's record, made if need be. The caller holds mu.
func (c *Chain) accountLocked(address core.Address) *chainAccount {
	a := c.accounts[address]
	if a == nil {
		a = &chainAccount{}
		c.accounts[address] = a
	}
	return a
}

// change runs f with the lock held and notifies the subscribers, one event after
// another, of what f added to events.
func (c *Chain) change(f func() error) error {
	c.turn.Lock()
	defer c.turn.Unlock()
	c.mu.Lock()
	err := f()
	events := c.events
	c.events = nil
	var subs []func(protocol.Event)
	for i := range c.nextSub {
		if s, ok := c.subs[i]; ok {
			subs = append(subs, s)
		}
	}
	close(c.wake)
	c.wake = make(chan struct{})
	c.mu.Unlock()
	for _, e := range events {
		for _, s := range subs {
			s(e)
		}
	}
	return err
}

func (c *Chain) emitLocked(e protocol.Event) { c.events = append(c.events, e) }

// Subscribe calls f for every event until stop is called.
func (c *Chain) Subscribe(f func(protocol.Event)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.nextSub
	c.nextSub++
	c.subs[id] = f
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.subs, id)
	}
}

// View returns the present view.
func (c *Chain) View() protocol.View {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unknown {
		return protocol.View{}
	}
	a := c.accountLocked(c.account)
	return protocol.View{
		Head: c.head, Round: c.roundStateLocked(), Self: c.orchestratorLocked(c.self), PoolSize: len(c.pool),
		Balances: protocol.Balances{Ether: a.ether, Token: a.token, Allowance: a.allowance}, Stale: c.stale,
		Known: true,
	}
}
