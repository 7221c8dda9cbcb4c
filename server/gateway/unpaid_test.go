package gateway_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// unpaying is a gateway's account that cannot pay, for the reason that it names.
type unpaying struct {
	upstream.FreePayments
	code fault.Code
}

func (u unpaying) PaymentTerms(upstream.Info, upstream.Work) (upstream.PaymentTerms, error) {
	return u, nil
}

func (unpaying) Wear() sender.Wear { return 0 }

func (u unpaying) Pay(context.Context, string, int64) (upstream.Payment, error) {
	return nil, fault.New(u.code, "pay", "")
}

// A gateway that cannot pay says nothing of the segment: clients take 422 for bad input
// and drop it, and come back after 503.
func TestSegmentThatIsNotPaidForIsNotBadInput(t *testing.T) {
	t.Parallel()
	for _, code := range []fault.Code{
		fault.OwnDepositEmpty, fault.OwnReserveEmpty, fault.OwnFundsUnlocking, fault.TicketFaceValueHigh, fault.TicketEVHigh,
		fault.TicketTotalEVHigh, fault.PriceRaised, fault.SpentFailed, fault.PaymentUnsigned, fault.PaidWorkMissing,
		fault.CreditInUse,
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			a, b := newFake(t), newFake(t)
			n := start(t, []string{a.uri, b.uri}, func(o *gateway.Options) { o.Payments = unpaying{code: code} })
			n.push("/live/show/0.ts", media).wantFault(t, http.StatusServiceUnavailable, fault.NoSessionsAvailable)
		})
	}
}
