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

// trustedContracts are the addresses that the key may sign for: those of a known network, those that the
// Controller answered first, or those that the operator confirmed since. Chain's mutex guards it.
type trustedContracts struct {
	// at is zero before anything is known.
	at contracts.Addresses
	// seen is the Controller's deviating answer, zero while it answers the trusted addresses.
	seen contracts.Addresses
}

// known reports whether there are addresses to compare an answer with.
func (t trustedContracts) known() bool { return !t.at.Controller.IsZero() }

// changed reports whether the Controller's answer deviates.
func (t trustedContracts) changed() bool { return !t.seen.Controller.IsZero() }

// detail names what changed, for the operator.
func (t trustedContracts) detail() string {
	before, after := t.at.FromController(), t.seen.FromController()
	var parts []string
	for _, name := range t.at.Changes(t.seen) {
		parts = append(parts, fmt.Sprintf("%s was %s, the Controller now answers %s", name, before[name], after[name]))
	}
	return strings.Join(parts, "; ")
}

func (c *Chain) trust() trustedContracts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trusted
}

// compareContracts compares the Controller's answer with the trusted addresses and returns the addresses to
// use, which are always trusted ones. The first answer is trusted when none is known.
func (c *Chain) compareContracts(ctx context.Context, answer contracts.Addresses) (contracts.Addresses, error) {
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
	c.reportTrust(now)
	return now.at, nil
}

func (c *Chain) reportTrust(t trustedContracts) {
	key := health.Key{Code: fault.ContractsChanged}
	if t.changed() {
		c.opt.Board.Set(key, t.detail())
		return
	}
	c.opt.Board.Clear(key)
}

// Signable is nil when transactions and tickets may be signed. The fault is ContractsChanged while the
// Controller's answer deviates from the trusted addresses.
func (c *Chain) Signable() error {
	if t := c.trust(); t.changed() {
		return fault.New(fault.ContractsChanged, "sign", t.detail())
	}
	return nil
}

// TrustedContracts returns the addresses that are signed for, and the Controller's answer where it deviates.
func (c *Chain) TrustedContracts() (trusted, answered map[string]core.Address) {
	t := c.trust()
	trusted = t.at.FromController()
	if !t.changed() {
		return trusted, maps.Clone(trusted)
	}
	return trusted, t.seen.FromController()
}

// ConfirmContracts trusts the Controller's answer from now on, as the operator saw it. The fault is
// ContractsChanged when the answer has changed again.
func (c *Chain) ConfirmContracts(ctx context.Context, seen map[string]core.Address) error {
	const op = "confirm the contracts"
	t := c.trust()
	if !t.changed() {
		return fault.New(fault.ContractsUnchanged, op, "")
	}
	if !maps.Equal(seen, t.seen.FromController()) {
		return fault.New(fault.ContractsChanged, op, "the answer is another one than the one that was confirmed: "+t.detail())
	}
	if err := c.store.saveContracts(ctx, t.seen); err != nil {
		return fault.Wrap(fault.ChainCacheFailed, op, err)
	}
	c.mu.Lock()
	c.trusted = trustedContracts{at: t.seen}
	c.mu.Unlock()
	c.net.Store(newNetwork(t.seen))
	c.reportTrust(trustedContracts{at: t.seen})
	c.opt.Log.Warn("contracts confirmed by the operator", "detail", t.detail())
	c.Refresh()
	return nil
}

// loadTrusted loads the addresses that earlier runs trusted. The addresses of a known network come first,
// until the operator confirms others.
func (c *Chain) loadTrusted(ctx context.Context, remembered contracts.Addresses) error {
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

// lacksMajority reports whether an error only means that too few endpoints answer alike.
func lacksMajority(err error) bool { return errors.Is(err, fault.ChainDisputed) }

// Addresses returns the resolved contracts; false until endpoints confirmed them in this run, and while the
// Controller's answer differs from the trusted ones: cached addresses are good for display, not for signing.
func (c *Chain) Addresses() (contracts.Addresses, bool) {
	n := c.net.Load()
	if n == nil || n.cached || c.Signable() != nil {
		return contracts.Addresses{}, false
	}
	return n.at, true
}
