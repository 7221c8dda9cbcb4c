package recipient_test

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// hostile reads a payment out of bytes: each byte turns one thing into something
// that a peer might try.
type hostile struct{ rest []byte }

func (h *hostile) byte() byte {
	if len(h.rest) == 0 {
		return 0
	}
	b := h.rest[0]
	h.rest = h.rest[1:]
	return b
}

// attacked is what the attack is on: sessions of two gateways at two prices, and
// parameters of another orchestrator of the same recipient.
type attacked struct {
	*node
	sessions []*session
	foreign  *session
	signed   map[*session][]pm.Signed
}

func newAttacked(t testing.TB) *attacked {
	n := newNode(t, often)
	a := &attacked{node: n, signed: make(map[*session][]pm.Signed)}
	for i, key := range []core.ManifestID{"a", "b", "a"} {
		n.price.transcoding = big.NewRat(int64(1200+i/2), 1)
		a.sessions = append(a.sessions, n.session(n.gateway(byte(1+i%2)), key))
	}
	other := newNode(t, often)
	other.opt.Opening.Current.Secret[0] = 99
	other.open()
	a.foreign = other.session(other.gateway(1), "a")
	for _, s := range append(slices.Clone(a.sessions), a.foreign) {
		a.signed[s] = s.g.payment(s.terms, s.quote.Price, 0, 1, 2, 3, 1023, 1024, pm.MaxNonce, pm.MaxNonce+1).Tickets
	}
	return a
}

func (a *attacked) pick(b byte) *session {
	if int(b) < len(a.sessions) {
		return a.sessions[b]
	}
	if b == 255 {
		return a.foreign
	}
	return a.sessions[0]
}

// job is the request that the bytes ask for.
func (a *attacked) job(h *hostile) *pm.Job {
	s := a.pick(h.byte())
	job := s.with(s.g.payment(s.terms, s.quote.Price), int64(int8(h.byte()))<<(h.byte()%60))
	p := &job.Payment
	from := a.pick(h.byte())
	for range h.byte() % 8 {
		t := a.signed[from][h.byte()%8]
		t.Sig = slices.Clone(t.Sig)
		switch h.byte() % 12 {
		case 1:
			t.Sig[h.byte()%65]++
		case 2:
			t.Sig = t.Sig[:h.byte()%65]
		case 3:
			t.Nonce += uint32(h.byte()) << (h.byte() % 32)
		case 4:
			t.Sig[64] -= 27
		}
		p.Tickets = append(p.Tickets, t)
	}
	for range h.byte() % 4 {
		a.twist(h, job)
	}
	return job
}

// twist changes one thing of a request.
func (a *attacked) twist(h *hostile, job *pm.Job) {
	p := &job.Payment
	other := a.pick(h.byte())
	if p.Params == nil {
		p.Params = new(pm.Params)
	}
	switch h.byte() % 20 {
	case 0:
		p.Params = nil
	case 1:
		p.Params.FaceValue = wei(new(big.Int).Lsh(big.NewInt(int64(h.byte())), uint(h.byte())%248))
	case 2:
		p.Params.WinProb[h.byte()%32] = h.byte()
	case 3:
		p.Params.Seed[h.byte()%32] = h.byte()
	case 4:
		p.Params.ExpirationBlock += protocol.L1Block(int8(h.byte()))
	case 5:
		p.Params.RecipientRandHash[h.byte()%32] = h.byte()
	case 6:
		p.Params.Recipient[h.byte()%20] = h.byte()
	case 7:
		p.Sender = core.Address{}
	case 8:
		p.Sender = other.g.addr
	case 9:
		p.Expected = nil
	case 10:
		p.Expected = &pm.Price{PerUnit: int64(h.byte()), PixelsPerUnit: int64(h.byte())}
	case 11:
		p.Expected = &pm.Price{PerUnit: job.Quote.Price.PerUnit * 3, PixelsPerUnit: 3}
	case 12:
		p.HasExpiration = false
	case 13:
		p.Expiration.Round += protocol.Round(h.byte())
	case 14:
		p.Expiration.BlockHash[h.byte()%32] = h.byte()
	case 15:
		job.Quote = other.quote
	case 16:
		job.Account = pm.Account{Sender: other.g.addr, Key: other.key}
	case 17:
		params := *other.terms
		p.Params, p.Expiration = &params, other.terms.Expiration
	case 18:
		job.Model = &llama
	case 19:
		a.chain.change(func(v *protocol.View) { v.Head.L1 += protocol.L1Block(h.byte() % 16) })
	}
}

// genuine says whether a credit is of parameters that were given to its sender.
func (a *attacked) genuine(c *pm.Credit) bool {
	return slices.ContainsFunc(a.sessions, func(s *session) bool {
		return s.terms.RecipientRandHash == c.RandHash && s.terms.FaceValue.Cmp(c.FaceValue) == 0 &&
			s.terms.WinProb == c.WinProb &&
			s.terms.ExpirationBlock == c.ExpirationBlock && s.g.addr == c.Account.Sender
	})
}

func FuzzAdmit(f *testing.F) {
	for _, seed := range []string{"", "\x00\x01\x01\x00\x02\x01\x00\x02\x00\x00",
		"\x00\x01\x01\x00\x01\x01\x00\x00\x00\x01\x01\x00\x01\x01\x00\x00",
		"\x01\x7f\x3b\x01\x07\x01\x00\x02\x01\x05\x03\x03\x04\x04\x00\x05\x00\x06\x00\x07\x00\x03\x00\x11\x02\x0f\x01\x10",
		"\x00\x01\x00\xff\x03\x01\x00\x02\x00\x03\x00\x01\xff\x11"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		a := newAttacked(t)
		h := &hostile{rest: input[:min(len(input), 512)]}
		var holds []pm.Hold
		for len(h.rest) > 0 && len(holds) < 32 {
			job := a.job(h)
			if hold, err := a.Admit(context.Background(), job); err == nil {
				if !job.Payment.Expected.Equal(job.Quote.Price) {
					t.Fatalf("admitted at another price: %+v", job)
				}
				holds = append(holds, hold)
			}
			if h.byte()%3 == 1 && len(holds) > 0 {
				holds[len(holds)-1].Done(pm.Work{Units: int64(int8(h.byte())) << (h.byte() % 40)})
			}
		}
		for _, hold := range holds {
			hold.Release()
		}
		a.sound(t)
	})
}

// sound says that nothing was credited that should not be, and that the balances are
// those of the books.
func (a *attacked) sound(t *testing.T) {
	t.Helper()
	type ticket struct {
		set   protocol.Hash
		nonce uint32
	}
	seen := make(map[ticket]bool)
	for i := range a.books.entries {
		for k := range a.books.entries[i].Credits {
			c := &a.books.entries[i].Credits[k]
			if !a.genuine(c) {
				t.Errorf("credited what was never offered: %+v", c)
			}
			for _, n := range c.Nonces {
				if seen[ticket{c.RandHash, n}] || n > pm.MaxNonce {
					t.Errorf("nonce %d was credited twice, or should not be", n)
				}
				seen[ticket{c.RandHash, n}] = true
			}
		}
	}
	for _, w := range a.books.winners {
		if !pm.Wins(w.Ticket.Signature[:], w.Ticket.RecipientRand, w.Ticket.WinProb) ||
			pm.RandHash(w.Ticket.RecipientRand) != w.Ticket.RecipientRandHash {
			t.Errorf("a winner that does not win: %+v", w)
		}
	}
	snap := a.Snapshot(context.Background())
	if len(snap.Accounts) != len(a.books.balances) || snap.Sets > len(a.sessions) {
		t.Errorf("%d accounts and %d sets, the books have %d accounts", len(snap.Accounts), snap.Sets, len(a.books.balances))
	}
	for _, acc := range snap.Accounts {
		if a.books.balances[acc.Account].Cmp(acc.Balance) != 0 || acc.InProgress.Sign() != 0 || acc.Jobs != 0 {
			t.Errorf("%+v, the books say %v", acc, a.books.balances[acc.Account])
		}
	}
}
