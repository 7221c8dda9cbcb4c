package main

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet/chain"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/devnet/endpoints"
)

// chainAPI are the methods that concern blocks, fees and endpoints. Each is
// devnet_<name> with a small first letter.
type chainAPI struct {
	chain     *chain.Chain
	endpoints *endpoints.Set
	info      func() control.Info
}

// newChainAPI makes the methods. info is what Info answers.
func newChainAPI(c *chain.Chain, f *endpoints.Set, info func() control.Info) *chainAPI {
	return &chainAPI{chain: c, endpoints: f, info: info}
}

// Info returns the chain's addresses, keys and contracts.
func (a *chainAPI) Info() control.Info { return a.info() }

// AdvanceL1 moves the L1 clock on.
func (a *chainAPI) AdvanceL1(n uint64) (protocol.L1Block, error) { return a.chain.AdvanceL1(n) }

// SetL1BlockTime sets how often the L1 clock advances by itself.
func (a *chainAPI) SetL1BlockTime(every control.Duration) error {
	return a.chain.SetL1Time(time.Duration(every))
}

// SetL2BlockTime sets how often a block is made without need.
func (a *chainAPI) SetL2BlockTime(every control.Duration) error {
	return a.chain.SetBlockTime(time.Duration(every))
}

// SetAutomine says whether transactions are mined as they arrive.
func (a *chainAPI) SetAutomine(on bool) { a.chain.SetAutomine(on) }

// Mine makes blocks.
func (a *chainAPI) Mine(n uint64) (protocol.L2Block, error) {
	head, err := a.chain.Mine(n)
	if err != nil {
		return 0, err
	}
	return protocol.L2Block(head.Number.Uint64()), nil
}

// Reorg replaces the last blocks.
func (a *chainAPI) Reorg(r control.Reorg) (protocol.L2Block, error) {
	head, err := a.chain.Reorg(chain.Reorg{Depth: r.Depth, Keep: r.Keep, Forget: r.Forget})
	if err != nil {
		return 0, err
	}
	return protocol.L2Block(head.Number.Uint64()), nil
}

// SetBaseFee sets the base fee of the next blocks.
func (a *chainAPI) SetBaseFee(fee core.Wei) { a.chain.SetBaseFee(fee) }

// SpikeBaseFee sets the base fee of so many blocks.
func (a *chainAPI) SpikeBaseFee(fee core.Wei, blocks uint64) { a.chain.SpikeBaseFee(fee, blocks) }

// DropNext loses transactions.
func (a *chainAPI) DropNext(n uint64) { a.endpoints.DropNext(n) }

// Misbehave replaces an endpoint's faults. The control client sends them as
// parameters of their own, of which so many are understood.
func (a *chainAPI) Misbehave(endpoint int, f1, f2, f3, f4 *control.Fault) error {
	e, err := a.endpoints.Endpoint(endpoint)
	if err != nil {
		return err
	}
	var faults []control.Fault
	for _, f := range []*control.Fault{f1, f2, f3, f4} {
		if f != nil {
			faults = append(faults, *f)
		}
	}
	return e.SetFaults(faults)
}

// Stats returns an endpoint's counters.
func (a *chainAPI) Stats(endpoint int) (control.Stats, error) {
	e, err := a.endpoints.Endpoint(endpoint)
	if err != nil {
		return control.Stats{}, err
	}
	return e.Stats(), nil
}
