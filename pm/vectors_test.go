package pm_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// ticketVector is one ticket of test/vectors/tickets.json.
type ticketVector struct {
	Name       string
	Recipient  core.Address
	Sender     core.Address
	FaceValue  string         `json:"face_value"`
	WinProb    hexBytes       `json:"win_prob_hex"`
	Seed       hexBytes       `json:"seed_hex"`
	Secret     hexBytes       `json:"recipient_secret"`
	Rand       hexBytes       `json:"recipient_rand_hex"`
	RandHash   protocol.Hash  `json:"recipient_rand_hash"`
	Expires    string         `json:"expiration_block"`
	Round      protocol.Round `json:"creation_round"`
	RoundHash  protocol.Hash  `json:"creation_round_block_hash"`
	Price      string
	Nonce      uint32        `json:"sender_nonce"`
	Aux        hexBytes      `json:"aux_data_hex"`
	Flatten    hexBytes      `json:"flatten_hex"`
	Hash       protocol.Hash `json:"ticket_hash"`
	Digest     hexBytes      `json:"eip191_hash"`
	Signature  hexBytes
	Draw       hexBytes `json:"win_draw_keccak"`
	EV         string   `json:"ev_rational"`
	EVDecimals string   `json:"ev_decimal_20"`
	Wins       bool
}

func (v *ticketVector) params(t *testing.T) pm.Params {
	t.Helper()
	return pm.Params{
		Recipient: v.Recipient, FaceValue: wei(t, v.FaceValue), WinProb: word(v.WinProb), RecipientRandHash: v.RandHash,
		Seed: word(v.Seed), ExpirationBlock: protocol.L1Block(wei(t, v.Expires).Big().Uint64()),
		Expiration: pm.Expiration{Round: v.Round, BlockHash: v.RoundHash},
	}
}

func ticketVectors(t testing.TB) []ticketVector {
	t.Helper()
	var file struct{ Tickets []ticketVector }
	readVectors(t, "tickets.json", &file)
	if len(file.Tickets) != 5 {
		t.Fatalf("%d tickets", len(file.Tickets))
	}
	return file.Tickets
}

func TestTicketVectors(t *testing.T) {
	t.Parallel()
	for _, v := range ticketVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			p := v.params(t)
			if got := p.Expiration.AuxData(); !bytes.Equal(got, v.Aux) {
				t.Errorf("aux data %x, want %x", got, v.Aux)
			}
			if got := p.Preimage(v.Sender, v.Nonce); !bytes.Equal(got, v.Flatten) {
				t.Errorf("preimage\n%x, want\n%x", got, v.Flatten)
			}
			if got := p.TicketHash(v.Sender, v.Nonce); got != v.Hash {
				t.Errorf("hash %s, want %s", got, v.Hash)
			}
			if got := pm.TicketDigest(v.Hash); !bytes.Equal(got[:], v.Digest) {
				t.Errorf("digest %x, want %x", got, v.Digest)
			}
			if got := p.EV().Rat().RatString(); got != v.EV {
				t.Errorf("expected value %s, want %s", got, v.EV)
			}
			if got := p.EV().Rat().FloatString(20); got != v.EVDecimals {
				t.Errorf("expected value %s, want %s", got, v.EVDecimals)
			}
			v.secrets(t, &p)
			v.signed(t, &p)
		})
	}
}

// secrets compares the recipient's side.
func (v *ticketVector) secrets(t *testing.T, p *pm.Params) {
	t.Helper()
	rand := pm.RecipientRand(pm.Secret(v.Secret), p, v.Sender, pm.RawPrice(rat(t, v.Price)))
	if !bytes.Equal(rand[:], v.Rand) {
		t.Errorf("random number %x, want %x", rand, v.Rand)
	}
	if got := pm.RandHash(rand); got != v.RandHash {
		t.Errorf("its hash %s, want %s", got, v.RandHash)
	}
}

// signed compares the signature and the draw, and that neither holds for a changed
// ticket.
func (v *ticketVector) signed(t *testing.T, p *pm.Params) {
	t.Helper()
	sender := key(t, 1)
	batch, err := p.Batch(addressOf(sender), v.Nonce, 1, signer(sender))
	if err != nil || !bytes.Equal(batch[0].Sig, v.Signature) {
		t.Errorf("signature %x, %v, want %x", batch[0].Sig, err, v.Signature)
	}
	payment := pm.Payment{Params: p, Sender: v.Sender, Expiration: p.Expiration, HasExpiration: true,
		Tickets: []pm.Signed{{Nonce: v.Nonce, Sig: v.Signature}}}
	rand := word(v.Rand)
	if signed, wins := payment.Read(0, rand); !signed || wins != v.Wins {
		t.Errorf("signed %t, wins %t, want %t", signed, wins, v.Wins)
	}
	if got := pm.Wins(v.Signature, rand, p.WinProb); got != v.Wins {
		t.Errorf("wins %t, want %t", got, v.Wins)
	}
	if got := signature.Keccak256(v.Signature, rand[:]); !bytes.Equal(got[:], v.Draw) {
		t.Errorf("draw %x, want %x", got, v.Draw)
	}
	payment.Tickets[0].Nonce++
	if signed, _ := payment.Read(0, rand); signed {
		t.Error("a ticket of another number passes")
	}
}

// TestContractVectors are values that the contract's own functions gave.
func TestContractVectors(t *testing.T) {
	t.Parallel()
	k, err := crypto.ToECDSA(append(make([]byte, 31), 1))
	if err != nil {
		t.Fatal(err)
	}
	rand := word(unhex(t, "deadbeef"))
	p := pm.Params{
		Recipient:  core.Address(bytes.Repeat([]byte{0x11}, 20)),
		FaceValue:  wei(t, "1000000000000000"),
		WinProb:    word(unhex(t, "0f"+strings.Repeat("ff", 31))),
		Expiration: pm.Expiration{Round: 3500, BlockHash: protocol.Hash(bytes.Repeat([]byte{0xab}, 32))},
	}
	p.RecipientRandHash = pm.RandHash(rand)
	if got := p.RecipientRandHash.String(); got != "0x2cefe4e59877c202aee3aa8ffbee360a0e2b0b13d3c8a71ff2f292d98141c88b" {
		t.Errorf("hash of the random number %s", got)
	}
	if got := p.Expiration.AuxData(); !bytes.Equal(got, unhex(t,
		strings.Repeat("0", 60)+"0dac"+strings.Repeat("ab", 32))) {
		t.Errorf("aux data %x", got)
	}
	for _, c := range []struct {
		nonce           uint32
		hash, sig, draw string
		wins            bool
	}{
		{1, "0x17f3503b656fed33259b69a455fc59f4faf745591569f58f6c9246fd193031c0",
			"b257420c1cd14cea09c50da77bae1dadfe3c3e236a797a165023a1eb16cccbe0" +
				"27d0c6fd978559c08610855dfdbf9721d98da3fb028e29e4f190f9d0b486a4161b",
			"008194f81020e0d5c4b3188d6594f987f23941f0f43d91a47eed4c36b17edc2b", true},
		{7, "0xfa3ec51bf134346b8cb6d759e5cc54f7a0e55a8dc44bca394e3addf1b3f563ae",
			"045f9040384e7b4c269c748af3ab36207769ac8c3f0659bb6378b4a776912655" +
				"42d75d1c1275f6ef469de76b942d4f26b735ab537f5717180993c780994d4a9c1b",
			"5d7717deaeb76e4e40afccfb78ffe3042276768ca3b78300e36b1d99c73af775", false},
	} {
		sender := addressOf(k)
		if got := p.TicketHash(sender, c.nonce).String(); got != c.hash {
			t.Errorf("%d: hash %s, want %s", c.nonce, got, c.hash)
		}
		batch, err := p.Batch(sender, c.nonce, 1, signer(k))
		if err != nil || !bytes.Equal(batch[0].Sig, unhex(t, c.sig)) {
			t.Errorf("%d: signature %x, %v", c.nonce, batch[0].Sig, err)
		}
		if got := signature.Keccak256(batch[0].Sig, rand[:]); !bytes.Equal(got[:], unhex(t, c.draw)) {
			t.Errorf("%d: draw %x", c.nonce, got)
		}
		payment := pm.Payment{Params: &p, Sender: sender, Expiration: p.Expiration, Tickets: batch}
		if signed, wins := payment.Read(0, rand); !signed || wins != c.wins {
			t.Errorf("%d: signed %t, wins %t", c.nonce, signed, wins)
		}
		won := p.Winning(sender, batch[0], rand)
		if won.SenderNonce != uint64(c.nonce) || !bytes.Equal(won.Signature[:], batch[0].Sig) || won.RecipientRand != rand ||
			won.CreationRound != 3500 || won.CreationRoundHash != p.Expiration.BlockHash || won.Sender != sender ||
			won.Recipient != p.Recipient || won.WinProb != p.WinProb || won.FaceValue.Cmp(p.FaceValue) != 0 ||
			won.RecipientRandHash != p.RecipientRandHash {
			t.Errorf("%d: winning ticket %+v", c.nonce, won)
		}
	}
}

// TestDrawAtTheBound: a draw that equals the probability does not win.
func TestDrawAtTheBound(t *testing.T) {
	t.Parallel()
	sig, rand := []byte("signature"), protocol.Word{9}
	draw := protocol.Word(signature.Keccak256(sig, rand[:]))
	above, _ := protocol.WordOf(new(big.Int).Add(draw.Big(), big.NewInt(1)))
	if pm.Wins(sig, rand, draw) || !pm.Wins(sig, rand, above) || pm.Wins(sig, rand, protocol.Word{}) {
		t.Error("the bound is elsewhere")
	}
}
