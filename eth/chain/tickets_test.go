package chain

import (
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// redeem makes the logs of a redemption; paid 0 pays nothing.
func (w *world) redeem(t *protocol.WinningTicket, paid, reserve uint64) func(*truth) []types.Log {
	return func(*truth) (logs []types.Log) {
		sender, recipient := word(t.Sender), word(t.Recipient)
		if reserve != 0 {
			l := event(w.at.TicketBroker, "ReserveClaimed(address,address,uint256)", []common.Hash{sender})
			l.Data = append(recipient.Bytes(), common.BigToHash(num(reserve)).Bytes()...)
			logs = append(logs, l)
		}
		if paid != 0 {
			logs = append(logs, event(w.at.TicketBroker, "WinningTicketTransfer(address,address,uint256)",
				[]common.Hash{sender, recipient}, paid))
		}
		l := event(w.at.TicketBroker, "WinningTicketRedeemed(address,address,uint256,uint256,uint256,uint256,bytes)",
			[]common.Hash{sender, recipient})
		for _, n := range []*big.Int{t.FaceValue.Big(), t.WinProb.Big(), num(t.SenderNonce), t.RecipientRand.Big(),
			num(160), num(64)} {
			l.Data = append(l.Data, common.BigToHash(n).Bytes()...)
		}
		l.Data = append(l.Data, t.AuxData()...)
		return append(logs, l)
	}
}

func someTicket(recipient core.Address, nonce uint64) protocol.WinningTicket {
	return protocol.WinningTicket{
		Sender: addressOf(50), Recipient: recipient, FaceValue: core.NewWei(100), WinProb: protocol.Word{1},
		SenderNonce:   nonce,
		RecipientRand: protocol.Word{31: 5}, CreationRound: worldRound, CreationRoundHash: protocol.Hash{9, 31: worldRound},
	}
}

func TestRedemptionsArePublished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.oneTx = true
		mine, other := someTicket(addressOf(1), 1), someTicket(addressOf(2), 2)
		w.run(func(c *Chain) {
			pass(20 * time.Second)
			var seen []protocol.Payout
			defer c.Subscribe(func(e protocol.Event) {
				if r, ok := e.(protocol.TicketRedeemed); ok {
					seen = append(seen, r.Payout)
				}
			})()
			w.mine(worldStart, w.redeem(&other, 7, 0))
			w.mine(worldStart, w.redeem(&mine, 60, 20))
			pass(30 * time.Second)
			if len(seen) != 1 || seen[0].Paid.Cmp(core.NewWei(60)) != 0 || seen[0].FromReserve.Cmp(core.NewWei(20)) != 0 ||
				seen[0].SenderNonce != 1 {
				t.Fatalf("published: %+v", seen)
			}
			all, err := c.Payouts(t.Context(), seen[0].Tx)
			if err != nil || len(all) != 1 || all[0] != seen[0] && all[0].Paid.Cmp(seen[0].Paid) != 0 {
				t.Errorf("read: %+v, %v", all, err)
			}
			if all, err := c.Payouts(t.Context(), protocol.TxHash{1}); err != nil || len(all) != 0 {
				t.Errorf("a transaction that is not there: %+v, %v", all, err)
			}
		})
	})
}

func TestFindPayout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.oneTx, w.span = true, 3
		mine, like, never := someTicket(addressOf(1), 1), someTicket(addressOf(1), 2), someTicket(addressOf(1), 3)
		for range 70 {
			w.mine(worldStart, nil)
		}
		w.mine(worldStart, w.redeem(&mine, 0, 0))
		w.mine(worldStart, w.redeem(&like, 5, 0))
		for range 300 {
			w.mine(worldStart, nil)
		}
		w.run(func(c *Chain) {
			pass(20 * time.Second)
			p, found, err := c.FindPayout(t.Context(), mine)
			if err != nil || !found || p.SenderNonce != 1 || !p.Paid.IsZero() || p.Block != 72 {
				t.Errorf("%+v, %v, %v", p, found, err)
			}
			if p, found, err := c.FindPayout(t.Context(), never); err != nil || found {
				t.Errorf("what was never redeemed: %+v, %v", p, err)
			}
			w.mu.Lock()
			w.refuses = true
			w.mu.Unlock()
			if _, found, err := c.FindPayout(t.Context(), mine); err == nil || found {
				t.Error("nothing is found without logs, and that is no answer")
			}
		})
	})
}

// An endpoint that shows thousands of redemptions which never happened costs a few
// receipts, and hides nothing.
func TestInventedRedemptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		mine := someTicket(addressOf(1), 1)
		w.mine(worldStart, w.redeem(&mine, 5, 0))
		for i := range 5000 {
			for _, log := range w.last().logs {
				log.TxHash = common.Hash{1, byte(i >> 8), byte(i)}
				w.invented = append(w.invented, log)
			}
		}
		w.run(func(c *Chain) {
			pass(20 * time.Second)
			p, found, err := c.FindPayout(t.Context(), mine)
			if err != nil || !found || p.SenderNonce != 1 {
				t.Errorf("%+v, %v, %v", p, found, err)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if n := w.calls["receipt"]; n > 20 {
				t.Errorf("%d receipts were asked for", n)
			}
		})
	})
}
