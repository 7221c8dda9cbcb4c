package recipient_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// estimate is one that costs a little more than so many tickets are worth.
func (s *session) estimate(tickets int64) int64 {
	n := int64(1)
	for s.quote.Price.Of(n).Cmp(s.ev(tickets)) <= 0 {
		n += n/8 + 1
	}
	return n
}

// Many requests at once, each with a ticket that is less than it costs, have no more work begun than their balance
// pays for: what one needs of it is not there for another while the tickets are written.
func TestABalanceBeginsNoWorkTwice(t *testing.T) {
	t.Parallel()
	for name, models := range map[string][]inference.Model{"segments": nil, "model": {llama}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			s := n.session(n.gateway(1), "33_m", models...)
			n.admit(s.job(9, 1)).Release()
			// Each costs a little more than six tickets, and comes with one.
			estimate := s.estimate(6)
			const jobs = 5
			written := make(chan struct{})
			var begun, admitted atomic.Int64
			waiting := make(chan struct{}, jobs)
			n.books.before = func(pm.Entries) {
				waiting <- struct{}{}
				<-written
			}
			all := make([]*pm.Job, jobs)
			for i := range all {
				all[i] = s.job(1, estimate)
				all[i].Verified = func() { begun.Add(1) }
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				together(jobs, func(i int) {
					h, err := n.Admit(context.Background(), all[i])
					if err == nil {
						admitted.Add(1)
						defer h.Release()
					}
				})
			}()
			for range jobs {
				<-waiting
			}
			if begun.Load() != 1 {
				t.Errorf("%d began while nothing was written", begun.Load())
			}
			// A job without tickets takes none of what is promised.
			n.refuse(s.job(0, estimate), fault.InsufficientBalance, "")
			close(written)
			<-done
			n.books.before = nil
			if admitted.Load() < 1 {
				t.Error("none was admitted")
			}
			// Nothing stays promised.
			n.admit(s.job(0, estimate)).Release()
		})
	}
}

// A payment that cannot be written leaves nothing promised, and no work begins before one is written again: its
// tickets could be sent again and again.
func TestNoWorkBeginsWhileNothingIsWritten(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	n.admit(s.job(9, 1)).Release()
	estimate := s.estimate(6)
	begun := 0
	job := s.job(1, estimate)
	job.Verified = func() { begun++ }
	for _, code := range []fault.Code{fault.LedgerRefused, fault.LedgerFull, fault.LedgerFull, fault.StoreUnreachable} {
		n.books.fail = fault.New(code, "", "")
		n.refuse(job, code, "")
	}
	if begun != 2 {
		t.Errorf("began %d times, expected it until the first write that failed", begun)
	}
	n.books.fail = nil
	n.admit(s.job(0, estimate)).Release()
	n.admit(job).Release()
	last := s.job(1, estimate)
	last.Verified = func() { begun++ }
	n.admit(last).Release()
	if begun != 3 {
		t.Errorf("began %d times, expected it again after a write", begun)
	}
}
