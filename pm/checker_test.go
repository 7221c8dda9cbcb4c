package pm_test

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// refusals break one thing after another, from the last check to the first; each
// must be found before those above it.
var refusals = []struct {
	name  string
	spoil func(t *testing.T, d *paymentTerms, p *pm.Payment)
	code  fault.Code
	text  string
	// fatal errors stop: nothing wins any more.
	fatal bool
}{
	{"expired", func(_ *testing.T, d *paymentTerms, _ *pm.Payment) { d.checker.L1 = 140 },
		fault.TicketParamsStale, "TicketParams expired", false},
	{"nonce beyond all", func(t *testing.T, d *paymentTerms, p *pm.Payment) {
		p.Tickets = d.pay(t,
			pm.MaxNonce+1).Tickets
	},
		fault.TicketNonceTooMany, "invalid ticket senderNonce: too many values " +
			"sender=0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1 nonce=1048576", false},
	{"nonce again", func(t *testing.T, d *paymentTerms, p *pm.Payment) {
		p.Tickets = d.pay(t, 3).Tickets
		if err := d.nonces.Add(3); err != nil {
			t.Fatal(err)
		}
	}, fault.TicketNonceSeen, "invalid ticket senderNonce: already seen " +
		"sender=0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1 nonce=3", false},
	{"signed by another", func(t *testing.T, d *paymentTerms, p *pm.Payment) {
		batch, err := p.Params.Batch(d.sender, 1, 1, signer(key(t, 9)))
		if err != nil {
			t.Fatal(err)
		}
		p.Tickets = batch
	}, fault.TicketSignatureInvalid, "invalid ticket signature", false},
	{"another's number", func(_ *testing.T, d *paymentTerms, _ *pm.Payment) { d.rand[0] ^= 1 },
		fault.TicketParamsForeign, "invalid recipientRand for ticket recipientRandHash", true},
	{"no sender", func(_ *testing.T, _ *paymentTerms, p *pm.Payment) { p.Sender = core.Address{} },
		fault.TicketSenderMissing, "invalid ticket sender", true},
	{"another recipient", func(_ *testing.T, d *paymentTerms, _ *pm.Payment) { d.checker.Recipient[0] ^= 1 },
		fault.TicketForAnother, "invalid ticket recipient", true},
	{"unlocking", func(_ *testing.T, d *paymentTerms, _ *pm.Payment) { d.checker.Funds.WithdrawRound = 31 },
		fault.SenderUnlockingSoon,
		"deposit and reserve for sender 0x0000000000000000000000000000000000000000 is set to unlock soon", true},
}

// TestRefusalsInOrder spoils a payment more and more.
func TestRefusalsInOrder(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	p := d.pay(t, 1)
	before := d.nonces.Count()
	for i, c := range refusals {
		c.spoil(t, d, p)
		v := d.check(p)
		if len(v.Accepted) > 0 || c.fatal && len(v.Winners) > 0 {
			t.Errorf("%s: %+v", c.name, v)
		}
		if fault.CodeOf(v.Refused) != c.code || fault.Wire(v.Refused) != c.text {
			t.Errorf("%s: %v, %q, want %q", c.name, v.Refused, fault.Wire(v.Refused), c.text)
		}
		if c.code.Class() != fault.Payment {
			t.Errorf("%s: class %s", c.name, c.code.Class())
		}
		// One nonce is added by the table itself.
		if n := d.nonces.Count(); n > before+1 || i < 2 && n != before {
			t.Errorf("%s: %d nonces", c.name, n)
		}
	}
}

// TestRefusalsAlone: each check finds what it is for also where nothing else is
// wrong.
func TestRefusalsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range refusals {
		d := newDeal(t)
		p := d.pay(t, 1)
		c.spoil(t, d, p)
		if v := d.check(p); fault.CodeOf(v.Refused) != c.code || len(v.Accepted) != 0 {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

func TestUnlockingEdges(t *testing.T) {
	t.Parallel()
	for round, refused := range map[protocol.Round]bool{0: false, 1: true, 30: true, 31: true, 32: false,
		protocol.Never: false} {
		d := newDeal(t)
		d.checker.Funds.WithdrawRound = round
		if v := d.check(d.pay(t, 1)); errors.Is(v.Refused, fault.SenderUnlockingSoon) != refused {
			t.Errorf("withdraw round %d: %v", round, v.Refused)
		}
	}
}

// TestAcceptedOnce: a payment counts once, and its winners are told again.
func TestAcceptedOnce(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	p := d.pay(t, 1, 2, 3, 4, 5, 6, 7, 8, 0, pm.MaxNonce)
	first := d.check(p)
	if first.Refused != nil || !slices.Equal(first.Accepted, []uint32{1, 2, 3, 4, 5, 6, 7, 8, 0, pm.MaxNonce}) {
		t.Fatalf("%+v", first)
	}
	for i, ticket := range p.Tickets {
		if pm.Wins(ticket.Sig, d.rand, d.params.WinProb) != slices.Contains(first.Winners, i) {
			t.Errorf("ticket %d: winners %v", i, first.Winners)
		}
	}
	if len(first.Winners) == 0 || len(first.Winners) == len(p.Tickets) {
		t.Fatalf("winners %v prove nothing", first.Winners)
	}
	again := d.check(p)
	if len(again.Accepted) != 0 || !slices.Equal(again.Winners, first.Winners) ||
		!errors.Is(again.Refused, fault.TicketNonceSeen) {
		t.Errorf("again: %+v", again)
	}
}

// TestAfterTheFirstError: tickets before it keep their credit, those after it are
// only looked at for winners, and the last error is told.
func TestAfterTheFirstError(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	p := d.pay(t, 1, 2, 3, 2, 4, 5)
	p.Tickets[2].Sig = append([]byte{1}, p.Tickets[2].Sig[1:]...)
	v := d.check(p)
	if !slices.Equal(v.Accepted, []uint32{1, 2}) || !errors.Is(v.Refused, fault.TicketNonceSeen) {
		t.Fatalf("%+v", v)
	}
	for _, i := range []int{0, 1, 3, 4, 5} {
		if pm.Wins(p.Tickets[i].Sig, d.rand, d.params.WinProb) != slices.Contains(v.Winners, i) {
			t.Errorf("ticket %d: winners %v", i, v.Winners)
		}
	}
	if slices.Contains(v.Winners, 2) {
		t.Error("a ticket nobody signed wins")
	}
	if got := d.nonces.All(); !slices.Equal(got, []uint32{1, 2}) {
		t.Errorf("nonces %v", got)
	}
	if rest := d.check(d.pay(t, 3, 4, 5)); rest.Refused != nil || len(rest.Accepted) != 3 {
		t.Errorf("the others later: %+v", rest)
	}
}

// TestExpiredStillWins: also under the secret of an epoch before, without nonces.
func TestExpiredStillWins(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	p := d.pay(t, 1, 2, 3, 4, 5, 6, 7, 8)
	want := d.check(p).Winners
	d.checker.L1 = 141
	d.nonces = pm.Nonces{}
	for name, v := range map[string]pm.Verdict{
		"expired": d.check(p),
		"retired": d.checker.Tickets(p, d.rand, true, nil),
	} {
		if len(v.Accepted) != 0 || !slices.Equal(v.Winners, want) || !errors.Is(v.Refused, fault.TicketParamsStale) {
			t.Errorf("%s: %+v", name, v)
		}
	}
	d.checker.L1 = 139
	if v := d.check(p); v.Refused != nil {
		t.Errorf("one block before: %v", v.Refused)
	}
	if v := d.checker.Tickets(p, d.rand, true, new(pm.Nonces)); !errors.Is(v.Refused, fault.TicketParamsStale) ||
		len(v.Accepted) != 0 {
		t.Errorf("retired in time: %+v", v)
	}
}

// TestExpirationOfThePayment: gateways send it next to the parameters, and only there
// it counts.
func TestExpirationOfThePayment(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	p := d.pay(t, 1)
	p.Params.Expiration = pm.Expiration{}
	if v := d.check(p); v.Refused != nil || len(v.Accepted) != 1 {
		t.Errorf("next to the parameters: %+v", v)
	}
	p = d.pay(t, 2)
	p.Expiration = pm.Expiration{}
	if v := d.check(p); !errors.Is(v.Refused, fault.TicketParamsForeign) {
		t.Errorf("only in them: %+v", v)
	}
}

// TestWorthlessLeavesNoTrace, whatever else is wrong with it.
func TestWorthlessLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*pm.Params){
		"face value":  func(p *pm.Params) { p.FaceValue = core.Wei{} },
		"probability": func(p *pm.Params) { p.WinProb = protocol.Word{} },
	} {
		d := newDeal(t)
		p := d.pay(t, 1, 2)
		spoil(p.Params)
		p.Sender = core.Address{}
		if v := d.check(p); v.Refused != nil || v.Accepted != nil || v.Winners != nil || d.nonces.Count() != 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	d := newDeal(t)
	for name, p := range map[string]*pm.Payment{"nothing": {}, "no tickets": d.pay(t)} {
		if v := d.check(p); v.Refused != nil || v.Accepted != nil || v.Winners != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestSignatureForms: one signature per ticket and nonce of the curve, no other way
// to write it.
func TestSignatureForms(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	good := d.pay(t, 1).Tickets[0].Sig
	flipped := slices.Clone(good)
	other := new(big.Int).Sub(crypto.S256().Params().N, word(good[32:64]).Big())
	other.FillBytes(flipped[32:64])
	flipped[64] = 27 + 28 - flipped[64]
	with := func(at int, b byte) []byte {
		sig := slices.Clone(good)
		sig[at] = b
		return sig
	}
	for name, sig := range map[string][]byte{
		"none":     nil,
		"short":    good[:64],
		"long":     append(slices.Clone(good), 0),
		"high s":   flipped,
		"v 0":      with(64, good[64]-27),
		"v 29":     with(64, 29),
		"other v":  with(64, 27+28-good[64]),
		"zero":     make([]byte, 65),
		"no point": append(slices.Repeat([]byte{0xff}, 32), good[32:]...),
	} {
		p := d.pay(t)
		p.Tickets = []pm.Signed{{Nonce: 1, Sig: sig}}
		if v := d.check(p); !errors.Is(v.Refused, fault.TicketSignatureInvalid) || v.Winners != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := d.check(&pm.Payment{Params: &d.params, Sender: d.sender, Expiration: d.params.Expiration, Expected: &d.price,
		Tickets: []pm.Signed{{Nonce: 1, Sig: good}}}); v.Refused != nil {
		t.Errorf("as it was: %v", v.Refused)
	}
}

// TestCheckPayment are the checks before the tickets.
func TestCheckPayment(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	quote := &pm.Quote{Sender: d.sender, Price: pm.Price{PerUnit: 2424, PixelsPerUnit: 2}}
	if err := d.pay(t, 1).Check(quote); err != nil {
		t.Errorf("the same price in other words: %v", err)
	}
	if err := (&pm.Payment{Expected: &d.price}).Check(quote); err != nil {
		t.Errorf("without tickets: %v", err)
	}
	for name, c := range map[string]struct {
		spoil func(*pm.Payment)
		code  fault.Code
		text  string
	}{
		"no price": {func(p *pm.Payment) { p.Expected = nil }, fault.ExpectedPriceWrong,
			"invalid expected price sent with payment err="},
		"another price": {func(p *pm.Payment) { p.Expected = &pm.Price{PerUnit: 1211, PixelsPerUnit: 1} },
			fault.ExpectedPriceWrong, "invalid expected price sent with payment err="},
		"without tickets": {func(p *pm.Payment) { *p = pm.Payment{Expected: &pm.Price{}} }, fault.ExpectedPriceWrong,
			"invalid expected price sent with payment err="},
		"no sender": {func(p *pm.Payment) { p.Sender = core.Address{} }, fault.PaymentSenderMissing,
			"Could not find Sender for payment: "},
		"no expiration": {func(p *pm.Payment) { p.HasExpiration = false }, fault.PaymentExpirationMissing,
			"missing expiration params"},
	} {
		p := d.pay(t, 1)
		c.spoil(p)
		if err := p.Check(quote); fault.CodeOf(err) != c.code || !strings.HasPrefix(fault.Wire(err), c.text) {
			t.Errorf("%s: %q", name, fault.Wire(err))
		}
	}
	const want = "orchestrator 0x5050A4F4b3f9338C3472dcC01A87C76A144b3c9c is inactive in round 7, " +
		"cannot process payments"
	if got := fault.Wire(pm.NotActive(d.recipient, 7)); got != want {
		t.Error(got)
	}
	err := pm.UnknownFunds(d.sender, errors.New("https://user:password@provider"))
	if got := fault.Wire(err); !strings.HasPrefix(got,
		"could not get sender info for 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1: ") || strings.Contains(got, "password") {
		t.Error(got)
	}
}
