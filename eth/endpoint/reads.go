package endpoint

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// at names a block for a request; Latest is the endpoint's newest one.
func at(block protocol.L2Block) string {
	if block == contracts.Latest {
		return "latest"
	}
	return blockTag(block)
}

// minBlock returns the height that an endpoint must have to answer about a block.
func (p *Pool) minBlock(block protocol.L2Block) protocol.L2Block {
	if block == contracts.Latest {
		return p.newest()
	}
	return block
}

// readValue reads one value from any endpoint.
func readValue[T any](ctx context.Context, p *Pool, q query, parse func([]byte) (T, *failure), method string,
	params ...any) (T, error) {
	return read(ctx, p, q, func(ctx context.Context, r *remote) (T, error) {
		return ask(ctx, r, r.timeout, parse, method, params...)
	})
}

// CallContract runs eth_call at a block, or at the newest for contracts.Latest, on a
// quorum of endpoints. A revert is an *RPCError with its data.
func (p *Pool) CallContract(ctx context.Context, call ethereum.CallMsg, block protocol.L2Block) ([]byte, error) {
	block, err := p.pinBlock(ctx, block)
	if err != nil {
		return nil, err
	}
	q := query{op: "call a contract", minBlock: p.minBlock(block)}
	return readQuorumValue(ctx, p, q, sameBytes, readBytes, "eth_call", callParams(call), at(block))
}

// BalanceAt returns an account's ETH, from a quorum.
func (p *Pool) BalanceAt(ctx context.Context, addr common.Address, block protocol.L2Block) (core.Wei, error) {
	block, err := p.pinBlock(ctx, block)
	if err != nil {
		return core.Wei{}, err
	}
	q := query{op: "read a balance", minBlock: p.minBlock(block)}
	return readQuorumValue(ctx, p, q, sameWei, readWei, "eth_getBalance", addr, at(block))
}

// NonceAt returns how many transactions of the account were mined up to a block, from a quorum.
func (p *Pool) NonceAt(ctx context.Context, addr common.Address, block protocol.L2Block) (uint64, error) {
	block, err := p.pinBlock(ctx, block)
	if err != nil {
		return 0, err
	}
	q := query{op: "read an account's nonce", minBlock: p.minBlock(block)}
	return readQuorumValue(ctx, p, q, equal[uint64], readQuantity, "eth_getTransactionCount", addr, at(block))
}

// PendingNonceAt also counts pending transactions. Endpoints may have different ones for a moment, so a
// different answer is outvoted but not blamed.
func (p *Pool) PendingNonceAt(ctx context.Context, addr common.Address) (uint64, error) {
	return readQuorum(ctx, p, quorumRead[uint64]{
		query: query{op: "read an account's nonce", minBlock: p.newest()}, same: equal[uint64],
		try: func(ctx context.Context, r *remote) (uint64, error) {
			return ask(ctx, r, r.timeout, readQuantity, "eth_getTransactionCount", addr, "pending")
		},
	})
}

// EstimateGas simulates a transaction at the newest block on a quorum of endpoints, whose estimates may
// differ a little: the highest counts, because unused gas is not paid. A revert is an *RPCError with its
// data.
func (p *Pool) EstimateGas(ctx context.Context, call ethereum.CallMsg) (protocol.Gas, error) {
	block, err := p.pinBlock(ctx, 0)
	if err != nil {
		return 0, err
	}
	params := []any{callParams(call)}
	if block != contracts.Latest {
		params = append(params, blockTag(block))
	}
	n, err := readQuorum(ctx, p, quorumRead[uint64]{
		query: query{op: "estimate gas", minBlock: p.minBlock(block)}, deterministic: true, same: nearGas,
		pick: slices.Max[[]uint64],
		try: func(ctx context.Context, r *remote) (uint64, error) {
			return ask(ctx, r, r.timeout, readQuantity, "eth_estimateGas", params...)
		},
	})
	return protocol.Gas(n), err
}

// nearGas compares estimates: honest ones differ by less than a factor of two, whatever the software and the
// moment.
func nearGas(a, b uint64) bool { return max(a, b)/2 <= min(a, b) }

// GasPrice is eth_gasPrice: on Arbitrum the base fee of the newest block.
func (p *Pool) GasPrice(ctx context.Context) (core.Wei, error) {
	return readValue(ctx, p, query{op: "read the gas price"}, readWei, "eth_gasPrice")
}

// BaseFee returns the base fee of the newest block; 0 on a chain without one.
func (p *Pool) BaseFee(ctx context.Context) (core.Wei, error) {
	head, err := p.Head(ctx)
	return head.BaseFee, err
}

// SuggestTip is eth_maxPriorityFeePerGas: normally 0 on Arbitrum. Any tip offered is paid, so the smallest
// suggestion of a quorum counts.
func (p *Pool) SuggestTip(ctx context.Context) (core.Wei, error) {
	return readQuorum(ctx, p, quorumRead[core.Wei]{
		query: query{op: "read the suggested tip"}, same: func(core.Wei, core.Wei) bool { return true }, pick: leastWei,
		try: func(ctx context.Context, r *remote) (core.Wei, error) {
			return ask(ctx, r, r.timeout, readWei, "eth_maxPriorityFeePerGas")
		},
	})
}

func sameWei(a, b core.Wei) bool { return a.Cmp(b) == 0 }

func leastWei(all []core.Wei) core.Wei { return slices.MinFunc(all, core.Wei.Cmp) }

// callParams encodes a call for JSON-RPC.
func callParams(c ethereum.CallMsg) map[string]any {
	m := map[string]any{}
	if c.From != (common.Address{}) {
		m["from"] = c.From
	}
	if c.To != nil {
		m["to"] = c.To
	}
	if len(c.Data) > 0 {
		m["input"] = hexutil.Bytes(c.Data)
	}
	if c.Value != nil {
		m["value"] = (*hexutil.Big)(c.Value)
	}
	if c.Gas != 0 {
		m["gas"] = hexutil.Uint64(c.Gas)
	}
	if c.AccessList != nil {
		m["accessList"] = c.AccessList
	}
	if c.GasPrice != nil {
		m["gasPrice"] = (*hexutil.Big)(c.GasPrice)
	}
	if c.GasFeeCap != nil {
		m["maxFeePerGas"] = (*hexutil.Big)(c.GasFeeCap)
	}
	if c.GasTipCap != nil {
		m["maxPriorityFeePerGas"] = (*hexutil.Big)(c.GasTipCap)
	}
	return m
}
