package coretest

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Give sets what an account has.
func (c *Chain) Give(address core.Address, ether core.Wei, token core.LPT) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.accountLocked(address)
	a.ether, a.token = ether, token
}

// GiveFees adds to what an account has earned.
func (c *Chain) GiveFees(address core.Address, fees core.Wei) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.accountLocked(address)
	a.fees = a.fees.Add(fees)
}

// Register makes an orchestrator with so much stake of its own and a service
// URI; it joins the pool if the stake suffices, and is active from the next
// round.
func (c *Chain) Register(address core.Address, stake core.LPT, uri string) {
	_ = c.change(func() error {
		a := c.accountLocked(address)
		a.bonded, a.delegate, a.start = a.bonded.Add(stake), address, c.round.Number+1
		c.memberLocked(address).ServiceURI = uri
		c.moveStakeLocked(address, stake, core.LPT{})
		return nil
	})
}

// Activate is Register, and two rounds later: the orchestrator is active in the
// present round, which is initialized.
func (c *Chain) Activate(address core.Address, stake core.LPT, uri string) {
	c.Register(address, stake, uri)
	c.ToRound(c.roundNow().Number + 1)
	c.Open()
}

// SetSender sets a gateway's funds.
func (c *Chain) SetSender(address core.Address, s protocol.Sender) {
	_ = c.change(func() error {
		c.accountLocked(address).sender = s
		c.emitLocked(protocol.SenderSeen{Address: address, Sender: s})
		return nil
	})
}

// SetParameters changes the protocol's settings. Another length of rounds is that of the
// present one, too.
func (c *Chain) SetParameters(f func(*protocol.Parameters)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.params)
	c.round.Length = c.params.RoundLength
}

// NameRewardCaller names an orchestrator's reward caller, as the orchestrator
// would.
func (c *Chain) NameRewardCaller(orchestrator, caller core.Address) {
	_ = c.change(func() error {
		c.memberLocked(orchestrator).RewardCaller = caller
		c.tellAbout(orchestrator)
		return nil
	})
}

// Refuse is called before each action; its error is Send's. Nil ends it.
func (c *Chain) Refuse(f func(protocol.Action) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuse = f
}

// Hold keeps actions that are sent on their way until the next Mine.
func (c *Chain) Hold(hold bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold = hold
}

// Sent lists the actions that were sent, those that failed when they were mined
// among them.
func (c *Chain) Sent() []protocol.Action {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]protocol.Action(nil), c.sent...)
}

// Watch does nothing: every change of a gateway's funds is an event.
func (c *Chain) Watch(core.Address) {}

// Watched returns a gateway's funds.
func (c *Chain) Watched(address core.Address) (protocol.Sender, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.accountLocked(address).sender, !c.unknown
}
