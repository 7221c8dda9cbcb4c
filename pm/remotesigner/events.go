package remotesigner

import (
	"time"

	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
)

// signedTicket is the event of a payment that was signed, with the fields that the operator's analytics know. It has
// nothing that a ticket could be made of.
type signedTicket struct {
	Session          string `json:"session_id"`
	Status           string `json:"session_status"`
	App              string `json:"pipeline"`
	AuthID           string `json:"auth_id"`
	Account          string `json:"orch_address"`
	URL              string `json:"orch_url"`
	Manifest         string `json:"manifest_id"`
	PMSession        string `json:"pm_session_id"`
	CurrentTime      string `json:"current_time"`
	CurrentTimeUnix  int64  `json:"current_time_unix"`
	PreviousTime     string `json:"previous_time"`
	PreviousTimeUnix int64  `json:"previous_time_unix"`
	Seconds          int64  `json:"billable_secs"`
	Pixels           int64  `json:"pixels"`
	Balance          string `json:"session_balance"`
	Fee              string `json:"computed_fee"`
	CostPerPixel     string `json:"cost_per_pixel"`
	Number           uint64 `json:"sequence_number"`
	Tickets          int    `json:"num_tickets"`
}

// maxURL bounds an orchestrator's address, which the caller chooses.
const maxURL = 256

// report sends the event of a payment. Prices and amounts are wei.
func (s *Signer) report(ask *Ask, state, next *State, paid *pm.Payment, units int64, now time.Time) {
	if s.opt.Events == nil {
		return
	}
	price := state.price()
	e := signedTicket{
		Session: next.StateID, Status: "continuing", App: next.App, AuthID: next.AuthID,
		Account: next.OrchestratorAddress, URL: ask.Terms.Peer[:min(len(ask.Terms.Peer), maxURL)],
		Manifest: string(ask.Manifest), PMSession: next.PMSessionID,
		CurrentTime: now.UTC().Format(time.RFC3339), CurrentTimeUnix: now.UnixMilli(),
		PreviousTime: state.LastUpdate.UTC().Format(time.RFC3339), PreviousTimeUnix: state.LastUpdate.UnixMilli(),
		Balance: next.Balance, Fee: price.Of(units).Rat().FloatString(0), CostPerPixel: price.Rat().FloatString(10),
		Number: next.SequenceNumber, Tickets: len(paid.Tickets),
	}
	if next.SequenceNumber == 0 {
		e.Status, e.PreviousTime, e.PreviousTimeUnix = "new", e.CurrentTime, e.CurrentTimeUnix
	}
	switch next.Type {
	case Live:
		e.Seconds = units
	case Video:
		e.Seconds, e.Pixels = units/pixelsPerSecond, units
	case Fixed:
	default:
		e.Pixels = units
	}
	s.opt.Events.Send(telemetry.SignedTicket, &e)
}
