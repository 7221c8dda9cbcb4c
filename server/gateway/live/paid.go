package live

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// How far ahead of its work a stream is paid: nodes of the existing network want a minute, our own an interval.
const (
	aheadNetwork = time.Minute
	aheadOwn     = 10 * time.Second
)

// Tokens and ticket parameters last for half an hour, so a stream gets new ones every refreshEvery, and after a
// failure after refreshAgain.
const (
	refreshEvery = 6 * time.Minute
	refreshAgain = 30 * time.Second
)

// payments pays for a stream at one orchestrator. The orchestrator charges by the clock; what it was paid and has not
// had time to charge for is open, and counts against it when it fails. One goroutine uses it at a time.
type payments struct {
	offer    *offer
	client   string
	interval time.Duration
	ahead    time.Duration
	log      *slog.Logger
	now      func() time.Time
	begun    time.Time
	// paid are the units of all payments, settled those of the ones that are over.
	paid, settled int64
	// open are in the order in which they are used up.
	open []openPayment
}

type openPayment struct {
	upstream.Payment
	units int64
}

// unitsOf are the units of a time, as orchestrators charge.
func unitsOf(d time.Duration) int64 {
	return int64(d/time.Second)*orchestrate.PixelsPerSecond +
		int64(d%time.Second)*orchestrate.PixelsPerSecond/int64(time.Second)
}

// Run pays an interval's work at each interval until ctx ends. A payment that fails is tried again at the next one: the
// orchestrator ends the stream when it has waited long enough.
func (p *payments) Run(ctx context.Context, manifest string) error {
	return p.run(ctx, p.offer.client.LivePayments(p.offer.terms, core.ManifestID(manifest), p.client))
}

// payer pays, and gets new terms before those that it has end.
type payer interface {
	Pay(ctx context.Context, units int64) (upstream.Payment, error)
	Refresh(ctx context.Context) error
}

var _ payer = (*upstream.LivePayments)(nil)

func (p *payments) run(ctx context.Context, to payer) error {
	refresh := p.begun.Add(refreshEvery)
	tick := time.NewTicker(p.interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if now := p.now(); !now.Before(refresh) {
			refresh = now.Add(refreshEvery)
			if err := to.Refresh(ctx); err != nil {
				refresh = now.Add(refreshAgain)
				p.log.Warn("a live stream has no new terms", "orchestrator", p.uri(), fault.Attr(err))
			}
		}
		used := unitsOf(p.now().Sub(p.begun))
		p.settle(used)
		missing := used + unitsOf(p.ahead) - p.paid
		if missing <= 0 {
			continue
		}
		missing = p.within(missing)
		paid, err := to.Pay(ctx, missing)
		if err != nil {
			p.log.Warn("a live stream is not paid for", "orchestrator", p.uri(), fault.Attr(err))
			continue
		}
		p.add(paid, missing)
	}
}

// within bounds one payment. An orchestrator ends a stream that is not paid, so a gateway that was stopped for an hour
// owes for no hour: the time beyond the bound is taken as not worked.
func (p *payments) within(missing int64) int64 {
	most := 2 * unitsOf(p.ahead)
	if over := missing - most; over > 0 {
		whole, rest := over/orchestrate.PixelsPerSecond, over%orchestrate.PixelsPerSecond
		p.begun = p.begun.Add(time.Duration(whole)*time.Second +
			time.Duration(rest)*time.Second/orchestrate.PixelsPerSecond)
		return most
	}
	return missing
}

func (p *payments) uri() string {
	if p.offer == nil {
		return ""
	}
	return p.offer.URI()
}

func (p *payments) add(paid upstream.Payment, units int64) {
	p.open = append(p.open, openPayment{paid, units})
	p.paid += units
}

// settle ends the payments that are used up.
func (p *payments) settle(used int64) {
	for len(p.open) > 0 && p.settled+p.open[0].units <= used {
		one := p.open[0]
		one.Settle(sender.Served, one.units)
		one.Received(one.units)
		p.settled += one.units
		p.open = p.open[1:]
	}
}

// End settles what is open. blame: the orchestrator ended the stream, so that what it did not work for counts against
// it.
func (p *payments) End(blame bool) {
	used := unitsOf(p.now().Sub(p.begun))
	p.settle(used)
	for _, one := range p.open {
		came := min(max(0, used-p.settled), one.units)
		p.settled += one.units
		one.Settle(sender.Served, one.units)
		if blame {
			one.Received(came)
		} else {
			one.LeftAfter(came, one.units)
		}
	}
	p.open = nil
}
