package solidity

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// market is a chain with one active orchestrator and one sender with a deposit of
// 2 ETH and a reserve of 1.
func market(t testing.TB) (*world, common.Address, *sender) {
	t.Helper()
	w := newWorld(t)
	o := w.orchestrator("o", 100)
	w.nextRound()
	s := newSender(11)
	w.pay(s.addr, tokens(3), tb, "fundDepositAndReserve", tokens(2), tokens(1))
	return w, o, s
}

// A ticket with which everything is wrong is made right check by check: the reason
// that is given is always that of the first check that fails.
func TestOrderOfRedemptionChecks(t *testing.T) {
	t.Parallel()
	w, o, s := market(t)
	var (
		tk  = w.ticketFor(s, o, milli(1))
		sig = s.sign(tk)
		r   = rand
	)
	redeem := func(reason string) {
		t.Helper()
		w.reverts(reason, account("anybody"), tb, "redeemWinningTicket", tk, sig, r)
	}
	good := tk
	w.ok(owner, tb, "redeemWinningTicket", good, sig, rand)
	w.ok(s.addr, tb, "unlock")
	w.rounds(2)
	w.ok(s.addr, tb, "withdraw")
	w.toNextStart()
	w.ok(owner, "Controller", "pause")
	tk.Recipient, tk.Sender, tk.AuxData, tk.WinProb, sig, r = none, none, nil, zero, nil, num(1)
	redeem("system is paused")
	w.ok(owner, "Controller", "unpause")
	redeem("current round is not initialized")
	w.ok(owner, rm, "initializeRound")
	redeem("ticket recipient is null address")
	tk.Recipient = o
	redeem("ticket sender is null address")
	tk.Sender = s.addr
	redeem("invalid length for ticket auxData: must be 64 bytes")
	tk.AuxData = make([]byte, 64)
	redeem("ticket creationRound does not have a block hash")
	copy(tk.AuxData, good.AuxData[:32])
	redeem("ticket creationRoundBlockHash invalid for creationRound")
	copy(tk.AuxData, good.AuxData)
	redeem("ticket is expired")
	copy(tk.AuxData, w.ticketFor(s, o, zero).AuxData)
	redeem("recipientRand does not match recipientRandHash")
	r = rand
	redeem("INVALID_SIGNATURE_LENGTH")
	sig = make([]byte, 65)
	redeem("ECDSA: invalid signature")
	sig[32] = 0xff
	redeem("ECDSA: invalid signature 's' value")
	sig = newSender(99).sign(tk)
	redeem("invalid signature over ticket hash")
	sig = s.sign(tk)
	redeem("ticket did not win")
	tk.WinProb = never
	sig = s.sign(tk)
	redeem("sender deposit and reserve are zero")
	w.pay(s.addr, tokens(1), tb, "fundDeposit")
	w.ok(owner, tb, "setUnlockPeriod", zero)
	w.ok(s.addr, tb, "unlock")
	redeem("sender is unlocked")
	w.ok(s.addr, tb, "cancelUnlock")
	redeem("")
	redeem("ticket is used")
	sig = nil
	redeem("ticket is used")
	r = num(1)
	redeem("recipientRand does not match recipientRandHash")
}

func TestSenderMustBeLocked(t *testing.T) {
	t.Parallel()
	w, o, s := market(t)
	w.ok(s.addr, tb, "unlock")
	w.nextRound()
	w.ok(owner, tb, "redeemWinningTicket", w.winning(s, o, milli(1))...)
	w.nextRound()
	w.reverts("sender is unlocked", owner, tb, "redeemWinningTicket", w.winning(s, o, milli(1))...)
	w.pay(s.addr, num(1), tb, "fundDeposit")
	w.ok(owner, tb, "redeemWinningTicket", w.winning(s, o, milli(1))...)
}

func TestValidity(t *testing.T) {
	t.Parallel()
	w, o, s := market(t)
	first, second := w.winning(s, o, milli(1)), w.winning(s, o, milli(1))
	w.nextRound()
	w.ok(owner, tb, "redeemWinningTicket", first...)
	w.nextRound()
	w.reverts("ticket is expired", owner, tb, "redeemWinningTicket", second...)
}

// The v of a signature is 27 or 28. With 0 or 1 nobody is recovered.
func TestSignatureEncoding(t *testing.T) {
	t.Parallel()
	w, o, s := market(t)
	tk := w.ticketFor(s, o, milli(1))
	sig := s.sign(tk)
	sig[64] -= 27
	w.reverts("ECDSA: invalid signature", owner, tb, "redeemWinningTicket", tk, sig, rand)
	// The other form of the same signature, with s above half of the order.
	order := crypto.S256().Params().N
	high := s.sign(tk)
	copy(high[32:64], common.BigToHash(minus(order, new(big.Int).SetBytes(high[32:64]))).Bytes())
	high[64] = 27 + 28 - high[64]
	w.reverts("ECDSA: invalid signature 's' value", owner, tb, "redeemWinningTicket", tk, high, rand)
	w.reverts("INVALID_SIGNATURE_LENGTH", owner, tb, "redeemWinningTicket", tk, append(s.sign(tk), 0), rand)
}

func (w *world) deposit(s *sender) *big.Int {
	w.Helper()
	return w.senderInfo(s).Sender.Deposit
}

type senderInfo struct {
	Sender  struct{ Deposit, WithdrawRound *big.Int }
	Reserve struct{ FundsRemaining, ClaimedInCurrentRound *big.Int }
}

func (w *world) senderInfo(s *sender) (info senderInfo) {
	w.Helper()
	r := w.mustCall(tb, "getSenderInfo", []any{s.addr})
	if err := w.abis[tb].UnpackIntoInterface(&info, "getSenderInfo", r.data); err != nil {
		w.Fatal(err)
	}
	return info
}

func TestPayouts(t *testing.T) {
	t.Parallel()
	t.Run("from the deposit", func(t *testing.T) {
		t.Parallel()
		w, o, s := market(t)
		r := w.ok(owner, tb, "redeemWinningTicket", w.winning(s, o, tokens(2))...)
		w.want("paid", w.event(r, tb, "WinningTicketTransfer")["amount"].(*big.Int), tokens(2))
		w.wantTrue("nothing of the reserve", w.events(r, tb, "ReserveClaimed") == 0)
		w.want("deposit", w.deposit(s), zero)
		w.want("reserve", w.senderInfo(s).Reserve.FundsRemaining, tokens(1))
	})
	t.Run("partly from the reserve", func(t *testing.T) {
		t.Parallel()
		w, o, s := market(t)
		r := w.ok(owner, tb, "redeemWinningTicket", w.winning(s, o, milli(2500))...)
		w.want("paid", w.event(r, tb, "WinningTicketTransfer")["amount"].(*big.Int), milli(2500))
		w.want("claimed", w.event(r, tb, "ReserveClaimed")["amount"].(*big.Int), milli(500))
		w.want("claimed by the recipient", w.num(tb, "claimedReserve", s.addr, o), milli(500))
		w.want("claimable", w.num(tb, "claimableReserve", s.addr, o), milli(500))
		w.want("claimed in the round", w.senderInfo(s).Reserve.ClaimedInCurrentRound, milli(500))
		w.nextRound()
		w.want("claimed in a new round", w.num(tb, "claimedReserve", s.addr, o), zero)
		w.want("claimable in a new round", w.num(tb, "claimableReserve", s.addr, o), milli(500))
	})
	t.Run("less than the face value", func(t *testing.T) {
		t.Parallel()
		w, o, s := market(t)
		args := w.winning(s, o, tokens(9))
		r := w.ok(owner, tb, "redeemWinningTicket", args...)
		w.want("paid", w.event(r, tb, "WinningTicketTransfer")["amount"].(*big.Int), tokens(3))
		w.want("face value", w.event(r, tb, "WinningTicketRedeemed")["faceValue"].(*big.Int), tokens(9))
		w.reverts("ticket is used", owner, tb, "redeemWinningTicket", args...)
	})
	t.Run("nothing, and the ticket is used", func(t *testing.T) {
		t.Parallel()
		w, o, s := market(t)
		w.ok(owner, tb, "redeemWinningTicket", w.winning(s, o, milli(2500))...)
		stranger := account("stranger")
		args := w.winning(s, stranger, tokens(1))
		r := w.ok(owner, tb, "redeemWinningTicket", args...)
		w.wantTrue("only redeemed", len(r.logs) == 1 && w.events(r, tb, "WinningTicketRedeemed") == 1)
		hash := one[[32]byte](w, tb, "getTicketHash", args[0])
		w.wantTrue("used", w.flag(tb, "usedTickets", hash))
		w.want("nothing claimable", w.num(tb, "claimableReserve", s.addr, stranger), zero)
	})
	t.Run("an inactive recipient with a deposit reverts", func(t *testing.T) {
		t.Parallel()
		w, _, s := market(t)
		args := w.winning(s, account("stranger"), milli(1))
		w.reverts("transcoder must be active", owner, tb, "redeemWinningTicket", args...)
		hash := one[[32]byte](w, tb, "getTicketHash", args[0])
		w.wantFalse("used", w.flag(tb, "usedTickets", hash))
	})
	t.Run("a share of the reserve each, by the pool's size of the moment", func(t *testing.T) {
		t.Parallel()
		w := newFullPool(t)
		s := newSender(11)
		w.pay(s.addr, tokens(100), tb, "fundReserve")
		w.want("share", w.num(tb, "claimableReserve", s.addr, member(1)), tokens(1))
		r := w.ok(owner, tb, "redeemWinningTicket", w.winning(s, member(1), tokens(5))...)
		w.want("paid", w.event(r, tb, "WinningTicketTransfer")["amount"].(*big.Int), tokens(1))
		w.want("share of the others", w.num(tb, "claimableReserve", s.addr, member(2)), tokens(1))
		for i := range 50 {
			w.ok(member(50+i), bm, "unbond", tokens(1000+10*int64(50+i)))
		}
		w.want("share in a smaller pool", w.num(tb, "claimableReserve", s.addr, member(2)), tokens(2))
		w.want("and what is left of it", w.num(tb, "claimableReserve", s.addr, member(1)), tokens(1))
	})
	t.Run("a pool that grows after a claim leaves less than was claimed", func(t *testing.T) {
		t.Parallel()
		w, o, s := market(t)
		w.ok(owner, tb, "redeemWinningTicket", w.winning(s, o, tokens(3))...)
		w.orchestrator("p", 100)
		const underflow = "arithmetic underflow or overflow"
		if got := w.call(tb, "claimableReserve", s.addr, o).reason(); got != underflow {
			t.Errorf("got %q", got)
		}
		w.pay(s.addr, num(1), tb, "fundDeposit")
		w.reverts(underflow, owner, tb, "redeemWinningTicket", w.winning(s, o, tokens(1))...)
		w.nextRound()
		w.ok(owner, tb, "redeemWinningTicket", w.winning(s, o, tokens(1))...)
	})
}

func TestBatch(t *testing.T) {
	t.Parallel()
	w, o, s := market(t)
	first, second := w.ticketFor(s, o, milli(1)), w.ticketFor(s, o, milli(2))
	lost := w.ticketFor(s, o, milli(3))
	lost.WinProb = zero
	list := []ticket{first, lost, first, second}
	sigs := [][]byte{s.sign(first), s.sign(lost), s.sign(first), s.sign(second)}
	rands := []*big.Int{rand, rand, rand, rand}
	r := w.ok(account("anybody"), tb, "batchRedeemWinningTickets", list, sigs, rands)
	w.wantTrue("two of four", w.events(r, tb, "WinningTicketRedeemed") == 2)
	w.want("deposit", w.deposit(s), minus(tokens(2), milli(3)))
	for i, want := range []bool{true, false, true, true} {
		hash := one[[32]byte](w, tb, "getTicketHash", list[i])
		if w.flag(tb, "usedTickets", hash) != want {
			t.Errorf("ticket %d: used is not %v", i, want)
		}
	}
}
