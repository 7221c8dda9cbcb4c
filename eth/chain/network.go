package chain

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
)

// network is the resolved contracts and what speaks to them. It is not changed:
// when an address changes there is a new one.
type network struct {
	at     contracts.Addresses
	reads  contracts.Reads
	calls  contracts.Calls
	decode contracts.Decoder
	// cached: the addresses are from an earlier run, and nobody confirmed them yet.
	// They are shown and serve a degraded view; nothing is read or signed with them.
	cached bool
}

func newNetwork(at contracts.Addresses) *network {
	return &network{at: at, reads: contracts.NewReads(at), calls: contracts.NewCalls(at), decode: contracts.NewDecoder(at)}
}

// Kinds of logs that the decoder leaves out, because only that they came matters.
var (
	settingTopics = []common.Hash{
		crypto.Keccak256Hash([]byte("SetContractInfo(bytes32,address,bytes20)")),
		crypto.Keccak256Hash([]byte("Pause()")),
		crypto.Keccak256Hash([]byte("Unpause()")),
		crypto.Keccak256Hash([]byte("ParameterUpdate(string)")),
	}
	slashedTopic = crypto.Keccak256Hash([]byte("TranscoderSlashed(address,address,uint256,uint256)"))
)

// filter asks for all logs that can make anything be read again. The broker's, which
// are the most frequent, only where gateways' funds or an orchestrator's tickets
// are in sight.
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

// resolve asks the Controller for the contracts, on more than one endpoint, and takes
// those into use that are trusted. Where too few endpoints answer, what is trusted
// already is used without an answer.
func (c *Chain) resolve(ctx context.Context) (*network, error) {
	opt := contracts.ResolveOptions{AIRegistry: c.opt.AIRegistry, AIRegistryAddr: c.opt.Network.AIRegistry}
	at, err := contracts.Resolve(ctx, c.opt.Client.Proven(), c.opt.Controller, opt)
	if t := c.trust(); unproven(err) && t.known() {
		at, err = contracts.Choose(t.at, opt), nil
	}
	if err != nil {
		return nil, err
	}
	if at, err = c.compare(ctx, at); err != nil {
		return nil, err
	}
	if old := c.net.Load(); old != nil && old.at == at && !old.cached {
		return old, nil
	}
	n := newNetwork(at)
	c.net.Store(n)
	return n, nil
}

// contracts is the network in use, resolved now if it was not since the start.
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
