package redeemer_test

import (
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/redeemer"
)

// Each transaction that redeems a ticket is a span: one that reverted has its code, one that paid what it brought.
func TestSpansOfRedemptions(t *testing.T) {
	ended := tracetest.NewSpanRecorder()
	tracer := telemetry.NewTracer(sdk.NewTracerProvider(sdk.WithSpanProcessor(ended)), func() bool { return true },
		telemetry.Trust{})
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.Hold(true)
		h := r.win(r.ticket(1, "0.5", 0))
		pass(10 * time.Second)
		r.is(h, pm.TicketSubmitted, "0")
		if got := ended.Ended(); len(got) != 0 {
			t.Errorf("ended before the transaction: %v", got)
		}
		r.fund(1, "0", "0")
		r.blocks(2, 0)
		r.is(h, pm.TicketQueued, "0")
		r.chain.Hold(false)
		r.fund(1, "1", "0")
		r.blocks(100, 0)
		w := r.is(h, pm.TicketFinal, "0.5")
		got := ended.Ended()
		if len(got) != 2 || got[0].Name() != "redeem" || got[1].Name() != "redeem" {
			t.Fatalf("%v", got)
		}
		failed, paid := attributes(got[0]), attributes(got[1])
		if failed[telemetry.ErrorType] != string(fault.SenderEmpty) || failed[telemetry.Paid] != "" {
			t.Errorf("reverted: %v", failed)
		}
		if paid[telemetry.ErrorType] != "" || paid[telemetry.Paid] != "500000000000000000" ||
			paid[telemetry.FaceValue] != paid[telemetry.Paid] || paid[telemetry.GasFee] != w.GasFee.String() ||
			paid[telemetry.Transaction] != w.Tx.String() {
			t.Errorf("paid: %v", paid)
		}
	}, func(o *redeemer.Options) { o.Tracer = tracer })
}

func attributes(s sdk.ReadOnlySpan) map[telemetry.Key]string {
	m := make(map[telemetry.Key]string)
	for _, a := range s.Attributes() {
		m[telemetry.Key(a.Key)] = a.Value.Emit()
	}
	return m
}
