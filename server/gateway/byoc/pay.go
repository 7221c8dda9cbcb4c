package byoc

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// enough is how many seconds an orchestrator shall hold at least, leastPaid how many nodes of the network want to
	// hold before they work.
	enough    = 120
	leastPaid = 60
	// eventStep is the time that nodes of the network charge at once for event streams, in seconds.
	eventStep = 5
)

// pay pays an orchestrator so that it holds a job's time: it ends work that is not paid any more. If it says that it
// holds that, the payment has no tickets, or is nil where this gateway counts less, and where the work is free.
// refused: the orchestrator has just refused the job because it holds too little, whatever its terms say. Errors are
// faults.
func pay(ctx context.Context, t *upstream.CapabilityTerms, client string, seconds int64, refused bool) (
	upstream.Payment, int64, error) {
	if !t.Paid() {
		return nil, 0, nil
	}
	if err := t.CheckPrice(); err != nil {
		return nil, 0, err
	}
	seconds = max(seconds, enough)
	if most := t.Most(); most >= 0 {
		seconds = max(min(seconds, most), leastPaid)
	}
	if !refused && t.Covers(seconds) {
		return draw(ctx, t, client, seconds)
	}
	p, err := t.Pay(ctx, client, seconds)
	if err != nil && seconds > leastPaid && tooMuch(err) {
		seconds = leastPaid
		p, err = t.Pay(ctx, client, seconds)
	}
	if err == nil && p.Value().Sign() == 0 && (refused || !t.Covers(leastPaid)) {
		// This gateway counts more than the orchestrator says that it holds. The next payment counts on nothing.
		upstream.Short(p)
		p, err = t.Pay(ctx, client, seconds)
	}
	if err != nil {
		return nil, 0, err
	}
	return p, seconds, nil
}

// draw pays for a job out of what the orchestrator holds, without tickets: work that is not counted would leave it in
// this gateway's books as paid and not worked for.
func draw(ctx context.Context, t *upstream.CapabilityTerms, client string, seconds int64) (upstream.Payment, int64,
	error) {
	if !t.Counted(seconds) {
		return nil, 0, nil
	}
	p, err := t.Pay(ctx, client, seconds)
	if err != nil {
		return nil, 0, err
	}
	if p.Value().Sign() > 0 { // another job was faster
		p.Settle(sender.Unsent, 0)
		return nil, 0, nil
	}
	return p, seconds, nil
}

// tooMuch reports whether less work may be paid for where so much may not.
func tooMuch(err error) bool {
	switch fault.CodeOf(err) {
	case fault.TicketsTooMany, fault.TicketTotalEVHigh, fault.RequestTooExpensive, fault.CreditInUse:
		return true
	}
	return false
}

// started is how many seconds are charged for a time.
func started(d time.Duration, events bool) int64 {
	step := int64(1)
	if events {
		step = eventStep
	}
	n := max(1, int64((d+time.Second-1)/time.Second))
	return (n + step - 1) / step * step
}
