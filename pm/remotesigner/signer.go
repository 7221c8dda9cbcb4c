package remotesigner

import (
	"context"
	"log/slog"
	"math/big"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// maxTickets bounds the tickets of one payment, as existing signers do.
const maxTickets = 100

// Payer makes tickets; *sender.Sender implements it.
type Payer interface {
	Wear(t *sender.Terms) sender.Wear
	Issue(ctx context.Context, t *sender.Terms, n int, after uint32, units int64) (*pm.Payment, error)
}

// Admission is what the operator's service says about a caller.
type Admission struct {
	// AuthID names the payer; "" leaves it open.
	AuthID string
	// Expires is until when the same session is not asked about again.
	Expires  int64
	MaxPrice *MaxPrice
}

// Authorizer asks the operator's service whether a caller may have a payment. state is as it will be after it. Errors
// are refusals and faults.
type Authorizer interface {
	Authorize(ctx context.Context, ask *Ask, state []byte) (Admission, error)
}

// Options make a Signer. Account, Sign, Payer, Budget, Random and Now must be set.
type Options struct {
	Account core.Address
	Sign    func(m signature.Message) ([]byte, error)
	Payer   Payer
	// Authorizer is nil where every caller that reaches the signer may have payments.
	Authorizer Authorizer
	Budget     *Budget
	// Random fills bytes.
	Random func([]byte)
	Now    func() time.Time
	// Elapsed is the time since any moment by a clock that nothing sets; nil takes it from Now.
	Elapsed func() time.Duration
	Board   *health.Board
	Log     *slog.Logger
	// Events gets each payment that was signed; nil sends nothing.
	Events telemetry.EventSink
}

// Signer signs payments for others. It is safe for concurrent use.
type Signer struct {
	opt  Options
	used *usedStates
	// begun is when it was made, by both clocks.
	begun  time.Time
	before time.Duration
}

// New makes a Signer.
func New(opt Options) *Signer {
	s := &Signer{opt: opt, used: newUsedStates(), begun: opt.Now()}
	if s.opt.Elapsed == nil {
		s.opt.Elapsed = func() time.Duration { return opt.Now().Sub(s.begun) }
	}
	s.before = s.opt.Elapsed()
	return s
}

// steady is the time by which sessions are paid. A clock that is set while the signer runs would have it pay for hours
// that were not worked, or for nothing until the clock is where it was.
func (s *Signer) steady() time.Time { return s.begun.Add(s.opt.Elapsed() - s.before) }

// Account is the paying account.
func (s *Signer) Account() core.Address { return s.opt.Account }

// Pay makes the payment that a caller asks for. Errors are refusals, in the network's order, and faults.
func (s *Signer) Pay(ctx context.Context, ask *Ask) (*Answer, error) {
	if ask.State == nil {
		if ask.Manifest == "" {
			ask.Manifest = s.manifest()
		}
		return s.pay(ctx, ask, s.firstState(ask), true)
	}
	state, err := s.readState(ask)
	if err != nil {
		return nil, err
	}
	if ask.Manifest == "" {
		return nil, bad("missing manifestID")
	}
	return s.used.once(ctx, state, s.opt.Now(), func() (*Answer, error) { return s.pay(ctx, ask, state, false) })
}

// pay is Pay for a state that was read; first says whether it is a session's first.
func (s *Signer) pay(ctx context.Context, ask *Ask, state *State, first bool) (*Answer, error) {
	now := s.opt.Now()
	t := ask.Terms
	if s.opt.Payer.Wear(t) == sender.Stale || !ask.TokenExpires.IsZero() && !now.Before(ask.TokenExpires) {
		return nil, refuse(StatusRefresh, "refresh session for remote signer")
	}
	at := s.steady()
	units, err := ask.units(state, at)
	if err != nil {
		return nil, err
	}
	most, err := ask.MaxPrice.rat(ask.Type)
	if err != nil {
		return nil, err
	}
	if err := checkPrice(paidPrice(ask, state), ceiling{"signer maximum price", ask.OwnMaxPrice},
		ceiling{"request maxPrice", most}); err != nil {
		return nil, err
	}
	if err := checkPrice(t.Price, sessionCeiling(state, first)); err != nil {
		return nil, err
	}
	next, n, err := s.next(ask, state, units, at, first)
	if err != nil {
		return nil, err
	}
	if err := s.authorize(ctx, ask, next, now); err != nil {
		return nil, err
	}
	amount := t.EV().Times(int64(n))
	day, err := s.opt.Budget.take(ctx, next.payer(), amount, now)
	if err != nil {
		return nil, err
	}
	answer, err := s.issue(ctx, ask, state, next, n, units, now)
	if answer == nil {
		s.opt.Budget.giveBack(ctx, next.payer(), amount, day)
	}
	return answer, err
}

// paidPrice is what a unit costs: the price with which the session began, even if the orchestrator's is lower now.
func paidPrice(ask *Ask, state *State) pm.Price {
	if price := state.price(); price.Rat().Cmp(ask.Terms.Price.Rat()) > 0 {
		return price
	}
	return ask.Terms.Price
}

// sessionCeiling is the price with which a session began.
func sessionCeiling(state *State, first bool) ceiling {
	if first {
		return ceiling{}
	}
	return ceiling{"session", state.price().Rat()}
}

// next returns the state after a payment for some units, and the tickets it needs. Errors are refusals.
func (s *Signer) next(ask *Ask, state *State, units int64, now time.Time, first bool) (*State, int, error) {
	ev, fee := ask.Terms.EV(), state.price().Of(units)
	balance, _ := state.Left() // readState has read it
	missing := fee.Sub(balance)
	if missing.Sign() <= 0 {
		return nil, 0, refuse(StatusNoTickets, "no tickets")
	}
	if ev.Sign() <= 0 {
		return nil, 0, bad("ticket params without an expected value")
	}
	n := ceilDiv(missing, ev)
	if !n.IsInt64() || n.Int64() > maxTickets {
		return nil, 0, bad("numTickets %s exceeds maximum of %d", n, maxTickets)
	}
	next := *state
	if session := sessionOf(ask.Terms.Params.RecipientRandHash); session != state.PMSessionID {
		next.PMSessionID, next.SenderNonce = session, 0
	}
	next.SenderNonce += uint32(n.Int64())
	balance = balance.Add(ev.Times(n.Int64())).Sub(fee)
	next.Balance = balance.Rat().RatString()
	next.LastUpdate = now
	if next.Type == "" {
		next.Type = ask.Type
	}
	if !first {
		next.SequenceNumber++
	}
	return &next, int(n.Int64()), nil
}

// ceilDiv returns how many of unit cover v.
func ceilDiv(v, unit pm.Value) *big.Int {
	r := v.Rat()
	r.Quo(r, unit.Rat())
	return pm.ValueOf(r).Ceil()
}

// authorize asks the operator's service, unless it said that this session needs no asking yet.
func (s *Signer) authorize(ctx context.Context, ask *Ask, next *State, now time.Time) error {
	if s.opt.Authorizer == nil {
		return setAuthID(next, "", ask.AuthID)
	}
	if next.AuthExpiry >= now.Unix() {
		return nil
	}
	text, err := s.sign(next)
	if err != nil {
		return err
	}
	admitted, err := s.opt.Authorizer.Authorize(ctx, ask, text.State)
	if err != nil {
		return err
	}
	most, err := admitted.MaxPrice.rat(ask.Type)
	if err != nil {
		return refuse(http.StatusBadGateway, "the webhook's %s", err)
	}
	if err := checkPrice(paidPrice(ask, next), ceiling{"webhook maxPrice", most}); err != nil {
		return err
	}
	next.AuthExpiry = admitted.Expires
	return setAuthID(next, admitted.AuthID, ask.AuthID)
}

// setAuthID names the payer: as the webhook says, else as the caller does. It stays the same for a session. Errors are
// refusals.
func setAuthID(next *State, given, own string) error {
	id := given
	if id == "" {
		id = own
	}
	if next.AuthID != "" && (id != next.AuthID || next.OwnAuthID != (given == "")) {
		return refuse(http.StatusInternalServerError, "remote signer auth ID changed")
	}
	if len(id) > maxAuthID {
		return bad("the auth id has more than %d bytes", maxAuthID)
	}
	next.AuthID, next.OwnAuthID = id, id != "" && given == ""
	return nil
}

// issue makes the tickets and signs the state after them.
func (s *Signer) issue(ctx context.Context, ask *Ask, state, next *State, n int, units int64, now time.Time) (*Answer,
	error) {
	after := uint32(0)
	if state.PMSessionID == next.PMSessionID {
		after = state.SenderNonce
	}
	t := *ask.Terms
	t.Key = ask.Manifest
	paid, err := s.opt.Payer.Issue(ctx, &t, n, after, units)
	if err != nil {
		if fault.CodeOf(err) == fault.TicketParamsStale {
			return nil, refuse(StatusRefresh, "refresh session for remote signer")
		}
		return nil, err
	}
	next.SenderNonce = paid.Tickets[len(paid.Tickets)-1].Nonce
	signed, err := s.sign(next)
	if err != nil {
		return nil, err
	}
	s.report(ask, state, next, paid, units, now)
	return &Answer{Payment: paid, Manifest: ask.Manifest, State: signed}, nil
}
