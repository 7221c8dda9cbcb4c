package chain

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// rank finds out, beside following the chain, where an orchestrator that is not in
// the pool stands.
type rank struct {
	questions chan question
	answers   chan string
	// The rest belongs to the follower: what was asked for, and what came of it.
	asked  question
	wanted bool
	detail string
}

// question is what a rank depends on.
type question struct {
	block protocol.L2Block
	round protocol.Round
	who   core.Address
	stake string
}

func newRank() rank { return rank{questions: make(chan question, 1), answers: make(chan string)} }

// ask asks anew when round or stake changed, and reports whether an answer is
// awaited.
func (r *rank) ask(s state) bool {
	q := question{block: s.Head.Number, round: s.Round.Number, who: s.Self.Address, stake: s.Self.DelegatedStake.String()}
	same := r.asked
	same.block = q.block
	if r.wanted && same == q {
		return r.detail == ""
	}
	select {
	case r.questions <- q:
		r.asked, r.wanted, r.detail = q, true, ""
	default:
		// One is being answered; the next look asks again.
	}
	return true
}

// warm has the pool's order learnt, one member after another, before anybody needs
// it.
func (r *rank) warm(block protocol.L2Block) {
	select {
	case r.questions <- question{block: block}:
	default:
	}
}

// forget: nobody wants to know any more.
func (r *rank) forget() { r.wanted, r.detail, r.asked = false, "", question{} }

// rankAll answers until ctx ends. Where the pool cannot be read, the answer is the
// stake alone.
func (f *follower) rankAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-f.rank.questions:
			select {
			case <-ctx.Done():
				return
			case f.rank.answers <- f.answer(ctx, q):
			}
		}
	}
}

func (f *follower) answer(ctx context.Context, q question) string {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	stake, _ := core.ParseLPT(q.stake)
	has := fmt.Sprintf("%s has %s LPT", q.who, stake.Tokens())
	n, err := f.c.contracts(ctx)
	if err != nil {
		return has
	}
	members, size, err := f.c.ranking(ctx, n, q.block)
	switch {
	case q.who.IsZero():
		return ""
	case err != nil || len(members) == 0:
		return has
	}
	last := members[len(members)-1].stake
	if len(members) < size {
		return fmt.Sprintf("%s; the set has room (%d of %d), so any change of stake lets it in", has, len(members), size)
	}
	return fmt.Sprintf("%s, rank %d; the last of the %d members has %s LPT, more than that is needed", has, members.rank(stake)+1, len(members), last.Tokens())
}
