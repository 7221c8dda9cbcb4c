package chain

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// logEffects is what logs require: what to read again, and the events that no state shows.
type logEffects struct {
	toRead stateParts
	// resolve: a contract's address may have changed.
	resolve bool
	// senders are gateways whose funds changed; allSenders: all may have.
	senders    []core.Address
	allSenders bool
	// events are those that no state shows: rewards, redemptions.
	events []blockEvent
}

// blockEvent is an event and its block.
type blockEvent struct {
	block protocol.L2Block
	event protocol.Event
}

func eventsOf(all []blockEvent) []protocol.Event {
	out := make([]protocol.Event, len(all))
	for i, o := range all {
		out[i] = o.event
	}
	return out
}

// logReader selects the logs that concern an account and an orchestrator.
type logReader struct {
	account, self core.Address
	net           *network
}

// effects reads logs in their order. round is the last one that was initialized before them: rewards are
// minted in initialized rounds alone.
func (j logReader) effects(logs []types.Log, round protocol.Round) logEffects {
	var n logEffects
	var tickets []contracts.Event
	for i := range logs {
		e, err := j.net.decode.Decode(&logs[i])
		switch {
		case err != nil:
			// Our contract's log, and unreadable: read everything.
			n.toRead |= allParts
		case e == nil:
			j.setting(&n, &logs[i])
		default:
			if r, ok := e.(contracts.NewRound); ok {
				round = r.Round
			}
			j.event(&n, e)
			tickets = append(tickets, e)
			if r, ok := e.(contracts.Reward); ok && j.ifSelf(r.Orchestrator) != 0 {
				n.events = append(n.events, blockEvent{
					protocol.L2Block(logs[i].BlockNumber), protocol.RewardSeen{Round: round, Amount: r.Amount, Tx: r.Tx},
				})
			}
		}
	}
	for _, p := range contracts.Payouts(tickets) {
		if p.Recipient == j.self {
			n.events = append(n.events, blockEvent{p.Block, protocol.TicketRedeemed{Payout: p}})
		}
	}
	slices.SortStableFunc(n.events, func(a, b blockEvent) int { return cmp.Compare(a.block, b.block) })
	return n
}

// setting reads the logs that only announce a changed setting.
func (j logReader) setting(n *logEffects, log *types.Log) {
	if len(log.Topics) == 0 || !slices.Contains(append(settingTopics[:len(settingTopics):len(settingTopics)],
		slashedTopic), log.Topics[0]) {
		return
	}
	n.toRead |= roundPart | poolPart | selfPart
	n.resolve = n.resolve || core.Address(log.Address) == j.net.at.Controller
}

func (j logReader) event(n *logEffects, e contracts.Event) {
	switch e := e.(type) {
	case contracts.NewRound:
		n.toRead |= roundPart | selfPart | poolPart
		// Claims on a reserve count per round.
		n.allSenders = true
	case contracts.TranscoderActivated:
		n.toRead |= poolPart | j.ifSelf(e.Orchestrator)
	case contracts.TranscoderDeactivated:
		n.toRead |= poolPart | j.ifSelf(e.Orchestrator)
	case contracts.TranscoderUpdate:
		n.toRead |= j.ifSelf(e.Orchestrator)
	case contracts.RewardCallerSet:
		n.toRead |= j.ifSelf(e.Orchestrator)
	case contracts.ServiceURIUpdate:
		if e.Registry == j.net.at.Registry {
			n.toRead |= j.ifSelf(e.Address)
		}
	case contracts.Reward:
		n.toRead |= j.ifSelf(e.Orchestrator)
	default:
		j.stake(n, e)
	}
}

func (j logReader) stake(n *logEffects, e contracts.Event) {
	switch e := e.(type) {
	case contracts.Bond:
		n.toRead |= j.ifSelf(e.NewDelegate) | j.ifSelf(e.OldDelegate) | j.ifAccount(e.Delegator)
	case contracts.Unbond:
		n.toRead |= j.ifSelf(e.Delegate) | j.ifAccount(e.Delegator)
	case contracts.Rebond:
		n.toRead |= j.ifSelf(e.Delegate) | j.ifAccount(e.Delegator)
	case contracts.WithdrawStake:
		n.toRead |= j.ifAccount(e.Delegator)
	case contracts.WithdrawFees:
		n.toRead |= j.ifAccount(e.Delegator) | j.ifAccount(e.Recipient)
	default:
		j.funds(n, e)
	}
}

func (j logReader) funds(n *logEffects, e contracts.Event) {
	switch e := e.(type) {
	case contracts.DepositFunded:
		n.senders = append(n.senders, e.Sender)
	case contracts.ReserveFunded:
		n.senders = append(n.senders, e.Sender)
	case contracts.ReserveClaimed:
		n.senders = append(n.senders, e.Sender)
	case contracts.Withdrawal:
		n.senders = append(n.senders, e.Sender)
	case contracts.Unlock:
		n.senders = append(n.senders, e.Sender)
	case contracts.UnlockCancelled:
		n.senders = append(n.senders, e.Sender)
	case contracts.WinningTicketTransfer:
		n.senders = append(n.senders, e.Sender)
	}
}

func (j logReader) ifSelf(addr core.Address) stateParts {
	if addr == j.self && !addr.IsZero() {
		return selfPart
	}
	return 0
}

func (j logReader) ifAccount(addr core.Address) stateParts {
	if addr == j.account && !addr.IsZero() {
		return accountPart
	}
	return 0
}
