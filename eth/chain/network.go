package chain

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
)

// network is the resolved contracts and their codecs. It is immutable: a changed address makes a new one.
type network struct {
	at     contracts.Addresses
	reads  contracts.Reads
	calls  contracts.Calls
	decode contracts.Decoder
	// cached: the addresses are from an earlier run and not confirmed yet. They are shown and serve a degraded
	// view; nothing is read or signed with them.
	cached bool
}

func newNetwork(at contracts.Addresses) *network {
	return &network{at: at, reads: contracts.NewReads(at), calls: contracts.NewCalls(at), decode: contracts.NewDecoder(at)}
}

// Logs that the decoder leaves out, because only their occurrence matters. Read-only.
var (
	settingTopics = []common.Hash{
		crypto.Keccak256Hash([]byte("SetContractInfo(bytes32,address,bytes20)")),
		crypto.Keccak256Hash([]byte("Pause()")),
		crypto.Keccak256Hash([]byte("Unpause()")),
		crypto.Keccak256Hash([]byte("ParameterUpdate(string)")),
	}
	slashedTopic = crypto.Keccak256Hash([]byte("TranscoderSlashed(address,address,uint256,uint256)"))
)

// filter selects all logs that may require a read. The broker's, the most frequent, only when gateways are
// watched or the orchestrator has tickets.
func (n *network) filter(funds bool) endpoint.LogFilter {
	var f endpoint.LogFilter
	for _, c := range append(n.decode.Contracts(), common.Address(n.at.Controller)) {
		if funds || c != common.Address(n.at.TicketBroker) {
			f.Addresses = append(f.Addresses, c)
		}
	}
	topics := append(n.decode.Topics(), settingTopics...)
	f.Topics = [][]common.Hash{append(topics, slashedTopic)}
	return f
}

// resolve asks the Controller for the contracts, on more than one endpoint, and uses the trusted ones among
// them. Where too few endpoints answer, the trusted addresses are used without an answer.
func (c *Chain) resolve(ctx context.Context) (*network, error) {
	opt := contracts.ResolveOptions{AIRegistry: c.opt.AIRegistry, AIRegistryAddr: c.opt.Network.AIRegistry}
	at, err := contracts.Resolve(ctx, c.opt.Client.Majority(), c.opt.Controller, opt)
	if t := c.trust(); lacksMajority(err) && t.known() {
		at, err = contracts.ChooseRegistry(t.at, opt), nil
	}
	if err != nil {
		return nil, err
	}
	if at, err = c.compareContracts(ctx, at); err != nil {
		return nil, err
	}
	if old := c.net.Load(); old != nil && old.at == at && !old.cached {
		return old, nil
	}
	n := newNetwork(at)
	c.net.Store(n)
	return n, nil
}

// contracts returns the network in use, resolved now if this run did not yet.
func (c *Chain) contracts(ctx context.Context) (*network, error) {
	if n := c.net.Load(); n != nil && !n.cached {
		return n, nil
	}
	n, err := c.resolve(ctx)
	if err != nil {
		return nil, &fault.Fault{Code: fault.ChainNotReady, Op: "find the contracts", Err: err}
	}
	return n, nil
}
