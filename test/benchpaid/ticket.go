package main

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/server/rpc"
)

// payer is an account that signs as the network's gateways do.
type payer struct {
	key     *ecdsa.PrivateKey
	address common.Address
}

func newPayer(key *ecdsa.PrivateKey) *payer {
	return &payer{key: key, address: crypto.PubkeyToAddress(key.PublicKey)}
}

// sign signs bytes as a personal message.
func (p *payer) sign(message []byte) ([]byte, error) {
	digest := crypto.Keccak256(fmt.Appendf(nil, "\x19Ethereum Signed Message:\n%d", len(message)), message)
	sig, err := crypto.Sign(digest, p.key)
	if err != nil {
		return nil, err
	}
	sig[64] += 27
	return sig, nil
}

// signHash signs the hash of bytes.
func (p *payer) signHash(message []byte) ([]byte, error) { return p.sign(crypto.Keccak256(message)) }

// certainty is a win probability of one.
func certainty() *big.Int {
	return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
}

// expected is the expected value of one ticket, in wei.
func expected(p *rpc.TicketParams) *big.Rat {
	value := new(big.Int).Mul(new(big.Int).SetBytes(p.GetFaceValue()), new(big.Int).SetBytes(p.GetWinProb()))
	return new(big.Rat).SetFrac(value, certainty())
}

// ticketHash is what a ticket's signature is of.
func ticketHash(p *rpc.TicketParams, sender common.Address, nonce uint32) []byte {
	parts := [][]byte{
		p.GetRecipient(), sender[:],
		common.LeftPadBytes(p.GetFaceValue(), 32), common.LeftPadBytes(p.GetWinProb(), 32),
		common.LeftPadBytes(big.NewInt(int64(nonce)).Bytes(), 32), p.GetRecipientRandHash(),
	}
	if e := p.GetExpirationParams(); e.GetCreationRound() != 0 ||
		new(big.Int).SetBytes(e.GetCreationRoundBlockHash()).Sign() != 0 {
		parts = append(parts, common.LeftPadBytes(big.NewInt(e.GetCreationRound()).Bytes(), 32),
			e.GetCreationRoundBlockHash())
	}
	return crypto.Keccak256(parts...)
}

// payment makes a payment of n tickets with the nonces from first on. Without tickets
// it holds the sender and the price only.
func (p *payer) payment(info *rpc.OrchestratorInfo, first uint32, n int) (*rpc.Payment, error) {
	terms := info.GetTicketParams()
	m := &rpc.Payment{Sender: p.address[:], ExpectedPrice: info.GetPriceInfo(),
		ExpirationParams: terms.GetExpirationParams()}
	if n == 0 {
		return m, nil
	}
	m.TicketParams = &rpc.TicketParams{
		Recipient: terms.GetRecipient(), FaceValue: terms.GetFaceValue(), WinProb: terms.GetWinProb(),
		RecipientRandHash: terms.GetRecipientRandHash(), Seed: terms.GetSeed(), ExpirationBlock: terms.GetExpirationBlock(),
	}
	for nonce := first; nonce < first+uint32(n); nonce++ {
		sig, err := p.sign(ticketHash(terms, p.address, nonce))
		if err != nil {
			return nil, err
		}
		m.TicketSenderParams = append(m.TicketSenderParams, &rpc.TicketSenderParams{SenderNonce: nonce, Sig: sig})
	}
	return m, nil
}
