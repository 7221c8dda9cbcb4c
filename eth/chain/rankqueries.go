package chain

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// rankQueries finds, in a goroutine of its own, the rank of an orchestrator that is not in the pool.
type rankQueries struct {
	queries chan rankQuery
	results chan rankResult
	// The follower owns the rest: the last query and its result.
	query  rankQuery
	wanted bool
	detail string
	// retry: the result was incomplete. orderUnknown: the pool's order is not loaded.
	retry, orderUnknown bool
}

// rankResult is the result of a query; complete is false where the pool could not be read. detail is empty
// for a query that only loads the order.
type rankResult struct {
	detail   string
	complete bool
}

// rankQuery is what a rank depends on.
type rankQuery struct {
	block        protocol.L2Block
	round        protocol.Round
	orchestrator core.Address
	stake        string
}

func newRank() rankQueries {
	return rankQueries{queries: make(chan rankQuery, 1), results: make(chan rankResult)}
}

// ask queries again when round or stake changed, and reports whether a result is pending.
func (r *rankQueries) ask(s state) bool {
	q := rankQuery{block: s.Head.Number, round: s.Round.Number, orchestrator: s.Self.Address,
		stake: s.Self.DelegatedStake.String()}
	same := r.query
	same.block = q.block
	known := r.wanted && same == q
	if known && !r.retry {
		return r.detail == ""
	}
	select {
	case r.queries <- q:
		r.query, r.wanted, r.retry = q, true, false
		if !known {
			r.detail = ""
		}
	default:
		// One is in progress; the next step asks again.
	}
	return true
}

// preloadOrder loads the pool's order, one member after another, before it is needed.
func (r *rankQueries) preloadOrder(block protocol.L2Block) {
	select {
	case r.queries <- rankQuery{block: block}:
		r.orderUnknown = false
	default:
		r.orderUnknown = true
	}
}

// receiveRank takes a result. The next poll retries an incomplete one, which continues from the members
// found.
func (f *follower) receiveRank(a rankResult) {
	f.rank.orderUnknown = f.rank.orderUnknown || !a.complete && a.detail == ""
	f.rank.retry = f.rank.retry || !a.complete && a.detail != ""
	f.showRank(a.detail)
}

// reset drops the query.
func (r *rankQueries) reset() { r.wanted, r.retry, r.detail, r.query = false, false, "", rankQuery{} }

// serveRankQueries answers until ctx ends. Where the pool cannot be read, the result is the stake alone.
func (f *follower) serveRankQueries(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-f.rank.queries:
			select {
			case <-ctx.Done():
				return
			case f.rank.results <- f.findRank(ctx, q):
			}
		}
	}
}

func (f *follower) findRank(ctx context.Context, q rankQuery) rankResult {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	n, err := f.c.contracts(ctx)
	if err != nil {
		return rankResult{detail: q.stakeText()}
	}
	members, size, err := f.c.ranking(ctx, n, q.block)
	if err != nil {
		return rankResult{detail: q.stakeText()}
	}
	return rankResult{detail: q.rankText(members, size), complete: true}
}

// stakeText returns the result without the pool, rankText the one with it; both are empty for a query that only
// loads the order.
func (q rankQuery) stakeText() string {
	if q.orchestrator.IsZero() {
		return ""
	}
	stake, _ := core.ParseLPT(q.stake)
	return fmt.Sprintf("%s has %s LPT", q.orchestrator, stake.Tokens())
}

func (q rankQuery) rankText(members ranking, size int) string {
	has := q.stakeText()
	if has == "" || len(members) == 0 {
		return has
	}
	last := members[len(members)-1].stake
	if len(members) < size {
		return fmt.Sprintf("%s; the set has a free slot (%d of %d), so any change of stake lets it in", has, len(members),
			size)
	}
	stake, _ := core.ParseLPT(q.stake)
	return fmt.Sprintf("%s, rank %d; the last of the %d members has %s LPT, and it needs more than that", has,
		members.rank(stake)+1, len(members), last.Tokens())
}
