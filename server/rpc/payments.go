package rpc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// FromPayment reads a payment. Fields that no node sends, of impossible lengths or
// negative rounds, are the fault PaymentMessage; absent ones are zero, and what that
// means is for pm. The payment's own expiration counts; it is in the parameters
// too, whatever the message had there.
//
// The result shares the signatures' memory with the message.
func FromPayment(m *Payment) (pm.Payment, error) {
	p, err := readPayment(m)
	if err != nil {
		return pm.Payment{}, &fault.Fault{Code: fault.PaymentMessage, Op: "read payment", Detail: err.Error(), Err: err}
	}
	return p, nil
}

func readPayment(m *Payment) (p pm.Payment, err error) {
	if err := fixed(p.Sender[:], m.GetSender(), "sender"); err != nil {
		return p, err
	}
	if m.GetExpirationParams() != nil {
		p.HasExpiration = true
		if p.Expiration, err = readExpiration(m.GetExpirationParams()); err != nil {
			return p, err
		}
	}
	if m.GetTicketParams() != nil {
		params, err := readParams(m.GetTicketParams())
		if err != nil {
			return p, err
		}
		params.Expiration = p.Expiration
		p.Params = &params
	}
	if n := len(m.GetTicketSenderParams()); n > 0 {
		p.Tickets = make([]pm.Signed, 0, n)
		for _, t := range m.GetTicketSenderParams() {
			p.Tickets = append(p.Tickets, pm.Signed{Nonce: t.GetSenderNonce(), Sig: t.GetSig()})
		}
	}
	if price, ok := FromPriceInfo(m.GetExpectedPrice()); ok {
		p.Expected = &price
	}
	return p, nil
}

// ToPayment returns the message of a payment as gateways send it: the expiration stands
// next to the parameters, not in them.
func ToPayment(p *pm.Payment) *Payment {
	m := new(Payment)
	if !p.Sender.IsZero() {
		m.Sender = bytes.Clone(p.Sender[:])
	}
	if p.Params != nil {
		m.TicketParams = writeParams(p.Params)
	}
	if p.HasExpiration {
		m.ExpirationParams = writeExpiration(p.Expiration)
	}
	for _, t := range p.Tickets {
		m.TicketSenderParams = append(m.TicketSenderParams, &TicketSenderParams{SenderNonce: t.Nonce, Sig: t.Sig})
	}
	if p.Expected != nil {
		m.ExpectedPrice = ToPriceInfo(*p.Expected)
	}
	return m
}

// FromTicketParams reads an orchestrator's parameters. The error is the fault
// TicketParamsUnusable; absent parameters are one.
func FromTicketParams(m *TicketParams) (pm.Params, error) {
	const op = "read ticket parameters"
	if m == nil {
		return pm.Params{}, fault.New(fault.TicketParamsUnusable, op, "no ticket params")
	}
	p, err := readParams(m)
	if err != nil {
		return pm.Params{}, &fault.Fault{Code: fault.TicketParamsUnusable, Op: op, Detail: err.Error(), Err: err}
	}
	return p, nil
}

// ToTicketParams returns the message of parameters as an orchestrator hands them out.
func ToTicketParams(p *pm.Params) *TicketParams {
	m := writeParams(p)
	m.ExpirationParams = writeExpiration(p.Expiration)
	return m
}

// FromPriceInfo reads a price; false when there is none, when it is for no units, or
// negative.
func FromPriceInfo(m *PriceInfo) (pm.Price, bool) {
	if m == nil || m.GetPixelsPerUnit() <= 0 || m.GetPricePerUnit() < 0 {
		return pm.Price{}, false
	}
	return pm.Price{PerUnit: m.GetPricePerUnit(), PixelsPerUnit: m.GetPixelsPerUnit()}, true
}

// ToPriceInfo returns the message of a price.
func ToPriceInfo(p pm.Price) *PriceInfo {
	return &PriceInfo{PricePerUnit: p.PerUnit, PixelsPerUnit: max(1, p.PixelsPerUnit)}
}

func readParams(m *TicketParams) (p pm.Params, err error) {
	if err := fixed(p.Recipient[:], m.GetRecipient(), "recipient"); err != nil {
		return p, err
	}
	if err := fixed(p.RecipientRandHash[:], m.GetRecipientRandHash(), "recipient_rand_hash"); err != nil {
		return p, err
	}
	if p.FaceValue, err = FromWei(m.GetFaceValue()); err != nil {
		return p, fmt.Errorf("face_value: %w", err)
	}
	if err := number(p.WinProb[:], m.GetWinProb(), "win_prob"); err != nil {
		return p, err
	}
	if err := number(p.Seed[:], m.GetSeed(), "seed"); err != nil {
		return p, err
	}
	var block [8]byte
	if err := number(block[:], m.GetExpirationBlock(), "expiration_block"); err != nil {
		return p, err
	}
	p.ExpirationBlock = protocol.L1Block(binary.BigEndian.Uint64(block[:]))
	p.Expiration, err = readExpiration(m.GetExpirationParams())
	return p, err
}

func writeParams(p *pm.Params) *TicketParams {
	return &TicketParams{
		Recipient:         bytes.Clone(p.Recipient[:]),
		FaceValue:         ToWei(p.FaceValue),
		WinProb:           minimal(p.WinProb[:]),
		RecipientRandHash: bytes.Clone(p.RecipientRandHash[:]),
		Seed:              minimal(p.Seed[:]),
		ExpirationBlock:   minimal(binary.BigEndian.AppendUint64(nil, uint64(p.ExpirationBlock))),
	}
}

func readExpiration(m *TicketExpirationParams) (e pm.Expiration, err error) {
	if m.GetCreationRound() < 0 {
		return e, errors.New("creation_round is negative")
	}
	e.Round = protocol.Round(m.GetCreationRound())
	return e, fixed(e.BlockHash[:], m.GetCreationRoundBlockHash(), "creation_round_block_hash")
}

func writeExpiration(e pm.Expiration) *TicketExpirationParams {
	return &TicketExpirationParams{
		CreationRound:          int64(min(e.Round, math.MaxInt64)),
		CreationRoundBlockHash: bytes.Clone(e.BlockHash[:]),
	}
}

// FromWei reads an amount, big-endian in as few bytes as it needs or more.
func FromWei(b []byte) (core.Wei, error) {
	var w protocol.Word
	if err := number(w[:], b, "amount"); err != nil {
		return core.Wei{}, err
	}
	return core.WeiOf(w.Big())
}

// ToWei writes an amount, big-endian in as few bytes as it needs.
func ToWei(w core.Wei) []byte { return w.Big().Bytes() }

// fixed reads a field that is absent or fills into.
func fixed(into, b []byte, name string) error {
	if len(b) != 0 && len(b) != len(into) {
		return fmt.Errorf("%s of %d bytes instead of %d", name, len(b), len(into))
	}
	copy(into, b)
	return nil
}

// number reads a big-endian number that fits in into.
func number(into, b []byte, name string) error {
	b = bytes.TrimLeft(b, "\x00")
	if len(b) > len(into) {
		return fmt.Errorf("%s of %d bytes, more than %d", name, len(b), len(into))
	}
	copy(into[len(into)-len(b):], b)
	return nil
}

// minimal copies a number without its leading zeros.
func minimal(b []byte) []byte { return bytes.Clone(bytes.TrimLeft(b, "\x00")) }
