package solidity

import (
	"bytes"
	"crypto/ecdsa"
	"encoding/hex"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
)

// ticket has the fields of the broker's struct, by name.
type ticket struct {
	Recipient         common.Address
	Sender            common.Address
	FaceValue         *big.Int
	WinProb           *big.Int
	SenderNonce       *big.Int
	RecipientRandHash [32]byte
	AuxData           []byte
}

// sender signs tickets, each with a nonce of its own.
type sender struct {
	key   *ecdsa.PrivateKey
	addr  common.Address
	nonce int64
}

func newSender(n int64) *sender {
	key, err := crypto.ToECDSA(common.BigToHash(num(n)).Bytes())
	if err != nil {
		panic(err)
	}
	return &sender{key: key, addr: crypto.PubkeyToAddress(key.PublicKey)}
}

// rand is every recipient's secret here.
var rand = num(0xdeadbeef)

func randHash() [32]byte { return crypto.Keccak256Hash(common.BigToHash(rand).Bytes()) }

// ticketFor makes a ticket of the current round that always wins.
func (w *world) ticketFor(s *sender, to common.Address, value *big.Int) ticket {
	w.Helper()
	s.nonce++
	round := w.round()
	hash := one[[32]byte](w, rm, "blockHashForRound", round)
	return ticket{
		Recipient: to, Sender: s.addr, FaceValue: value, WinProb: never, SenderNonce: num(s.nonce),
		RecipientRandHash: randHash(), AuxData: append(common.BigToHash(round).Bytes(), hash[:]...),
	}
}

func (t ticket) hash() []byte {
	word := func(n *big.Int) []byte { return common.BigToHash(n).Bytes() }
	return crypto.Keccak256(t.Recipient[:], t.Sender[:], word(t.FaceValue), word(t.WinProb), word(t.SenderNonce),
		t.RecipientRandHash[:], t.AuxData)
}

func (s *sender) sign(t ticket) []byte {
	sig, err := crypto.Sign(accounts.TextHash(t.hash()), s.key)
	if err != nil {
		panic(err)
	}
	sig[64] += 27
	return sig
}

// winning gives the arguments that redeem a new ticket.
func (w *world) winning(s *sender, to common.Address, value *big.Int) []any {
	w.Helper()
	t := w.ticketFor(s, to, value)
	return []any{t, s.sign(t), rand}
}

// The known tickets: round 3500, whose hash is 32 times ab.
func vectorTicket(nonce int64) ticket {
	aux := append(common.BigToHash(num(3500)).Bytes(), bytes.Repeat([]byte{0xab}, 32)...)
	return ticket{
		Recipient: common.HexToAddress("0x1111111111111111111111111111111111111111"), Sender: newSender(1).addr,
		FaceValue: num(1e15), WinProb: minus(new(big.Int).Lsh(num(1), 252), num(1)), SenderNonce: num(nonce),
		RecipientRandHash: randHash(), AuxData: aux,
	}
}

func TestTicketVectors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		nonce           int64
		hash, sig, draw string
		wins            bool
	}{
		{
			1, "0x17f3503b656fed33259b69a455fc59f4faf745591569f58f6c9246fd193031c0",
			"0xb257420c1cd14cea09c50da77bae1dadfe3c3e236a797a165023a1eb16cccbe0" +
				"27d0c6fd978559c08610855dfdbf9721d98da3fb028e29e4f190f9d0b486a4161b",
			"0x008194f81020e0d5c4b3188d6594f987f23941f0f43d91a47eed4c36b17edc2b", true,
		},
		{
			7, "0xfa3ec51bf134346b8cb6d759e5cc54f7a0e55a8dc44bca394e3addf1b3f563ae",
			"0x045f9040384e7b4c269c748af3ab36207769ac8c3f0659bb6378b4a7769126" +
				"5542d75d1c1275f6ef469de76b942d4f26b735ab537f5717180993c780994d4a9c1b",
			"0x5d7717deaeb76e4e40afccfb78ffe3042276768ca3b78300e36b1d99c73af775", false,
		},
	}
	for _, tt := range tests {
		w := newWorld(t)
		tk := vectorTicket(tt.nonce)
		sig := newSender(1).sign(tk)
		hash := one[[32]byte](w, tb, "getTicketHash", tk)
		if got := hexutil.Encode(hash[:]); got != tt.hash {
			t.Errorf("nonce %d: the contract's hash is %s, want %s", tt.nonce, got, tt.hash)
		}
		if got := hexutil.Encode(sig); got != tt.sig {
			t.Errorf("nonce %d: the signature is %s, want %s", tt.nonce, got, tt.sig)
		}
		if got := hexutil.Encode(crypto.Keccak256(sig, common.BigToHash(rand).Bytes())); got != tt.draw {
			t.Errorf("nonce %d: the draw is %s, want %s", tt.nonce, got, tt.draw)
		}
		w.redeemVector(tk, sig, tt.wins)
	}
	w := newWorld(t)
	s := newSender(1)
	tk := vectorTicket(7)
	data := w.pack(tb, "redeemWinningTicket", []any{tk, s.sign(tk), rand})
	const want = "0cd6a11a903b41bffa1787860efa93710fcd1bb45fd85ef26fe329a6ce184ebe"
	if got := hex.EncodeToString(crypto.Keccak256(data)); got != want || len(data) != 548 {
		t.Errorf("call data: %d bytes with hash %s", len(data), got)
	}
}

// redeemVector gives round 3500 the hash of the known tickets and lets the
// contract judge the draw.
func (w *world) redeemVector(tk ticket, sig []byte, wins bool) {
	w.Helper()
	w.bond(tk.Recipient, tokens(1), tk.Recipient)
	w.nextRound()
	w.pay(tk.Sender, tokens(2), tb, "fundDepositAndReserve", tokens(1), tokens(1))
	// blockHashForRound is a mapping: its entry's slot is the hash of key and slot.
	base := w.slotOfBlockHashes()
	slot := crypto.Keccak256Hash(common.BigToHash(num(3500)).Bytes(), base.Bytes())
	w.db.SetState(w.at[rm], slot, common.BytesToHash(bytes.Repeat([]byte{0xab}, 32)))
	w.db.Finalise(true)
	reason := ""
	if !wins {
		reason = "ticket did not win"
	}
	w.reverts(reason, account("anybody"), tb, "redeemWinningTicket", tk, sig, rand)
}

// slotOfBlockHashes finds where the RoundsManager keeps the hashes.
func (w *world) slotOfBlockHashes() common.Hash {
	w.Helper()
	round := w.round()
	hash := one[[32]byte](w, rm, "blockHashForRound", round)
	for i := range int64(32) {
		base := common.BigToHash(num(i))
		if w.db.GetState(w.at[rm], crypto.Keccak256Hash(common.BigToHash(round).Bytes(), base.Bytes())) == hash {
			return base
		}
	}
	w.Fatal("the hashes of rounds are nowhere")
	return common.Hash{}
}

func TestRewardCallData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	data := w.pack(bm, "rewardWithHint", []any{common.HexToAddress("0x1111111111111111111111111111111111111111"), none})
	const want = "0x81871056" +
		"0000000000000000000000001111111111111111111111111111111111111111" +
		"0000000000000000000000000000000000000000000000000000000000000000"
	if got := hexutil.Encode(data); got != want {
		t.Errorf("got %s", got)
	}
}
