package main

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/server/rpc"
)

// The example of the protocol's description: hash and signature are what every node
// of the network makes of these fields.
func TestTicketIsTheNetworks(t *testing.T) {
	t.Parallel()
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	p := newPayer(key)
	terms := &rpc.TicketParams{
		Recipient:         common.HexToAddress("0x5050A4F4b3f9338C3472dcC01A87C76A144b3c9c").Bytes(),
		FaceValue:         big.NewInt(12_000_000_000_000_000).Bytes(),
		WinProb:           hexutil.MustDecode("0x0b2f4fc0794908cf232ff78625902416a7530755a66c5788c4a773d4b000"),
		RecipientRandHash: hexutil.MustDecode("0x0f9dc505c492cfd26fb3c0cec208cbc2d9a201fa4277c77da6dbd6d2e8b0514f"),
		ExpirationParams: &rpc.TicketExpirationParams{CreationRound: 3500,
			CreationRoundBlockHash: bytes.Repeat([]byte{0xcc}, 32)},
	}
	const hash = "0x90c0ce8e0fa556cfb23c25234125c4fff466ae16a2b29501ddb3492fd3705c91"
	if got := hexutil.Encode(ticketHash(terms, p.address, 1)); got != hash {
		t.Errorf("hash %s", got)
	}
	m, err := p.payment(&rpc.OrchestratorInfo{TicketParams: terms}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	const sig = "0x4ff4278e91b7185c472c45be9bdc5518b2be64567ca2b292a9e85b5630bec71b" +
		"299569d60183fa20f11fa98047137d999467f8028b33516a68dfb6028fdd1bf61b"
	if got := hexutil.Encode(m.GetTicketSenderParams()[0].GetSig()); got != sig {
		t.Errorf("signature %s", got)
	}
	if m.GetTicketSenderParams()[1].GetSenderNonce() != 2 || m.GetTicketParams().GetExpirationParams() != nil {
		t.Errorf("payment %v", m)
	}
}

func TestWallet(t *testing.T) {
	t.Parallel()
	terms := &rpc.TicketParams{FaceValue: big.NewInt(100).Bytes(), WinProb: certainty().Bytes()}
	p := &wallet{}
	p.fill(&rpc.OrchestratorInfo{TicketParams: terms, PriceInfo: &rpc.PriceInfo{PricePerUnit: 10, PixelsPerUnit: 1}})
	first, second := p.take(15), p.take(1)
	if first.first != 1 || first.tickets != 2 || second.first != 3 || second.tickets != 1 {
		t.Fatalf("%+v, then %+v", first, second)
	}
	p.served(first, 15) // 50 are left
	if next := p.take(15); next.first != 4 || next.tickets != 1 {
		t.Errorf("%+v", next)
	}
	if p.balance.Sign() != 0 {
		t.Errorf("%s is in the wallet twice", p.balance)
	}
}
