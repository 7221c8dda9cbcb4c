package chain

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
)

// TicketUsed reads whether a ticket was redeemed. Tickets end by this answer, so it needs a majority of the
// endpoints.
func (c *Chain) TicketUsed(ctx context.Context, ticket protocol.Hash) (used bool, err error) {
	err = c.readFrom(ctx, c.opt.Client.Majority(),
		func(r contracts.Reads) []contracts.Read { return []contracts.Read{r.UsedTicket(ticket, &used)} })
	return used, err
}

// TicketsUsed is TicketUsed for several tickets, in one batch.
func (c *Chain) TicketsUsed(ctx context.Context, tickets []protocol.Hash) ([]bool, error) {
	used := make([]bool, len(tickets))
	err := c.readFrom(ctx, c.opt.Client.Majority(), func(r contracts.Reads) []contracts.Read {
		out := make([]contracts.Read, len(tickets))
		for i, t := range tickets {
			out[i] = r.UsedTicket(t, &used[i])
		}
		return out
	})
	return used, err
}

// Payouts reads what a transaction redeemed: nothing for one that is in no block.
func (c *Chain) Payouts(ctx context.Context, tx protocol.TxHash) ([]protocol.Payout, error) {
	n, err := c.contracts(ctx)
	if err != nil {
		return nil, err
	}
	receipt, err := c.opt.Client.TransactionReceipt(ctx, tx)
	if errors.Is(err, ethereum.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var events []contracts.Event
	for _, log := range receipt.Logs {
		e, err := n.decode.Decode(log)
		if err != nil {
			return nil, err
		}
		if e != nil {
			events = append(events, e)
		}
	}
	all := contracts.Payouts(events)
	if len(all) == 0 {
		return nil, nil
	}
	gas, fee, err := c.cost(ctx, receipt)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Gas, all[i].Fee = gas/protocol.Gas(len(all)), fee.Share(i, len(all))
	}
	return all, nil
}

// cost returns what a transaction cost the account, 0 for another account's.
func (c *Chain) cost(ctx context.Context, r *types.Receipt) (protocol.Gas, core.Wei, error) {
	if c.opt.Account.IsZero() {
		return 0, core.Wei{}, nil
	}
	if gas, fee, known := c.sentCost(protocol.TxHash(r.TxHash)); known {
		return gas, fee, nil
	}
	tx, _, err := c.opt.Client.TransactionByHash(ctx, protocol.TxHash(r.TxHash))
	if errors.Is(err, ethereum.NotFound) {
		return 0, core.Wei{}, nil
	}
	if err != nil {
		return 0, core.Wei{}, err
	}
	from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
	if err != nil || core.Address(from) != c.opt.Account || r.EffectiveGasPrice == nil {
		return 0, core.Wei{}, nil
	}
	fee, err := core.WeiOf(new(big.Int).Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed)))
	if err != nil {
		return 0, core.Wei{}, fault.Wrap(fault.ContractAnswerInvalid, "read a receipt", err)
	}
	return protocol.Gas(r.GasUsed), fee, nil
}

// sentCost returns what one of the account's mined transactions cost, if it is among the last ones.
func (c *Chain) sentCost(hash protocol.TxHash) (protocol.Gas, core.Wei, bool) {
	all := c.Transactions()
	i := slices.IndexFunc(all, func(t protocol.Transaction) bool { return t.Hash == hash && t.Block != 0 })
	if i < 0 {
		return 0, core.Wei{}, false
	}
	return all[i].Gas, all[i].Fee, true
}

// FindPayout searches the logs of the rounds in which the ticket could be redeemed, from the newest block
// backwards: most tickets searched for are recent.
func (c *Chain) FindPayout(ctx context.Context, ticket protocol.WinningTicket) (protocol.Payout, bool, error) {
	n, to, err := c.newest(ctx)
	if err != nil {
		return protocol.Payout{}, false, err
	}
	since, err := c.roundStartBound(ctx, n, to, ticket.CreationRound)
	if err != nil {
		return protocol.Payout{}, false, err
	}
	oldest := max(1, to-min(to, maxHistory))
	for {
		from := to - min(to-oldest, min(historyPiece, pieceRequests*logSpan(c.opt.Client))-1)
		p, found, err := c.findRedemption(ctx, n, from, to, &ticket)
		if err != nil || found {
			return p, found, err
		}
		if from == oldest {
			return protocol.Payout{}, false, nil
		}
		head, err := c.opt.Client.HeaderByNumber(ctx, from)
		if err != nil {
			return protocol.Payout{}, false, err
		}
		if head.L1 != 0 && head.L1 < since {
			return protocol.Payout{}, false, nil
		}
		to = from - 1
	}
}

// roundStartBound returns a lower bound of the first layer-1 block of a past round: it assumes the present round
// length, and subtracts one more round in case that changed.
func (c *Chain) roundStartBound(ctx context.Context, n *network, block protocol.L2Block,
	r protocol.Round) (protocol.L1Block, error) {
	var now protocol.RoundState
	if err := contracts.ReadAll(ctx, c.opt.Client.Quorum(), block, n.reads.RoundState(&now)...); err != nil {
		return 0, err
	}
	back := (protocol.L1Block(now.Number-min(now.Number, r)) + 1) * now.Length
	return now.Start - min(now.Start, back), nil
}

// findRedemption searches a ticket's payout at all endpoints: the receipt of the transaction that a log names
// verifies the log.
func (c *Chain) findRedemption(ctx context.Context, n *network, from, to protocol.L2Block,
	t *protocol.WinningTicket) (p protocol.Payout, found bool, err error) {
	filter := endpoint.LogFilter{
		Addresses: []common.Address{common.Address(n.at.TicketBroker)}, Topics: contracts.RedemptionTopics(t.Sender,
			t.Recipient),
	}
	checked := make(map[protocol.TxHash]bool)
	err = c.opt.Client.LogsFromEach(ctx, from, to, filter, func(logs []types.Log) (bool, error) {
		var err error
		p, found, err = c.redeemedBy(ctx, n, logs, t, checked)
		return found, err
	})
	return p, found, err
}

// maxRedemptions is how many transactions of an endpoint's logs are read for one ticket. The chain has one,
// or a few after reorgs; an endpoint with more invents them.
const maxRedemptions = 8

// redeemedBy reads the transactions that one endpoint's logs name, except those in checked.
func (c *Chain) redeemedBy(ctx context.Context, n *network, logs []types.Log, t *protocol.WinningTicket,
	checked map[protocol.TxHash]bool) (protocol.Payout, bool, error) {
	fresh := 0
	for i := range logs {
		e, _ := n.decode.Decode(&logs[i])
		r, ok := e.(contracts.WinningTicketRedeemed)
		if !ok || !r.Is(t) || checked[r.Tx] {
			continue
		}
		if fresh++; fresh > maxRedemptions {
			break
		}
		checked[r.Tx] = true
		if p, found, err := c.payoutIn(ctx, r.Tx, t); err != nil || found {
			return p, found, err
		}
	}
	return protocol.Payout{}, false, nil
}

// payoutIn returns what a transaction paid for a ticket.
func (c *Chain) payoutIn(ctx context.Context, tx protocol.TxHash, t *protocol.WinningTicket) (protocol.Payout, bool,
	error) {
	all, err := c.Payouts(ctx, tx)
	for _, p := range all {
		if p.Sender == t.Sender && p.SenderNonce == t.SenderNonce && p.RecipientRand == t.RecipientRand {
			return p, true, nil
		}
	}
	return protocol.Payout{}, false, err
}
