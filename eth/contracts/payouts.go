package contracts

import (
	"bytes"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Payouts combines events, in their order, into redemptions. The payments of a ticket come in events before
// the one that names it; a ticket without them paid nothing. Gas and Fee are left out: no event has them.
func Payouts(events []Event) []protocol.Payout {
	var out []protocol.Payout
	var seen redemption
	for _, e := range events {
		at := e.From()
		if at.Tx != seen.tx || at.BlockHash != seen.block {
			seen = redemption{tx: at.Tx, block: at.BlockHash}
		}
		switch e := e.(type) {
		case ReserveClaimed:
			seen.claim = e
		case WinningTicketTransfer:
			seen.transfer = e
		case WinningTicketRedeemed:
			out = append(out, seen.payout(e))
			seen = redemption{tx: at.Tx, block: at.BlockHash}
		}
	}
	return out
}

// redemption is what was seen of one ticket's redemption.
type redemption struct {
	tx       protocol.TxHash
	block    protocol.Hash
	claim    ReserveClaimed
	transfer WinningTicketTransfer
}

func (r redemption) payout(e WinningTicketRedeemed) protocol.Payout {
	p := protocol.Payout{
		Sender: e.Sender, Recipient: e.Recipient, SenderNonce: e.SenderNonce, RecipientRand: e.RecipientRand,
		FaceValue: e.FaceValue, Tx: e.Tx, Block: e.Block,
	}
	if r.transfer.Sender == e.Sender && r.transfer.Recipient == e.Recipient {
		p.Paid = r.transfer.Amount
	}
	if r.claim.Sender == e.Sender && r.claim.Claimant == e.Recipient {
		p.FromReserve = r.claim.Amount
	}
	return p
}

// Is reports whether the event is of the ticket; it has all of the ticket but the signature.
func (e WinningTicketRedeemed) Is(t *protocol.WinningTicket) bool {
	return e.Sender == t.Sender && e.Recipient == t.Recipient && e.SenderNonce == t.SenderNonce &&
		e.RecipientRand == t.RecipientRand &&
		e.FaceValue.Cmp(t.FaceValue) == 0 && e.WinProb == t.WinProb && bytes.Equal(e.AuxData, t.AuxData())
}

// RedemptionTopics returns those of the logs that name redemptions of one sender's
// tickets for one recipient.
func RedemptionTopics(sender, recipient core.Address) [][]common.Hash {
	return [][]common.Hash{
		{topicOf("WinningTicketRedeemed(address,address,uint256,uint256,uint256,uint256,bytes)")},
		{common.BytesToHash(sender[:])}, {common.BytesToHash(recipient[:])},
	}
}
