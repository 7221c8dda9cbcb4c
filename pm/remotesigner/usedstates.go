package remotesigner

import (
	"container/list"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// How many sessions' last states are remembered, and for how long: a session pays every few seconds.
const (
	maxUsed  = 4096
	usedLife = 10 * time.Minute
)

// errNotPaid ends the wait for a payment that broke off.
var errNotPaid = errors.New("the payment broke off") // Read-only.

// usedStates remembers which states were used. A repeated request, whose answer was lost, gets the same answer; an
// older state is refused, so that no state pays twice.
type usedStates struct {
	mu sync.Mutex
	// sessions by StateID; order has them by their last use.
	sessions map[string]*list.Element
	order    *list.List
}

// use is the last payment of a session.
type use struct {
	id     string
	number uint64
	at     time.Time
	// done is closed once answer and err are there.
	done   chan struct{}
	answer *Answer
	err    error
	// before is the session's earlier use until this one is paid for, guarded by mu.
	before *use
}

func newUsedStates() *usedStates {
	return &usedStates{sessions: make(map[string]*list.Element), order: list.New()}
}

// once runs pay for a state, or returns the answer that the state got already. What fails may be tried again.
func (u *usedStates) once(ctx context.Context, state *State, now time.Time, pay func() (*Answer, error)) (*Answer,
	error) {
	mine, other, err := u.begin(state, now)
	switch {
	case err != nil:
		return nil, err
	case other != nil:
		select {
		case <-other.done:
			return other.answer, other.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	mine.err = errNotPaid // for those that wait, if pay panics
	defer func() {
		u.end(mine)
		close(mine.done)
	}()
	mine.answer, mine.err = pay()
	return mine.answer, mine.err
}

// begin finds the use of a state by another request, or makes one. The error is a refusal.
func (u *usedStates) begin(state *State, now time.Time) (mine, other *use, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sweepLocked(now)
	number := state.SequenceNumber
	if e := u.sessions[state.StateID]; e != nil {
		last := e.Value.(*use)
		switch {
		case number == last.number:
			return nil, last, nil
		case number < last.number:
			return nil, nil, refuse(http.StatusBadRequest, "invalid state")
		}
		u.removeLocked(e)
		other = last
	}
	mine = &use{id: state.StateID, number: number, at: now, done: make(chan struct{}), before: other}
	u.sessions[mine.id] = u.order.PushBack(mine)
	return mine, nil, nil
}

// sweepLocked drops what is old or too much.
func (u *usedStates) sweepLocked(now time.Time) {
	for e := u.order.Front(); e != nil; e = u.order.Front() {
		if u.order.Len() < maxUsed && now.Sub(e.Value.(*use).at) < usedLife {
			return
		}
		u.removeLocked(e)
	}
}

func (u *usedStates) removeLocked(e *list.Element) {
	u.order.Remove(e)
	delete(u.sessions, e.Value.(*use).id)
}

// end ends a use. One that was not paid for leaves the session's earlier one in its place: it may be tried again,
// and earlier states still pay for nothing.
func (u *usedStates) end(mine *use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	before := mine.before
	mine.before = nil
	e := u.sessions[mine.id]
	if mine.err == nil || e == nil || e.Value != mine {
		return
	}
	if before == nil {
		u.removeLocked(e)
		return
	}
	before.at = mine.at
	e.Value = before
}
