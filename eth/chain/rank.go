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
	answers   chan answer
	// The rest belongs to the follower: what was asked for, and what came of it.
	asked  question
	wanted bool
	detail string
	// again: the answer was not the whole one. cold: the pool's order is not learnt.
	again, cold bool
}

// answer is what came of a question; whole is false where the pool could not be
// read. Nobody asked for the detail where there is none.
type answer struct {
	detail string
	whole  bool
}

// question is what a rank depends on.
type question struct {
	block protocol.L2Block
	round protocol.Round
	who   core.Address
	stake string
}

func newRank() rank { return rank{questions: make(chan question, 1), answers: make(chan answer)} }

// ask asks anew when round or stake changed, and reports whether an answer is
// awaited.
func (r *rank) ask(s state) bool {
	q := question{block: s.Head.Number, round: s.Round.Number, who: s.Self.Address, stake: s.Self.DelegatedStake.String()}
	same := r.asked
	same.block = q.block
	known := r.wanted && same == q
	if known && !r.again {
		return r.detail == ""
	}
	select {
	case r.questions <- q:
		r.asked, r.wanted, r.again = q, true, false
		if !known {
			r.detail = ""
		}
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
		r.cold = false
	default:
		r.cold = true
	}
}

// hear takes an answer. One that is not whole is asked for again with the next
// poll, which goes on from what this one learnt.
func (f *follower) hear(a answer) {
	f.rank.cold = f.rank.cold || !a.whole && a.detail == ""
	f.rank.again = f.rank.again || !a.whole && a.detail != ""
	f.showRank(a.detail)
}

// forget: nobody wants to know any more.
func (r *rank) forget() { r.wanted, r.again, r.detail, r.asked = false, false, "", question{} }

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
			case f.rank.answers <- f.answerTo(ctx, q):
			}
		}
	}
}

func (f *follower) answerTo(ctx context.Context, q question) answer {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	n, err := f.c.contracts(ctx)
	if err != nil {
		return answer{detail: q.alone()}
	}
	members, size, err := f.c.ranking(ctx, n, q.block)
	if err != nil {
		return answer{detail: q.alone()}
	}
	return answer{detail: q.among(members, size), whole: true}
}

// alone is the answer without the pool, among the one with it; both are empty where
// only the pool's order is to be learnt.
func (q question) alone() string {
	if q.who.IsZero() {
		return ""
	}
	stake, _ := core.ParseLPT(q.stake)
	return fmt.Sprintf("%s has %s LPT", q.who, stake.Tokens())
}

func (q question) among(members ranking, size int) string {
	has := q.alone()
	if has == "" || len(members) == 0 {
		return has
	}
	last := members[len(members)-1].stake
	if len(members) < size {
		return fmt.Sprintf("%s; the set has room (%d of %d), so any change of stake lets it in", has, len(members), size)
	}
	stake, _ := core.ParseLPT(q.stake)
	return fmt.Sprintf("%s, rank %d; the last of the %d members has %s LPT, more than that is needed", has, members.rank(stake)+1, len(members), last.Tokens())
}
