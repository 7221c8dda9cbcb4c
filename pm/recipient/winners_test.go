package recipient_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// winning finds a nonce from a number on that wins, or loses. It knows the node's
// secret.
func (s *session) winning(from uint32, wins bool) uint32 {
	rand := pm.RecipientRand(s.n.opt.Opening.Current.Secret, s.terms, s.g.addr, s.quote.Price)
	for n := from; ; n++ {
		t := s.g.sign(s.terms, n)
		if pm.Wins(t.Sig, rand, s.terms.WinProb) == wins {
			return n
		}
	}
}

func TestWinners(t *testing.T) {
	t.Parallel()
	n := newNode(t, often)
	s := n.session(n.gateway(1), "s")
	win, lose := s.winning(1, true), s.winning(1, false)
	n.admit(s.with(s.g.payment(s.terms, s.quote.Price, lose, win), 1)).Release()
	if len(n.won) != 1 || len(n.books.winners) != 1 {
		t.Fatalf("reported %d winners, %d are in the books", len(n.won), len(n.books.winners))
	}
	w := n.won[0]
	rand := w.Ticket.RecipientRand
	if w.Hash != s.terms.TicketHash(s.g.addr, win) || !w.Credited || w.State != pm.TicketWon ||
		w.ExpirationBlock != s.terms.ExpirationBlock ||
		pm.RandHash(rand) != s.terms.RecipientRandHash || !pm.Wins(w.Ticket.Signature[:], rand, w.Ticket.WinProb) ||
		w.Ticket.Sender != s.g.addr || w.Ticket.Recipient != orchestrator || w.Ticket.CreationRound != 3500 ||
		w.Account.Key != "s" {
		t.Errorf("winner %+v", w)
	}
}

// A ticket that wins is ours, also where its payment is refused.
func TestWinnersOfRefusedTickets(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*node, *session, *pm.Payment)
		code   fault.Code
		won    int
	}{
		"after a bad signature": {func(_ *node, _ *session, p *pm.Payment) { p.Tickets[0].Sig[3]++ },
			fault.TicketSignatureInvalid, 1},
		"expired": {func(n *node, _ *session, _ *pm.Payment) { n.chain.view.Head.L1 += 40 },
			fault.TicketParamsStale, 1},
		"of a retired epoch": {func(n *node, _ *session, _ *pm.Payment) { n.crash() }, fault.TicketParamsStale, 1},
		"of an epoch before": {func(n *node, _ *session, _ *pm.Payment) { n.crash(); n.crash() }, fault.TicketParamsStale,
			1},
		"no room for accounts": {func(n *node, _ *session,
			_ *pm.Payment) {
			n.opt.Limits.Accounts = 1
			n.open()
			n.other()
		}, fault.AccountsFull, 1},
		"no room for sets": {func(n *node, _ *session, _ *pm.Payment) { n.opt.Limits.Sets = 1; n.open(); n.other() },
			fault.TicketSetsFull, 1},
		"a fatal error": {func(_ *node, _ *session, p *pm.Payment) { p.Params.Recipient[0]++ },
			fault.TicketForAnother, 0},
		"the disk is full": {func(n *node, _ *session, _ *pm.Payment) {
			n.books.fail = fault.New(fault.LedgerFull, "",
				"")
		}, fault.LedgerFull, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t, often)
			s := n.session(n.gateway(1), "s")
			lose, win := s.winning(1, false), s.winning(1, true)
			p := s.g.payment(s.terms, s.quote.Price, lose, win)
			tt.change(n, s, &p)
			before := len(n.won)
			n.refuse(s.with(p, 1), tt.code, "")
			n.refuse(s.with(p, 1), tt.code, "") // told once
			won := n.won[before:]
			if len(won) != tt.won {
				t.Fatalf("reported %d winners, want %d", len(won), tt.won)
			}
			for _, w := range won {
				if w.Credited || !pm.Wins(w.Ticket.Signature[:], w.Ticket.RecipientRand, w.Ticket.WinProb) ||
					pm.RandHash(w.Ticket.RecipientRand) != w.Ticket.RecipientRandHash {
					t.Errorf("winner %+v", w)
				}
			}
			if got, open := n.balance(s); open {
				t.Errorf("balance %v of tickets that were refused", got)
			}
		})
	}
}

// other fills the room for one.
func (n *node) other() {
	o := n.session(n.gateway(2), "other")
	n.admit(o.job(1, 1)).Release()
}

// reopen makes the recipient again from what the books have, as at a start.
func (n *node) reopen(change func(*pm.Opening)) {
	o := &n.opt.Opening
	o.Retired = append([]pm.Epoch{o.Current}, o.Retired...)
	o.Current.ID++
	o.Current.Secret[0]++
	o.Balances = nil
	n.books.mu.Lock()
	for account, v := range n.books.balances {
		o.Balances = append(o.Balances, pm.Balance{Account: account, Value: v, Used: n.clock.Now()})
	}
	n.books.mu.Unlock()
	change(o)
	n.open()
}

// crash is a start after a crash.
func (n *node) crash() { n.reopen(func(o *pm.Opening) { o.Clean = false }) }

// The books may find that tickets expired while they were looked at. The winners
// among them are kept.
func TestWinnersThatTheBooksRefuse(t *testing.T) {
	t.Parallel()
	n := newNode(t, often)
	s := n.session(n.gateway(1), "s")
	picky := &pickyBooks{books: n.books}
	n.opt.Ledger = picky
	n.open()
	p := s.g.payment(s.terms, s.quote.Price, s.winning(1, true))
	n.refuse(s.with(p, 1), fault.LedgerRefused, "")
	if len(n.won) != 1 || n.won[0].Credited {
		t.Errorf("reported %+v", n.won)
	}
	picky.before = func() { n.chain.change(func(v *protocol.View) { v.Head.L1 += 40 }); n.Sweep() }
	p = s.g.payment(s.terms, s.quote.Price, s.winning(n.next(s), true))
	n.refuse(s.with(p, 1), fault.TicketParamsStale, "TicketParams expired")
	if len(n.won) != 2 || n.Snapshot(t.Context()).Sets != 0 {
		t.Errorf("reported %d", len(n.won))
	}
}

// next is a nonce after the last winner's.
func (n *node) next(*session) uint32 { return uint32(n.won[len(n.won)-1].Ticket.SenderNonce) + 1 }

func TestRestart(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	first := s.job(3, 1)
	h := n.admit(first)
	h.Done(pm.Work{Units: 1000})
	want, _ := n.balance(s)
	n.reopen(func(*pm.Opening) {})
	if got, _ := n.balance(s); got.Cmp(want) != 0 {
		t.Errorf("balance %v after a clean stop, want %v", got, want)
	}
	n.refuse(first, fault.TicketParamsStale, "TicketParams expired")
	n.crash()
	n.refuse(first, fault.TicketParamsStale, "TicketParams expired")
	n.refuse(s.job(1, 1), fault.TicketParamsStale, "TicketParams expired")
	s.refresh()
	n.admit(s.job(1, 1)).Release()
	if got, _ := n.balance(s); got.Cmp(want.Add(s.ev(1))) != 0 {
		t.Errorf("balance %v", got)
	}
}

func TestRemoteRedeemer(t *testing.T) {
	t.Parallel()
	n := newNode(t, often, func(o *recipient.Options) { o.Pending = nil })
	n.opt.MaxFloat = maxFloat(gwei(8_000_000))
	n.open()
	s := n.session(n.gateway(1), "s")
	if s.terms.FaceValue.Cmp(gwei(8_000_000)) != 0 {
		t.Errorf("face value %v", s.terms.FaceValue)
	}
	n.admit(s.with(s.g.payment(s.terms, s.quote.Price, s.winning(1, true)), 1)).Release()
	if len(n.won) != 1 {
		t.Error("the redeemer was not told")
	}
}
