package pm_test

import (
	"encoding/binary"
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// shifts move bytes from one parameter to the next.
var shifts = map[string]func(p *pm.Params, price *pm.Price){
	// A face value that no deposit carries, at a probability that never wins.
	"probability to face value": func(p *pm.Params, _ *pm.Price) {
		all := append(p.FaceValue.Big().Bytes(), p.WinProb.Big().Bytes()...)
		p.FaceValue, _ = core.WeiOf(new(big.Int).SetBytes(all[:20]))
		p.WinProb = word(all[20:])
	},
	// Parameters that never expire.
	"probability to expiration": func(p *pm.Params, _ *pm.Price) {
		all := append(p.WinProb.Big().Bytes(), byte(p.ExpirationBlock))
		p.WinProb, p.ExpirationBlock = word(all[:len(all)-2]), protocol.L1Block(binary.BigEndian.Uint16(all[len(all)-2:]))
	},
	"price to expiration": func(p *pm.Params, price *pm.Price) {
		p.ExpirationBlock, price.PerUnit = p.ExpirationBlock<<8|protocol.L1Block(price.PerUnit>>8), price.PerUnit&0xff
	},
	"units to price": func(_ *pm.Params, price *pm.Price) {
		price.PerUnit, price.PixelsPerUnit = price.PerUnit<<8|price.PixelsPerUnit>>8, price.PixelsPerUnit&0xff
	},
}

// TestShiftedBytes: moving bytes from one parameter to the next gives the same random
// number, as the network derives it, and is found all the same.
func TestShiftedBytes(t *testing.T) {
	t.Parallel()
	for name, shift := range shifts {
		d := newDeal(t)
		d.price = pm.Price{PerUnit: 0x04bd, PixelsPerUnit: 0x0101}
		d.issue(d.params, protocol.Word{31: 1})
		p := d.pay(t, 1)
		if v := d.checker.Tickets(p, d.rand, false, new(pm.Nonces)); v.Refused != nil {
			t.Fatalf("%s: as it was: %v", name, v.Refused)
		}
		shift(p.Params, p.Expected)
		if got := pm.RecipientRand(d.secret, p.Params, d.sender, *p.Expected); got != d.rand {
			t.Fatalf("%s: another random number, so that this test proves nothing", name)
		}
		batch, err := p.Params.Batch(d.sender, 1, 1, signer(d.key))
		if err != nil {
			t.Fatal(err)
		}
		p.Tickets = batch
		if v := d.check(p); !errors.Is(v.Refused, fault.TicketParamsForeign) || len(v.Accepted) != 0 || len(v.Winners) != 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// drawParams are parameters of every length.
func drawParams(t *rapid.T, label string) (pm.Params, pm.Price) {
	number := func(name string) *big.Int {
		return new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, label+name))
	}
	p := pm.Params{ExpirationBlock: protocol.L1Block(rapid.Uint64().Draw(t, label+"expires"))}
	p.FaceValue, _ = core.WeiOf(number("face value"))
	p.WinProb, _ = protocol.WordOf(number("probability"))
	if rapid.Bool().Draw(t, label+"has a round") {
		p.Expiration = pm.Expiration{Round: protocol.Round(rapid.Uint64().Draw(t, label+"round")),
			BlockHash: protocol.Hash{1}}
	}
	return p, pm.Price{PerUnit: rapid.Int64Min(0).Draw(t, label+"price"),
		PixelsPerUnit: rapid.Int64Min(0).Draw(t, label+"units")}
}

// TestOneNumberPerPromise: under one seed, other parameters have another number or
// another form.
func TestOneNumberPerPromise(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	rapid.Check(t, func(t *rapid.T) {
		a, priceA := drawParams(t, "a ")
		a = pm.Issue(d.secret, protocol.Word{31: 5}, a, d.sender, priceA)
		b, priceB := drawParams(t, "b ")
		b.Seed, b.RecipientRandHash = a.Seed, a.RecipientRandHash
		a.Recipient, b.Recipient = d.recipient, d.recipient
		for _, c := range []struct {
			p     pm.Params
			price pm.Price
			want  bool
		}{{a, priceA, true}, {b, priceB, false}} {
			payment := &pm.Payment{Params: &c.p, Sender: d.sender, Expiration: c.p.Expiration, Expected: &c.price,
				Tickets: []pm.Signed{{Nonce: 1}}}
			if c.p.FaceValue.IsZero() || c.p.WinProb.IsZero() {
				continue
			}
			same := c.p.FaceValue.Cmp(a.FaceValue) == 0 && c.p.WinProb == a.WinProb &&
				c.p.ExpirationBlock == a.ExpirationBlock &&
				c.p.Expiration == a.Expiration && c.price.Equal(priceA)
			v := d.checker.Tickets(payment, pm.RecipientRand(d.secret, &c.p, d.sender, c.price), false, new(pm.Nonces))
			if known := !errors.Is(v.Refused, fault.TicketParamsForeign); known != same {
				t.Fatalf("%+v: known %t", c.p, known)
			}
		}
	})
}

// TestRandDependsOnEverything that was promised.
func TestRandDependsOnEverything(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	for name, change := range map[string]func(*pm.Params, *core.Address, *pm.Price, *pm.Secret){
		"seed":        func(p *pm.Params, _ *core.Address, _ *pm.Price, _ *pm.Secret) { p.Seed[31]++ },
		"sender":      func(_ *pm.Params, s *core.Address, _ *pm.Price, _ *pm.Secret) { s[0]++ },
		"face value":  func(p *pm.Params, _ *core.Address, _ *pm.Price, _ *pm.Secret) { p.FaceValue = core.NewWei(1001) },
		"probability": func(p *pm.Params, _ *core.Address, _ *pm.Price, _ *pm.Secret) { p.WinProb[9]++ },
		"block":       func(p *pm.Params, _ *core.Address, _ *pm.Price, _ *pm.Secret) { p.ExpirationBlock++ },
		"round":       func(p *pm.Params, _ *core.Address, _ *pm.Price, _ *pm.Secret) { p.Expiration.Round++ },
		"round hash":  func(p *pm.Params, _ *core.Address, _ *pm.Price, _ *pm.Secret) { p.Expiration.BlockHash[31]++ },
		"price":       func(_ *pm.Params, _ *core.Address, c *pm.Price, _ *pm.Secret) { c.PerUnit++ },
		"units":       func(_ *pm.Params, _ *core.Address, c *pm.Price, _ *pm.Secret) { c.PixelsPerUnit++ },
		"secret":      func(_ *pm.Params, _ *core.Address, _ *pm.Price, s *pm.Secret) { s[31]++ },
	} {
		p, sender, price, secret := d.params, d.sender, d.price, d.secret
		change(&p, &sender, &price, &secret)
		if pm.RecipientRand(secret, &p, sender, price) == d.rand {
			t.Errorf("%s does not count", name)
		}
	}
	p := d.params
	p.RecipientRandHash[0]++
	if pm.RecipientRand(d.secret, &p, d.sender, pm.Price{PerUnit: 2424, PixelsPerUnit: 2}) != d.rand {
		t.Error("the hash is read, or the price is not in lowest terms")
	}
}
