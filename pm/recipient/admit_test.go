package recipient_test

import (
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// TestRefusals changes one thing of a payment that is good.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const wrongPrice = `invalid expected price sent with payment err="`
	other := newGateway(9)
	tests := map[string]struct {
		change func(*node, *session, *pm.Job)
		code   fault.Code
		wire   string
		// credited is how many of the 3 tickets count all the same.
		credited int64
	}{
		"no chain": {change: func(n *node, _ *session, _ *pm.Job) { n.chain.view.Known = false }, code: fault.ChainNotReady},
		"inactive": {change: func(n *node, _ *session, _ *pm.Job) { n.chain.view.Self.Active = false },
			code: fault.NotActiveForPayment,
			wire: "orchestrator " + orchestrator.String() + " is inactive in round 3500, cannot process payments"},
		"no expected price": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Expected = nil },
			code: fault.ExpectedPriceWrong, wire: wrongPrice + `expected price is missing or not a price"`},
		"another price": {change: func(_ *node, _ *session, j *pm.Job) {
			j.Payment.Expected = &pm.Price{PerUnit: 1199,
				PixelsPerUnit: 1}
		}, code: fault.ExpectedPriceWrong,
			wire: wrongPrice + `expected price 1199 is not the quoted 1200"`},
		"free, says the payment": {change: func(_ *node, _ *session,
			j *pm.Job) {
			j.Payment.Expected = &pm.Price{PixelsPerUnit: 1}
		}, code: fault.ExpectedPriceWrong},
		"no tickets, another price": {change: func(_ *node, s *session, j *pm.Job) {
			j.Payment = s.g.payment(nil, pm.Price{PixelsPerUnit: 1})
		}, code: fault.ExpectedPriceWrong},
		"a model that was not quoted": {change: func(_ *node, _ *session, j *pm.Job) { j.Model = &llama },
			code: fault.ExpectedPriceWrong, wire: wrongPrice + `the price was quoted for other work"`},
		"no sender": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Sender = core.Address{} },
			code: fault.PaymentSenderMissing},
		"no sender, no tickets": {change: func(_ *node, s *session, j *pm.Job) {
			j.Payment = s.g.payment(nil, s.quote.Price)
			j.Payment.Sender = core.Address{}
		}, code: fault.PaymentSenderMissing, wire: "Could not find Sender for payment: no sender in it"},
		"another sender": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Sender = other.addr },
			code: fault.PaymentSenderOther},
		"another's account": {change: func(_ *node, _ *session, j *pm.Job) { j.Account.Sender = other.addr },
			code: fault.PaymentSenderOther},
		"another's quote": {change: func(_ *node, _ *session, j *pm.Job) { j.Quote.Sender = other.addr },
			code: fault.PaymentSenderOther},
		"no expiration": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.HasExpiration = false },
			code: fault.PaymentExpirationMissing, wire: "missing expiration params"},
		"no parameters": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Params = nil },
			code: fault.TicketParamsMissing, wire: "missing ticket params"},
		"funds unknown": {change: func(n *node, _ *session, _ *pm.Job) { n.chain.err = errDown },
			code: fault.SenderFundsUnknown},
		"unlocking": {change: func(n *node, s *session, _ *pm.Job) { unlocks(3501)(n, s.g) },
			code: fault.SenderUnlockingSoon},
		"another recipient": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Params.Recipient[0]++ },
			code: fault.TicketForAnother, wire: "invalid ticket recipient"},
		"a larger face value": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Params.FaceValue = ether(1) },
			code: fault.TicketParamsForeign},
		"a smaller probability": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Params.WinProb[31]++ },
			code: fault.TicketParamsForeign},
		"a later expiration": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Params.ExpirationBlock++ },
			code: fault.TicketParamsForeign},
		"another round": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Expiration.Round++ },
			code: fault.TicketParamsForeign},
		"another seed": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Params.Seed[31]++ },
			code: fault.TicketParamsForeign},
		"another hash": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Params.RecipientRandHash[0]++ },
			code: fault.TicketParamsForeign, wire: "invalid recipientRand for ticket recipientRandHash"},
		"a bad signature first": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Tickets[0].Sig[5]++ },
			code: fault.TicketSignatureInvalid, wire: "invalid ticket signature"},
		"a bad signature last": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Tickets[2].Sig = nil },
			code: fault.TicketSignatureInvalid, credited: 2},
		"a ticket of another's": {change: func(_ *node, s *session,
			j *pm.Job) {
			j.Payment.Tickets[1] = other.sign(s.terms, 2)
		}, code: fault.TicketSignatureInvalid, credited: 1},
		"a nonce twice": {change: func(_ *node, _ *session,
			j *pm.Job) {
			j.Payment.Tickets[2] = j.Payment.Tickets[0]
		}, code: fault.TicketNonceSeen, credited: 2},
		"a nonce too large": {change: func(_ *node, s *session,
			j *pm.Job) {
			j.Payment.Tickets[1] = s.g.sign(s.terms, pm.MaxNonce+1)
		}, code: fault.TicketNonceTooMany, credited: 1},
		"expired": {change: func(n *node, _ *session, _ *pm.Job) { n.chain.view.Head.L1 += 40 },
			code: fault.TicketParamsStale, wire: "TicketParams expired"},
		"expired, then a reorg": {change: func(n *node, _ *session, _ *pm.Job) { reorg(n) }, code: fault.TicketParamsStale},
		"the disk is full": {change: func(n *node, _ *session,
			_ *pm.Job) {
			n.books.fail = fault.New(fault.LedgerFull, "", "")
		}, code: fault.LedgerFull},
		"the ledger stopped": {change: func(n *node, _ *session,
			_ *pm.Job) {
			n.books.fail = fault.New(fault.LedgerFailed, "", "")
		}, code: fault.LedgerFailed,
			wire: "Internal Server Error"},
		"the books know better": {change: func(n *node, _ *session,
			_ *pm.Job) {
			n.books.fail = fault.New(fault.LedgerRefused, "", "")
		}, code: fault.LedgerRefused},
		"the name of the account": {change: func(_ *node, _ *session,
			j *pm.Job) {
			j.Account.Key = core.ManifestID(make([]byte, 10_000))
		}, code: fault.PaymentRefused,
			wire: "the name of the account is too long"},
		"too little": {change: func(_ *node, _ *session, j *pm.Job) { j.Payment.Tickets = nil },
			code: fault.InsufficientBalance, wire: "Insufficient balance"},
		"nothing but the price": {change: func(_ *node, s *session,
			j *pm.Job) {
			j.Payment = s.g.payment(nil, s.quote.Price)
		}, code: fault.InsufficientBalance,
			wire: "Insufficient balance"},
		"the name, with no tickets": {change: func(_ *node, _ *session, j *pm.Job) {
			j.Payment.Tickets, j.Account.Key = nil, core.ManifestID(make([]byte, 10_000))
		}, code: fault.InsufficientBalance},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			s := n.session(n.gateway(1), "s")
			job := s.job(3, 1)
			tt.change(n, s, job)
			n.refuse(job, tt.code, tt.wire)
			got, open := n.balance(s)
			if got.Cmp(s.ev(tt.credited)) != 0 || open != (tt.credited > 0) {
				t.Errorf("balance %v (open: %v), want %d tickets", got, open, tt.credited)
			}
			if snap := n.Snapshot(t.Context()); tt.credited == 0 && tt.code != fault.LedgerFailed && snap.Sets != 0 {
				t.Errorf("%d sets are remembered of a payment that was worth nothing", snap.Sets)
			}
		})
	}
}

// reorg has the chain go ahead until parameters expire, and back.
func reorg(n *node) {
	n.chain.view.Head.L1 += 40
	n.Sweep()
	n.chain.view.Head.L1 -= 40
}

func TestAdmitAndBill(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	h := n.admit(s.job(2, 1_000_000))
	if got, _ := n.balance(s); got.Cmp(s.ev(2)) != 0 {
		t.Errorf("balance %v before the work", got)
	}
	if err := h.Begin(); err != nil {
		t.Error(err)
	}
	h.Done(pm.Work{Units: 1_000_000, Produced: -1, Worker: "gpu 0"})
	h.Done(pm.Work{Units: 5})
	h.Release()
	want := s.ev(2).Sub(pm.WeiValue(core.NewWei(1_200_000_000)))
	if got, _ := n.balance(s); got.Cmp(want) != 0 {
		t.Errorf("balance %v after the work, want %v", got, want)
	}
	debits := n.books.debits()
	if len(debits) != 1 || debits[0].Units != 1_000_000 || debits[0].Worker != "gpu 0" ||
		debits[0].Pipeline != "transcoding" || debits[0].Round != 3500 || debits[0].Session != "s" {
		t.Errorf("bills %+v", debits)
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	job := s.job(2, 1)
	n.admit(job).Release()
	n.refuse(job, fault.TicketNonceSeen, "invalid ticket senderNonce: already seen sender="+s.g.addr.String()+" nonce=2")
	// Nor into another account of the same gateway.
	again := *job
	again.Account.Key = "another"
	n.refuse(&again, fault.TicketNonceSeen, "")
	if got, _ := n.balance(s); got.Cmp(s.ev(2)) != 0 {
		t.Errorf("balance %v", got)
	}
	if len(n.Snapshot(t.Context()).Accounts) != 1 {
		t.Error("a replay opened an account")
	}
}

// Two orchestrators of one recipient have secrets of their own.
func TestTicketsOfAnotherNode(t *testing.T) {
	t.Parallel()
	a := newNode(t)
	b := newNode(t, func(o *recipient.Options) { o.Opening.Current.Secret = pm.Secret{2} })
	g := a.gateway(1)
	b.gateway(1)
	s := a.session(g, "s")
	job := s.job(3, 1)
	b.refuse(job, fault.TicketParamsForeign, "")
	a.admit(job).Release()
}

func TestFreeWork(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.price.transcoding = new(big.Rat)
	s := n.session(newGateway(1), "s") // it has no funds
	job := s.job(1, 1)
	n.chain.view.Self.Active = false
	for name, p := range map[string]pm.Payment{
		"with a worthless ticket": job.Payment,
		"without":                 s.g.payment(nil, s.quote.Price),
		"with nonsense": {Sender: s.g.addr, Expected: &pm.Price{PixelsPerUnit: 3},
			Params: &pm.Params{FaceValue: ether(5)}, Tickets: []pm.Signed{{}}},
	} {
		h := n.admit(s.with(p, 1))
		if err := h.Begin(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		h.Done(pm.Work{Units: 100, Produced: -1})
		h.Produced(90)
		h.Produced(91)
	}
	n.refuse(s.with(s.g.payment(nil, pm.Price{PerUnit: 1, PixelsPerUnit: 1}), 1), fault.ExpectedPriceWrong, "")
	if _, open := n.balance(s); open {
		t.Error("free work opened an account")
	}
	debits := n.books.debits()
	if len(debits) != 6 || debits[0].Units != 100 || debits[0].Produced != -1 || debits[1].Units != 0 ||
		debits[1].Produced != 90 {
		t.Errorf("bills %+v", debits)
	}
}

// What is quoted is what is billed, whatever the price is meanwhile.
func TestPriceChangesInMidSession(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	n.price.transcoding = big.NewRat(5, 1)
	cheap := n.session(s.g, "s")
	h := n.admit(s.job(1, 1))
	h.Done(pm.Work{Units: 10})
	if got, _ := n.balance(s); got.Cmp(s.ev(1).Sub(pm.WeiValue(core.NewWei(12_000)))) != 0 {
		t.Errorf("balance %v", got)
	}
	// The new price holds with the new session only, and for its parameters only.
	n.refuse(s.with(s.g.payment(s.terms, cheap.quote.Price, 7), 1), fault.ExpectedPriceWrong, "")
	n.refuse(cheap.with(s.g.payment(s.terms, cheap.quote.Price, 7), 1), fault.TicketParamsForeign, "")
	n.admit(cheap.job(1, 1)).Release()
}

func TestParametersStayGoodUntilTheyExpire(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	first := *s
	s.refresh()
	n.admit(s.job(1, 1)).Release()
	n.chain.change(func(v *protocol.View) {
		v.Head.L1 += 39
		v.Round.Number++
		v.Round.LastInitialized++
		v.Round.LastHash = protocol.Hash{0xdd}
	})
	n.Sweep()
	n.admit(first.job(1, 1)).Release()
	n.chain.change(func(v *protocol.View) { v.Head.L1++ })
	n.refuse(first.job(1, 1), fault.TicketParamsStale, "TicketParams expired")
	n.Sweep()
	if got := n.Snapshot(t.Context()).Sets; got != 0 || n.books.expired != 21_000_040 {
		t.Errorf("%d sets are kept, the books were notified of %d", got, n.books.expired)
	}
}
