package live

import (
	"time"

	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Prepaid keeps the payments for a stream at one orchestrator, which charges by the clock. What it was paid and has not
// had time to charge for is open, and counts against it when it fails. One goroutine uses it at a time.
type Prepaid struct {
	// Rate is how many units a second costs, Begun when the charging began.
	Rate  int64
	Now   func() time.Time
	Begun time.Time
	// paid are the units of all payments, settled those of the ones that are over.
	paid, settled int64
	// open are in the order in which they are used up.
	open []openPayment
}

type openPayment struct {
	upstream.Payment
	units int64
}

// Units are the units of a time, as orchestrators charge.
func (p *Prepaid) Units(d time.Duration) int64 {
	return int64(d/time.Second)*p.Rate + int64(d%time.Second)*p.Rate/int64(time.Second)
}

// Missing is how many units are to be paid for the stream to be paid so far ahead.
func (p *Prepaid) Missing(ahead time.Duration) int64 { return p.used() + p.Units(ahead) - p.paid }

// Within bounds one payment of missing units to twice the time ahead. An orchestrator ends a stream that is not paid,
// so a gateway that was stopped for an hour owes for no hour: the time beyond the bound is taken as not worked.
func (p *Prepaid) Within(missing int64, ahead time.Duration) int64 {
	most := 2 * p.Units(ahead)
	over := missing - most
	if over <= 0 {
		return missing
	}
	p.Begun = p.Begun.Add(time.Duration(over/p.Rate)*time.Second +
		time.Duration(over%p.Rate)*time.Second/time.Duration(p.Rate))
	return most
}

func (p *Prepaid) used() int64 { return p.Units(p.Now().Sub(p.Begun)) }

// Add adds a payment for so many units.
func (p *Prepaid) Add(paid upstream.Payment, units int64) {
	p.open = append(p.open, openPayment{paid, units})
	p.paid += units
}

// Settle ends the payments that are used up.
func (p *Prepaid) Settle() {
	used := p.used()
	for len(p.open) > 0 && p.settled+p.open[0].units <= used {
		one := p.open[0]
		one.Settle(sender.Served, one.units)
		one.Received(one.units)
		p.settled += one.units
		p.open = p.open[1:]
	}
}

// End settles what is open. blame: the orchestrator ended the stream, so that what it did not work for is not excused.
// It counts as the client's doing, whose media and parameters may have ended it.
func (p *Prepaid) End(blame bool) {
	p.Settle()
	used := p.used()
	for _, one := range p.open {
		came := min(max(0, used-p.settled), one.units)
		p.settled += one.units
		if blame && came == 0 {
			one.Forgo() // the stream may be the cause
		}
		one.Settle(sender.Served, one.units)
		if blame {
			one.Received(came)
		} else {
			one.LeftAfter(came, one.units)
		}
	}
	p.open = nil
}
