package chain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/eth/contracts"
)

// trusted are the addresses that the key may sign for: those of a known network,
// those that the Controller answered when the node first asked, or those that the
// operator confirmed since. Chain's mutex guards it.
type trusted struct {
	// at is zero before anything is known.
	at contracts.Addresses
	// seen is what the Controller answers instead, zero while it answers the same.
	seen contracts.Addresses
}

// known reports whether there are addresses to compare an answer with.
func (t trusted) known() bool { return !t.at.Controller.IsZero() }

// changed reports whether the Controller's answer is another one.
func (t trusted) changed() bool { return !t.seen.Controller.IsZero() }

// detail names what changed, for the operator.
func (t trusted) detail() string {
	before, after := t.at.Answered(), t.seen.Answered()
	var parts []string
	for _, name := range t.at.Changes(t.seen) {
		parts = append(parts, fmt.Sprintf("%s was %s and is said to be %s", name, before[name], after[name]))
	}
	return strings.Join(parts, "; ")
}

func (c *Chain) trust() trusted {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trusted
}

// compare holds the Controller's answer against what is trusted and returns the
// addresses to use, which are always trusted ones. The first answer is trusted where
// nothing was known.
func (c *Chain) compare(ctx context.Context, answer contracts.Addresses) (contracts.Addresses, error) {
	c.mu.Lock()
	t := &c.trusted
	first := !t.known()
	if first {
		t.at = answer
	}
	t.at = t.at.With(answer)
	if t.seen = (contracts.Addresses{}); len(t.at.Changes(answer)) > 0 {
		t.seen = answer
	}
	now := *t
	c.mu.Unlock()
	if first {
		if err := c.store.saveContracts(ctx, now.at); err != nil {
			return contracts.Addresses{}, fault.Wrap(fault.ChainCacheFailed, "store the contracts' addresses", err)
		}
	}
	c.showTrust(now)
	return now.at, nil
}

func (c *Chain) showTrust(t trusted) {
	key := health.Key{Code: fault.ContractsChanged}
	if t.changed() {
		c.opt.Board.Set(key, t.detail())
		return
	}
	c.opt.Board.Clear(key)
}

// Signable is nil when transactions and tickets may be signed. The fault is
// ContractsChanged while the Controller's answer is not the one that is trusted.
func (c *Chain) Signable() error {
	if t := c.trust(); t.changed() {
		return fault.New(fault.ContractsChanged, "sign", t.detail())
	}
	return nil
}

// TrustedContracts are the addresses that are signed for, and what the Controller
// answers where that is something else.
func (c *Chain) TrustedContracts() (trusted, answered map[string]core.Address) {
	t := c.trust()
	trusted = t.at.Answered()
	if !t.changed() {
		return trusted, maps.Clone(trusted)
	}
	return trusted, t.seen.Answered()
}

// ConfirmContracts trusts from now on what the Controller answers, as the operator saw
// it. The fault is ContractsChanged when the answer is another one by now.
func (c *Chain) ConfirmContracts(ctx context.Context, seen map[string]core.Address) error {
	const op = "confirm the contracts"
	t := c.trust()
	if !t.changed() {
		return fault.New(fault.ContractsUnchanged, op, "")
	}
	if !maps.Equal(seen, t.seen.Answered()) {
		return fault.New(fault.ContractsChanged, op, "the answer is another one than the one that was confirmed: "+t.detail())
	}
	if err := c.store.saveContracts(ctx, t.seen); err != nil {
		return fault.Wrap(fault.ChainCacheFailed, op, err)
	}
	c.mu.Lock()
	c.trusted = trusted{at: t.seen}
	c.mu.Unlock()
	c.net.Store(newNetwork(t.seen))
	c.showTrust(trusted{at: t.seen})
	c.opt.Log.Warn("contracts confirmed by the operator", "detail", t.detail())
	c.Refresh()
	return nil
}

// recall takes what earlier runs trusted. The addresses of a known network come first,
// until the operator confirms others.
func (c *Chain) recall(ctx context.Context, remembered contracts.Addresses) error {
	at, found, err := c.store.loadContracts(ctx)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "read the contracts' addresses", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case found && at.Controller == c.opt.Controller:
		c.trusted.at = at
	case !c.trusted.known() && remembered.Controller == c.opt.Controller:
		c.trusted.at = remembered
	}
	return nil
}

// unproven reports whether an error only says that too few endpoints answer alike.
func unproven(err error) bool { return errors.Is(err, fault.ChainDisputed) }
