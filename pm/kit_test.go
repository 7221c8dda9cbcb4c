package pm_test

import (
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// readVectors reads a file of test/vectors.
func readVectors(t testing.TB, name string, v any) {
	t.Helper()
	data, err := os.ReadFile("../test/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// hexBytes is "0x…" in a vector.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(strings.TrimPrefix(string(text), "0x"))
	*h = b
	return err
}

// unhex reads digits of a table.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	var h hexBytes
	if err := h.UnmarshalText([]byte(s)); err != nil {
		t.Fatal(err)
	}
	return h
}

// word reads a number of at most 32 bytes.
func word(b []byte) (w protocol.Word) {
	copy(w[32-len(b):], b)
	return w
}

func rat(t testing.TB, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return r
}

func wei(t testing.TB, s string) core.Wei {
	t.Helper()
	w, err := core.ParseWei(s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// key is a private key of 32 equal bytes.
func key(t testing.TB, b byte) *ecdsa.PrivateKey {
	t.Helper()
	k, err := crypto.ToECDSA([]byte(strings.Repeat(string([]byte{b}), 32)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func addressOf(k *ecdsa.PrivateKey) core.Address {
	return core.Address(crypto.PubkeyToAddress(k.PublicKey))
}

// signer signs digests as key stores do.
func signer(k *ecdsa.PrivateKey) func([32]byte) ([]byte, error) {
	return func(digest [32]byte) ([]byte, error) {
		sig, err := crypto.Sign(digest[:], k)
		if err != nil {
			return nil, err
		}
		sig[signature.Length-1] += 27
		return sig, nil
	}
}

// paymentTerms is a sender, a recipient and the parameters between them.
type paymentTerms struct {
	key       *ecdsa.PrivateKey
	sender    core.Address
	recipient core.Address
	secret    pm.Secret
	price     pm.Price
	params    pm.Params
	rand      protocol.Word
	checker   pm.Checker
	nonces    pm.Nonces
}

// newDeal makes parameters under which half of the tickets win.
func newDeal(t testing.TB) *paymentTerms {
	t.Helper()
	k := key(t, 1)
	d := &paymentTerms{key: k, sender: addressOf(k), recipient: addressOf(key(t, 2)), secret: pm.Secret{7},
		price: pm.Price{PerUnit: 1212, PixelsPerUnit: 1}}
	half := word(unhex(t, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"))
	d.issue(pm.Params{
		Recipient: d.recipient, FaceValue: core.NewWei(1000), WinProb: half, ExpirationBlock: 140,
		Expiration: pm.Expiration{Round: 30, BlockHash: protocol.Hash{0xcc}},
	}, protocol.Word{31: 1})
	d.checker = pm.Checker{Recipient: d.recipient, L1: 100, Round: 30}
	return d
}

func (d *paymentTerms) issue(p pm.Params, random protocol.Word) {
	d.params = pm.Issue(d.secret, random, p, d.sender, d.price)
	d.rand = pm.RecipientRand(d.secret, &d.params, d.sender, d.price)
}

// pay makes a payment of tickets with these nonces.
func (d *paymentTerms) pay(t testing.TB, nonces ...uint32) *pm.Payment {
	t.Helper()
	params := d.params
	price := d.price
	p := &pm.Payment{Params: &params, Sender: d.sender, Expiration: params.Expiration, HasExpiration: true,
		Expected: &price}
	for _, n := range nonces {
		sig, err := signer(d.key)(pm.TicketDigest(params.TicketHash(d.sender, n)))
		if err != nil {
			t.Fatal(err)
		}
		p.Tickets = append(p.Tickets, pm.Signed{Nonce: n, Sig: sig})
	}
	return p
}

func (d *paymentTerms) check(p *pm.Payment) pm.Verdict {
	return d.checker.Tickets(p, d.rand, false, &d.nonces)
}
