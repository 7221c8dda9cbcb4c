package inference

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// hedge is how long only the best member has the request. One with a free slot answers in
	// microseconds.
	hedge = time.Millisecond
	// lookAgain is how often a waiting search checks whether another member has the model by now.
	lookAgain = 50 * time.Millisecond
)

// answer is a member's reply to a request for a slot.
type answer struct {
	member int
	slot   Slot
	err    error
}

// search is one request for a slot, in the queues of several members at once.
type search struct {
	f       *Fleet
	model   Model
	party   string
	asked   map[int]bool
	answers chan answer
	pending int
	// err is the most informative reason for having no slot.
	err error
}

// seek waits in the queues of all members that have the model and takes the first slot. Members in
// skip are not asked.
func (f *Fleet) seek(ctx context.Context, model Model, party string, skip map[int]bool) (answer, error) {
	s := &search{f: f, model: model, party: party, asked: make(map[int]bool), answers: make(chan answer, len(f.members))}
	for i := range skip {
		s.asked[i] = true
	}
	asking, cancel := context.WithCancel(ctx)
	won, err := s.run(asking)
	cancel()
	s.releaseUnused()
	return won, err
}

func (s *search) run(ctx context.Context) (answer, error) {
	if !s.ask(ctx, 1) {
		return answer{}, s.reason()
	}
	look := time.NewTimer(hedge)
	defer look.Stop()
	for {
		select {
		case a := <-s.answers:
			s.pending--
			if a.err == nil {
				return a, nil
			}
			s.keepReason(a.err)
			// Another member may have a slot, but the job may be over.
			if ctx.Err() != nil || !s.ask(ctx, 1) && s.pending == 0 {
				return answer{}, s.reason()
			}
		case <-look.C:
			s.ask(ctx, len(s.f.members))
			look.Reset(lookAgain)
		}
	}
}

// ask requests a slot from up to n more members, and reports whether there were any. A model is
// started only if no member has it loaded and no request is pending.
func (s *search) ask(ctx context.Context, n int) bool {
	all := s.f.candidates(s.model, nil)
	loaded := warm(all)
	wanted := loaded
	if len(loaded) == 0 || s.allAsked(loaded) && s.pending == 0 {
		wanted = all
		n = min(n, 1)
		if s.pending > 0 {
			return false
		}
	}
	before := n
	for i := range wanted {
		if c := &wanted[i]; n > 0 && !s.asked[c.member] {
			s.join(ctx, c.member)
			n--
		}
	}
	return n < before
}

func (s *search) allAsked(list []candidate) bool {
	for i := range list {
		if !s.asked[list[i].member] {
			return false
		}
	}
	return true
}

func (s *search) join(ctx context.Context, member int) {
	s.asked[member] = true
	s.pending++
	go func() {
		slot, err := s.f.members[member].Reserve(ctx, s.model, s.party)
		s.answers <- answer{member, slot, err}
	}()
}

// releaseUnused waits for the remaining members and releases the slots that they still found. Their
// contexts are canceled, so they answer at once.
func (s *search) releaseUnused() {
	for ; s.pending > 0; s.pending-- {
		if a := <-s.answers; a.err == nil {
			a.slot.Release()
		}
	}
}

// keepReason keeps the first reason that says more than that a member has no such model.
func (s *search) keepReason(err error) {
	if s.err == nil || fault.CodeOf(s.err) == fault.ModelNotServed {
		s.err = err
	}
}

func (s *search) reason() error {
	if s.err == nil {
		return fault.New(fault.ModelNotServed, "reserve a slot", s.model.String())
	}
	return s.err
}
