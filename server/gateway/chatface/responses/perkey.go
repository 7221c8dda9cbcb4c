package responses

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// slotWait is how long a request waits for others of its key.
const slotWait = 10 * time.Second

// perKey lets few requests of one key do something at once; others of the key wait. Safe for
// concurrent use.
type perKey struct {
	// most is how many of one key go on at once.
	most int

	mu sync.Mutex
	of map[Owner]*keySlots
}

// keySlots are the slots of a key that has requests.
type keySlots struct {
	taken chan struct{}
	// users are those that have a slot or wait for one. Guarded by perKey.mu.
	users int
}

// enter takes a slot of a key, which leave gives back. The error is the fault RequestsFull, or
// Canceled when ctx ends before.
func (p *perKey) enter(ctx context.Context, owner Owner) (leave func(), err error) {
	p.mu.Lock()
	s := p.of[owner]
	if s == nil {
		if p.of == nil {
			p.of = make(map[Owner]*keySlots)
		}
		s = &keySlots{taken: make(chan struct{}, p.most)}
		p.of[owner] = s
	}
	s.users++
	p.mu.Unlock()
	gone := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(p.of, owner)
		}
	}
	select {
	case s.taken <- struct{}{}:
		return func() { <-s.taken; gone() }, nil
	default:
	}
	late := time.NewTimer(slotWait)
	defer late.Stop()
	select {
	case s.taken <- struct{}{}:
		return func() { <-s.taken; gone() }, nil
	case <-late.C:
		err = fault.New(fault.RequestsFull, opStored, "the key's other requests for stored responses are not over")
	case <-ctx.Done():
		err = fault.Wrap(fault.Canceled, opStored, ctx.Err())
	}
	gone()
	return nil, err
}
