package migrate

import (
	"errors"
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// columns of the queue of winning tickets, in the order in which they are read.
func columns() []string {
	return []string{
		"sender", "recipient", "faceValue", "winProb", "senderNonce", "recipientRand", "recipientRandHash",
		"sig", "creationRound", "creationRoundBlockHash", "paramsExpirationBlock",
	}
}

// Ticket is a winning ticket as the existing node left it.
type Ticket struct {
	Hash            protocol.Hash
	Ticket          protocol.WinningTicket
	ExpirationBlock protocol.L1Block
}

// ticketOf reads a row. The error names the column.
func ticketOf(row []cell) (Ticket, error) {
	var t Ticket
	w := &t.Ticket
	nonce, round, expiration := uint64(0), uint64(0), uint64(0)
	read := []func(cell) error{
		func(c cell) error { return c.fixed(w.Sender[:]) },
		func(c cell) error { return c.fixed(w.Recipient[:]) },
		func(c cell) (err error) { w.FaceValue, err = c.wei(); return err },
		func(c cell) (err error) { w.WinProb, err = c.word(); return err },
		func(c cell) (err error) { nonce, err = c.small(); return err },
		func(c cell) (err error) { w.RecipientRand, err = c.word(); return err },
		func(c cell) error { return c.fixed(w.RecipientRandHash[:]) },
		func(c cell) error { return c.fixed(w.Signature[:]) },
		func(c cell) (err error) { round, err = c.small(); return err },
		func(c cell) error { return c.fixed(w.CreationRoundHash[:]) },
		func(c cell) (err error) { expiration, err = c.small(); return err },
	}
	for i, name := range columns() {
		if err := read[i](row[i]); err != nil {
			return Ticket{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	w.SenderNonce, w.CreationRound, t.ExpirationBlock = nonce, protocol.Round(round), protocol.L1Block(expiration)
	t.Hash = w.Hash()
	return t, t.check()
}

// check says why a ticket is not worth keeping, whatever the chain's state: the contract would
// never pay it.
func (t *Ticket) check() error {
	w := &t.Ticket
	switch {
	case w.Sender.IsZero() || w.Recipient.IsZero():
		return errors.New("it has no sender or no recipient")
	case w.SenderNonce > math.MaxUint32:
		return errors.New("its number is out of range")
	case pm.RandHash(w.RecipientRand) != w.RecipientRandHash:
		return errors.New("its random number is another")
	case signature.EthVerify(common.Address(w.Sender), t.Hash[:], w.Signature[:]) != nil:
		return errors.New("its signature is not its sender's")
	case !pm.Wins(w.Signature[:], w.RecipientRand, w.WinProb):
		return errors.New("it did not win")
	}
	return nil
}
