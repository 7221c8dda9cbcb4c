package redeemer_test

import (
	"context"
	"math"
	"testing"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

// misinformed is a chain of which an endpoint says once that tickets are valid for another number of rounds.
type misinformed struct {
	*coretest.Chain
	lie  protocol.Round
	lies int
}

func (c *misinformed) Parameters(ctx context.Context) (protocol.Parameters, error) {
	p, err := c.Chain.Parameters(ctx)
	if c.lies > 0 {
		c.lies--
		p.TicketValidity = c.lie
	}
	return p, err
}

// A false number of rounds, which is read once in a round, ends no ticket and keeps none from being sent.
func TestAFalseValidityEndsNoTicket(t *testing.T) {
	for name, lie := range map[string]protocol.Round{
		"too few": 1, "far too many": 1 << 62, "the most": math.MaxUint64,
	} {
		t.Run(name, func(t *testing.T) {
			one := &misinformed{lie: lie}
			run(t, func(r *rig) {
				one.Chain = r.chain
				r.chain.SetParameters(func(p *protocol.Parameters) { p.RoundLength = 100 })
				r.chain.ToRound(r.chain.View().Round.Number + 1)
				r.chain.Open()
				r.settle()
				r.fund(1, "1", "0")
				h := r.win(r.ticket(1, "0.1", 110))
				one.lies = 1
				r.chain.ToRound(r.chain.View().Round.Number + 1)
				r.chain.Open()
				r.blocks(90, 1)
				r.is(h, pm.TicketFinal, "0.1")
			}, func(o *redeemer.Options) { one.Chain, o.Chain = o.Chain.(*coretest.Chain), one })
		})
	}
}
