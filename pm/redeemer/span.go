package redeemer

import (
	"context"

	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
)

// trace begins the span of a ticket's redemption when its transaction is sent, and ends it when the transaction is
// mined or given up. A redemption that outlives the process has none.
func (r *Redeemer) trace(t *ticket) {
	w := &t.w
	if w.State == pm.TicketSubmitted {
		if !t.span.On() {
			_, t.span = r.opt.Tracer.Start(context.Background(), telemetry.Parent{}, false, telemetry.Client, "redeem", "",
				w.Since)
		}
		return
	}
	if !t.span.On() {
		return
	}
	t.span.Text(telemetry.Transaction, w.Tx.String())
	t.span.Text(telemetry.FaceValue, w.Ticket.FaceValue.String())
	t.span.Int(telemetry.Attempts, int64(w.Attempts))
	if w.State == pm.TicketMined || w.State == pm.TicketFinal {
		t.span.Text(telemetry.Paid, w.Paid.String())
		t.span.Text(telemetry.GasFee, w.GasFee.String())
	} else {
		t.span.FailCode(codeOf(w.Reason))
	}
	t.span.End()
	t.span = telemetry.Span{}
}
