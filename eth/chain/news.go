package chain

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// news is what logs say: what to read again, and what happened that no state
// shows.
type news struct {
	want parts
	// resolve: a contract's address may have changed.
	resolve bool
	// senders are gateways whose funds changed; allSenders: all may have.
	senders    []core.Address
	allSenders bool
	// happened is what no state shows: rewards, redemptions.
	happened []occurrence
}

// occurrence is an event and the block that it is of.
type occurrence struct {
	block protocol.L2Block
	event protocol.Event
}

func eventsOf(all []occurrence) []protocol.Event {
	out := make([]protocol.Event, len(all))
	for i, o := range all {
		out[i] = o.event
	}
	return out
}

// judge is whose news matter.
type judge struct {
	account, self core.Address
	net           *network
}

// read goes through logs in their order. round is the last one that was
// initialised before them: rewards are minted in initialised rounds alone.
func (j judge) read(logs []types.Log, round protocol.Round) news {
	var n news
	var tickets []contracts.Event
	for i := range logs {
		e, err := j.net.decode.Decode(&logs[i])
		switch {
		case err != nil:
			// It is ours and says something that cannot be read: look at everything.
			n.want |= allParts
		case e == nil:
			j.setting(&n, &logs[i])
		default:
			if r, ok := e.(contracts.NewRound); ok {
				round = r.Round
			}
			j.event(&n, e)
			tickets = append(tickets, e)
			if r, ok := e.(contracts.Reward); ok && j.about(r.Orchestrator) != 0 {
				n.happened = append(n.happened, occurrence{
					protocol.L2Block(logs[i].BlockNumber), protocol.RewardSeen{Round: round, Amount: r.Amount, Tx: r.Tx},
				})
			}
		}
	}
	for _, p := range contracts.Payouts(tickets) {
		if p.Recipient == j.self {
			n.happened = append(n.happened, occurrence{p.Block, protocol.TicketRedeemed{Payout: p}})
		}
	}
	slices.SortStableFunc(n.happened, func(a, b occurrence) int { return cmp.Compare(a.block, b.block) })
	return n
}

// setting takes the logs that only say that something was set.
func (j judge) setting(n *news, log *types.Log) {
	if len(log.Topics) == 0 || !slices.Contains(append(settingTopics[:len(settingTopics):len(settingTopics)], slashedTopic), log.Topics[0]) {
		return
	}
	n.want |= roundPart | poolPart | selfPart
	n.resolve = n.resolve || core.Address(log.Address) == j.net.at.Controller
}

func (j judge) event(n *news, e contracts.Event) {
	switch e := e.(type) {
	case contracts.NewRound:
		n.want |= roundPart | selfPart | poolPart
		// What was claimed of a reserve counts per round.
		n.allSenders = true
	case contracts.TranscoderActivated:
		n.want |= poolPart | j.about(e.Orchestrator)
	case contracts.TranscoderDeactivated:
		n.want |= poolPart | j.about(e.Orchestrator)
	case contracts.TranscoderUpdate:
		n.want |= j.about(e.Orchestrator)
	case contracts.RewardCallerSet:
		n.want |= j.about(e.Orchestrator)
	case contracts.ServiceURIUpdate:
		if e.Registry == j.net.at.Registry {
			n.want |= j.about(e.Address)
		}
	case contracts.Reward:
		n.want |= j.about(e.Orchestrator)
	default:
		j.stake(n, e)
	}
}

func (j judge) stake(n *news, e contracts.Event) {
	switch e := e.(type) {
	case contracts.Bond:
		n.want |= j.about(e.NewDelegate) | j.about(e.OldDelegate) | j.mine(e.Delegator)
	case contracts.Unbond:
		n.want |= j.about(e.Delegate) | j.mine(e.Delegator)
	case contracts.Rebond:
		n.want |= j.about(e.Delegate) | j.mine(e.Delegator)
	case contracts.WithdrawStake:
		n.want |= j.mine(e.Delegator)
	case contracts.WithdrawFees:
		n.want |= j.mine(e.Delegator) | j.mine(e.Recipient)
	default:
		j.funds(n, e)
	}
}

func (j judge) funds(n *news, e contracts.Event) {
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

func (j judge) about(who core.Address) parts {
	if who == j.self && !who.IsZero() {
		return selfPart
	}
	return 0
}

func (j judge) mine(who core.Address) parts {
	if who == j.account && !who.IsZero() {
		return accountPart
	}
	return 0
}
