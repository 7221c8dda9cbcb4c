package redeemer_test

import (
	"context"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

// far is a chain behind endpoints that take their time.
type far struct {
	*coretest.Chain
}

// answerTime is how long an endpoint takes for one answer.
const answerTime = 80 * time.Millisecond

func wait(ctx context.Context) error {
	timer := time.NewTimer(answerTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (f far) SenderFunds(ctx context.Context, addr core.Address) (protocol.SenderFunds, error) {
	if err := wait(ctx); err != nil {
		return protocol.SenderFunds{}, err
	}
	return f.Chain.SenderFunds(ctx, addr)
}

func (f far) TicketUsed(ctx context.Context, ticket protocol.Hash) (bool, error) {
	if err := wait(ctx); err != nil {
		return false, err
	}
	return f.Chain.TicketUsed(ctx, ticket)
}

func (f far) Payouts(ctx context.Context, tx protocol.TxHash) ([]protocol.Payout, error) {
	if err := wait(ctx); err != nil {
		return nil, err
	}
	return f.Chain.Payouts(ctx, tx)
}

func (f far) Estimate(ctx context.Context, a protocol.Action) (protocol.Estimate, error) {
	if err := wait(ctx); err != nil {
		return protocol.Estimate{}, err
	}
	return f.Chain.Estimate(ctx, a)
}

func (f far) Send(ctx context.Context, a protocol.Action, opt protocol.SendOptions) (protocol.Transaction, error) {
	if err := wait(ctx); err != nil {
		return protocol.Transaction{}, err
	}
	return f.Chain.Send(ctx, a, opt)
}

// behind puts a rig's chain behind slow endpoints.
func behind(o *redeemer.Options) {
	f := far{o.Chain.(*coretest.Chain)}
	o.Chain, o.Actor = f, f
}

// Four hundred winners within 40 s, in rounds of 90 layer-1 blocks of a second each: their
// parameters expire first, and all are paid in their rounds.
func TestABurstOfWinnersIsPaidInTime(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "100", "1")
		r.chain.Hold(true)
		r.chain.SetParameters(func(p *protocol.Parameters) { p.RoundLength = 90 })
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.Open()
		var all []protocol.Hash
		for second := range 330 {
			if second >= 45 && second < 85 {
				for range 10 {
					all = append(all, r.book(r.ticket(1, "0.01", 40+redeemer.Margin)))
				}
			}
			r.second()
		}
		pass(time.Minute)
		r.count(all, pm.TicketFinal)
	}, behind)
}

// second lets a second go by, in which there are two blocks and one of layer 1, and
// an account initializes the round that begins.
func (r *rig) second() {
	pass(time.Second / 2)
	r.chain.Mine(1, 0)
	pass(time.Second / 2)
	r.chain.Mine(1, 1)
	if !r.chain.View().Round.Initialized {
		r.chain.Open()
	}
}

// book takes a winner into the books, and hands it in.
func (r *rig) book(w pm.Winner) protocol.Hash {
	r.Helper()
	if err := r.books.Append(context.Background(), pm.Entries{Winners: []pm.Winner{w}}); err != nil {
		r.Fatalf("%v", err)
	}
	r.Won(w)
	return w.Hash
}

// count checks that all tickets are in a state, and says why others are not.
func (r *rig) count(all []protocol.Hash, want pm.TicketState) {
	r.Helper()
	states, reasons := map[pm.TicketState]int{}, map[string]int{}
	for _, h := range all {
		w := r.books.winner(h)
		states[w.State]++
		if w.State != want {
			reasons[w.Reason]++
		}
	}
	if states[want] != len(all) {
		r.Errorf("%v of %d tickets, for %v", states, len(all), reasons)
	}
}
