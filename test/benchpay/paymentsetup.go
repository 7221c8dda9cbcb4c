package main

import (
	"bytes"
	"crypto/ecdsa"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// paymentSetup is a sender, a recipient and the parameters between them, as they are on a
// layer-2 chain with usual gas prices.
type paymentSetup struct {
	key     *ecdsa.PrivateKey
	sender  core.Address
	secret  pm.Secret
	quote   pm.Quote
	params  pm.Params
	checker pm.Checker
}

func newPaymentSetup() (*paymentSetup, error) {
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		return nil, err
	}
	d := &paymentSetup{key: key, sender: core.Address(crypto.PubkeyToAddress(key.PublicKey)), secret: pm.Secret{7}}
	d.quote = pm.Quote{Sender: d.sender, Price: pm.Price{PerUnit: 1212, PixelsPerUnit: 1}}
	ev, most := core.NewWei(8_000_000_000), core.NewWei(1_000_000_000_000_000_000)
	faceValue, err := pm.FaceValue(pm.Offered{TicketEV: ev, MaxFloat: most, TxCost: core.NewWei(120_000_000_000_000),
		RedeemGas: 1_200_000})
	if err != nil {
		return nil, err
	}
	d.params = pm.Issue(d.secret, protocol.Word{31: 1}, pm.Params{
		Recipient: core.Address{2}, FaceValue: faceValue, WinProb: pm.WinProb(faceValue, ev), ExpirationBlock: 21_000_040,
		Expiration: pm.Expiration{Round: 3500, BlockHash: protocol.Hash{0xcc}},
	}, d.sender, d.quote.Price)
	d.checker = pm.Checker{Recipient: d.params.Recipient, L1: 21_000_000, Round: 3500}
	return d, nil
}

// pay makes a payment of n tickets.
func (d *paymentSetup) pay(n int) (*pm.Payment, error) {
	tickets, err := d.params.Batch(d.sender, 1, n, func(digest [32]byte) ([]byte, error) {
		sig, err := crypto.Sign(digest[:], d.key)
		if err == nil {
			sig[64] += 27
		}
		return sig, err
	})
	if err != nil {
		return nil, err
	}
	price := d.quote.Price
	return &pm.Payment{Params: &d.params, Sender: d.sender, Expiration: d.params.Expiration, HasExpiration: true,
		Tickets: tickets, Expected: &price}, nil
}

// header is the payment as it arrives.
func (d *paymentSetup) header(n int) (string, error) {
	p, err := d.pay(n)
	if err != nil {
		return "", err
	}
	return rpc.EncodeHeader(rpc.ToPayment(p))
}
