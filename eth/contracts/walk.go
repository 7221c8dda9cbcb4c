package contracts

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// maxPool is far beyond the size of any pool; more members are a faulty answer.
const maxPool = 2_000

// WalkPool reads the pool's members, highest stake first. The pool is a chain in
// which each member names the next, so a stranger to it needs a question after
// another; members that are known, in any order, are asked all at once. The block
// must be a named one, or a change while walking fails the walk. With an error it
// returns the members that it got to know, so that another walk can go on from there.
func (r Reads) WalkPool(ctx context.Context, b Batcher, at protocol.L2Block,
	known []core.Address) ([]core.Address, error) {
	w := walk{next: make(map[core.Address]core.Address)}
	if err := w.ask(ctx, r, b, at, known); err != nil {
		return nil, err
	}
	for member := w.first; !member.IsZero(); {
		if w.repeats(member) {
			return nil, fault.New(fault.ContractAnswerInvalid, "read the pool",
				fmt.Sprintf("its order has no end after %d members", len(w.order)))
		}
		w.order = append(w.order, member)
		next, ok := w.next[member]
		if !ok {
			if err := ReadAll(ctx, b, at, r.NextInPool(member, &next)); err != nil {
				return w.order, err
			}
		}
		member = next
	}
	return w.order, nil
}

// walk is a pool's order as far as it is known.
type walk struct {
	first core.Address
	next  map[core.Address]core.Address
	order []core.Address
	seen  map[core.Address]bool
}

// ask reads the first member and what follows each known one.
func (w *walk) ask(ctx context.Context, r Reads, b Batcher, at protocol.L2Block, known []core.Address) error {
	after := make([]core.Address, len(known))
	reads := []Read{r.FirstInPool(&w.first)}
	for i, account := range known {
		reads = append(reads, r.NextInPool(account, &after[i]))
	}
	if err := ReadAll(ctx, b, at, reads...); err != nil {
		return err
	}
	for i, account := range known {
		w.next[account] = after[i]
	}
	w.seen = make(map[core.Address]bool)
	return nil
}

// repeats marks a member and reports whether the walk would not end.
func (w *walk) repeats(member core.Address) bool {
	again := w.seen[member] || len(w.order) >= maxPool
	w.seen[member] = true
	return again
}
