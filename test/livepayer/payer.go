// Package livepayer makes payments for live work: out of an orchestrator's challenge and a number of
// units it makes the tickets and credentials that the protocol's headers carry, and it keeps the books of
// each session. It signs with an account that its caller holds, asks nothing of the chain, and sends
// nothing: tests play gateways and remote signers with it.
package livepayer

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// MaxTickets bounds the tickets of one payment, as the network's remote signers do.
const MaxTickets = 100

// Why a payment is not made.
var (
	ErrOffer   = errors.New("the offer cannot be paid: it has no address, price, token or ticket parameters")
	ErrPrice   = errors.New("the price is above that of the session's begin")
	ErrPayee   = errors.New("the offer is another orchestrator's")
	ErrSession = errors.New("the offer is for another session")
	ErrTickets = fmt.Errorf("the payment takes more than %d tickets", MaxTickets)
)

// Payer pays from one account.
type Payer struct {
	// Account pays.
	Account core.Address
	// Sign signs a personal message with the account's key.
	Sign func(signature.Message) ([]byte, error)
}

// Session is what is paid for one session. It is safe for concurrent use.
type Session struct {
	payer    *Payer
	manifest core.ManifestID
	// payee and price are those of the session's begin.
	payee core.Address
	price pm.Price

	mu     sync.Mutex
	params pm.Params
	token  *rpc.AuthToken
	nonce  uint32
	// paid is what all tickets are worth, owed what all units cost that were paid for.
	paid, owed pm.Value
}

// Open begins to pay for a session, with the offer of a challenge.
func (p *Payer) Open(params string, manifest core.ManifestID) (*Session, error) {
	info, err := decode(params)
	if err != nil {
		return nil, err
	}
	s := &Session{payer: p, manifest: manifest}
	price, ok := rpc.FromPriceInfo(info.GetPriceInfo())
	if !ok || price.Free() || len(info.GetAddress()) != len(s.payee) {
		return nil, ErrOffer
	}
	s.price, s.payee = price, core.Address(info.GetAddress())
	return s, s.take(info)
}

// Price returns what a unit costs.
func (s *Session) Price() pm.Price { return s.price }

// Paid returns what the session's tickets are worth so far.
func (s *Session) Paid() pm.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paid
}

// Refresh takes a later offer for the session, from a challenge.
func (s *Session) Refresh(params string) error {
	info, err := decode(params)
	if err != nil {
		return err
	}
	return s.take(info)
}

// Answered takes the offer out of the answer to a payment.
func (s *Session) Answered(body []byte) error {
	m := new(rpc.PaymentResult)
	if err := proto.Unmarshal(body, m); err != nil {
		return fmt.Errorf("read the answer to a payment: %w", err)
	}
	return s.take(m.GetInfo())
}

func decode(params string) (*rpc.OrchestratorInfo, error) {
	data, err := base64.StdEncoding.DecodeString(params)
	if err != nil {
		return nil, fmt.Errorf("read an offer: %w", err)
	}
	info := new(rpc.OrchestratorInfo)
	if err := proto.Unmarshal(data, info); err != nil {
		return nil, fmt.Errorf("read an offer: %w", err)
	}
	return info, nil
}

// take checks an offer against the session, and uses it from now on.
func (s *Session) take(info *rpc.OrchestratorInfo) error {
	price, ok := rpc.FromPriceInfo(info.GetPriceInfo())
	params, err := rpc.FromTicketParams(info.GetTicketParams())
	switch {
	case !ok || info.GetAuthToken() == nil || err != nil || params.EV().Sign() <= 0:
		return ErrOffer
	case len(info.GetAddress()) != len(s.payee) || core.Address(info.GetAddress()) != s.payee:
		return ErrPayee
	case info.GetAuthToken().GetSessionId() != string(s.manifest):
		return ErrSession
	case !price.Equal(s.price):
		return ErrPrice
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if params.RecipientRandHash != s.params.RecipientRandHash {
		s.nonce = 0
	}
	s.params, s.token = params, info.GetAuthToken()
	return nil
}

// Pay makes the headers that pay for so many more units. What earlier tickets were worth beyond the
// units that they paid for counts.
func (s *Session) Pay(units int64) (http.Header, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	owed := s.owed.Add(s.price.Of(units))
	missing := owed.Sub(s.paid)
	n := int64(0)
	if missing.Sign() > 0 {
		count := ceil(missing, s.params.EV())
		if !count.IsInt64() || count.Int64() > MaxTickets {
			return nil, ErrTickets
		}
		n = count.Int64()
	}
	h, err := s.headersLocked(int(n))
	if err != nil {
		return nil, err
	}
	s.owed, s.paid = owed, s.paid.Add(s.params.EV().Times(n))
	return h, nil
}

// ceil returns how many times one value must be taken to be no less than another.
func ceil(v, each pm.Value) *big.Int {
	n := pm.ValueOf(new(big.Rat).Quo(v.Neg().Rat(), each.Rat())).Floor()
	return n.Neg(n)
}

// headersLocked makes a payment of n tickets, and credentials.
func (s *Session) headersLocked(n int) (http.Header, error) {
	price := s.price
	p := pm.Payment{
		Sender: s.payer.Account, Expected: &price, Params: &s.params,
		Expiration: s.params.Expiration, HasExpiration: true,
	}
	for range n {
		s.nonce++
		message, err := s.params.TicketMessage(s.payer.Account, s.nonce)
		if err != nil {
			return nil, fmt.Errorf("make a ticket: %w", err)
		}
		sig, err := s.payer.Sign(message)
		if err != nil {
			return nil, fmt.Errorf("sign a ticket: %w", err)
		}
		p.Tickets = append(p.Tickets, pm.Signed{Nonce: s.nonce, Sig: sig})
	}
	payment, err := rpc.EncodeHeader(rpc.ToPayment(&p))
	if err != nil {
		return nil, err
	}
	segment, err := s.credentialsLocked()
	if err != nil {
		return nil, err
	}
	h := make(http.Header)
	h.Set(rpc.PaymentHeader, payment)
	h.Set(rpc.SegmentHeader, segment)
	return h, nil
}

// credentialsLocked makes the credentials of the session: a description of no segment, signed.
func (s *Session) credentialsLocked() (string, error) {
	meta := rpc.SegmentMeta{Manifest: s.manifest, Hash: signature.Keccak256(nil), Token: s.token}
	description := signature.Segment(meta.Manifest, meta.Number, meta.Hash, nil)
	message, err := signature.SegmentMessage(common.Address(s.payer.Account), description)
	if err != nil {
		return "", fmt.Errorf("describe the session: %w", err)
	}
	if meta.Sig, err = s.payer.Sign(message); err != nil {
		return "", fmt.Errorf("sign the session's description: %w", err)
	}
	return rpc.EncodeHeader(rpc.ToSegData(&meta))
}
