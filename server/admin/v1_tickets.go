package admin

import (
	"math/big"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/earnings"
)

// redeemableRounds is for how long after its own round a ticket can be redeemed.
const redeemableRounds = 1

// ticketEndpoints returns about winning tickets.
func ticketEndpoints() []endpoint {
	list := get(adminapi.PathTickets, "Winning tickets and what became of them, the newest first", adminapi.Tickets{})
	list.CSV = true
	list.Query = []adminapi.QueryParameter{
		{Name: adminapi.QueryState, About: "only tickets in this state", Values: ticketStates()},
		{Name: adminapi.QueryGateway, About: "only tickets of this gateway", Text: true},
		{Name: adminapi.QueryLimit, About: "at most so many, up to 1000; 100 where absent, and no bound in CSV"},
		{Name: adminapi.QueryBefore, About: "only tickets won before this time", Text: true},
		formatParameter(),
	}
	return []endpoint{
		{Route: list, serve: ticketsV1},
		{Route: get(adminapi.PathTicket, "One winning ticket and its life", adminapi.TicketLife{}), serve: ticketV1},
		{Route: post(adminapi.PathTicketRetry, "Take up a ticket again that failed, or ended as expired too early",
			adminapi.None{}, adminapi.Ticket{}), serve: retryTicketV1},
	}
}

func ticketStates() (out []string) {
	for _, s := range []pm.TicketState{pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined, pm.TicketFinal,
		pm.TicketFailed, pm.TicketExpired, pm.TicketHanded} {
		out = append(out, string(s))
	}
	return out
}

func ticketsV1(s *Server, r *http.Request) (any, error) {
	source := s.opts.Books.Tickets
	if source == nil {
		return nil, absent("tickets")
	}
	filter, err := ticketFilter(r)
	if err != nil {
		return nil, err
	}
	winners, err := source.Winners(r.Context(), filter)
	if err != nil {
		return nil, err
	}
	if wantsCSV(r) {
		return csvReport{"tickets", earnings.Tickets(winners)}, nil
	}
	counts, err := source.Counts(r.Context())
	out := adminapi.Tickets{Tickets: []adminapi.Ticket{}, Counts: map[string]int{}}
	for i := range winners {
		out.Tickets = append(out.Tickets, ticketOf(&winners[i]))
	}
	for state, n := range counts {
		out.Counts[string(state)] = n
	}
	return out, err
}

func ticketFilter(r *http.Request) (f TicketFilter, err error) {
	q := r.URL.Query()
	f.State = pm.TicketState(q.Get(adminapi.QueryState))
	if text := q.Get(adminapi.QueryGateway); text != "" {
		if f.Gateway, err = core.ParseAddress(text); err != nil {
			return f, badParam("the query parameter gateway: %v", err)
		}
	}
	if text := q.Get(adminapi.QueryBefore); text != "" {
		if f.Before, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return f, badParam("the query parameter before cannot be %s; it is a time such as 2026-03-01T00:00:00Z", quote(text))
		}
	}
	if !wantsCSV(r) {
		f.Limit = adminapi.DefaultTickets
	}
	if text := q.Get(adminapi.QueryLimit); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > adminapi.MaxTickets {
			return f, badParam("the query parameter limit cannot be %s; it is 1 to %d", quote(text), adminapi.MaxTickets)
		}
		f.Limit = n
	}
	return f, nil
}

func ticketV1(s *Server, r *http.Request) (any, error) {
	source := s.opts.Books.Tickets
	if source == nil {
		return nil, absent("tickets")
	}
	w, err := s.ticket(r)
	if err != nil {
		return nil, err
	}
	steps, err := source.History(r.Context(), w.Hash)
	out := adminapi.TicketLife{Ticket: ticketOf(w), Steps: []adminapi.TicketStep{}}
	for _, p := range steps {
		out.Steps = append(out.Steps, adminapi.TicketStep{State: string(p.State), Time: p.At.UTC(), Tx: orNull(p.Tx),
			Paid: p.Paid, GasFee: p.GasFee, Reason: p.Reason})
	}
	return out, err
}

// ticket finds the ticket of the path.
func (s *Server) ticket(r *http.Request) (*pm.Winner, error) {
	hash, err := ticketHash(r)
	if err != nil {
		return nil, err
	}
	found, err := s.opts.Books.Tickets.Winners(r.Context(), TicketFilter{Hash: hash, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fault.New(fault.TicketUnknown, "find a ticket", hash.String())
	}
	return &found[0], nil
}

func ticketHash(r *http.Request) (hash protocol.Hash, err error) {
	if err := hash.UnmarshalText([]byte(r.PathValue("hash"))); err != nil {
		return hash, badParam("the path's hash: %v", err)
	}
	return hash, nil
}

func retryTicketV1(s *Server, r *http.Request) (any, error) {
	if _, err := body[adminapi.None](r); err != nil {
		return nil, err
	}
	hash, err := ticketHash(r)
	switch {
	case err != nil:
		return nil, err
	case s.opts.Books.Tickets == nil:
		return nil, absent("tickets")
	case s.opts.Books.RetryRedemption == nil:
		return nil, absent("redeemer of its own")
	}
	if err := s.opts.Books.RetryRedemption(r.Context(), hash); err != nil {
		return nil, err
	}
	w, err := s.ticket(r)
	if err != nil {
		return nil, err
	}
	return ticketOf(w), nil
}

func ticketOf(w *pm.Winner) adminapi.Ticket {
	t := &w.Ticket
	return adminapi.Ticket{
		Hash: w.Hash, Gateway: t.Sender, Account: string(w.Account.Key), FaceValue: t.FaceValue, Chance: oneIn(t.WinProb),
		Round:      t.CreationRound,
		RedeemFrom: w.ExpirationBlock, LastRound: t.CreationRound + redeemableRounds, State: string(w.State),
		Won: w.Won.UTC(), Since: w.Since.UTC(),
		Tx: orNull(w.Tx), Paid: w.Paid, GasFee: w.GasFee, Attempts: w.Attempts, Reason: w.Reason,
	}
}

// oneIn returns how many tickets of a probability it takes on average until one wins.
func oneIn(p protocol.Word) float64 {
	n := p.Big()
	if n.Sign() == 0 {
		return 0
	}
	all := new(big.Int).Lsh(big.NewInt(1), 256)
	f, _ := new(big.Rat).SetFrac(all, n).Float64()
	return f
}
