package recipient_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// together runs f so often at once, and waits.
func together(times int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// The same tickets in many requests at once are credited once.
func TestSameTicketsAtOnce(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	var admitted atomic.Int64
	for range 20 {
		job := s.job(3, 1)
		together(8, func(i int) {
			mine := *job
			if i%2 == 1 {
				mine.Account.Key = "another"
			}
			h, err := n.Admit(context.Background(), &mine)
			if err == nil {
				admitted.Add(1)
				h.Release()
			}
		})
	}
	if admitted.Load() < 20 {
		t.Errorf("%d requests were admitted", admitted.Load())
	}
	total := pm.Value{}
	for _, v := range n.books.balances {
		total = total.Add(v)
	}
	if total.Cmp(s.ev(60)) != 0 || n.count.received != 60 {
		t.Errorf("credited %v, counted %d, want %v", total, n.count.received, s.ev(60))
	}
}

// While one payment is being written, others go on: of other senders, of the same
// account and even of the same parameters; but the same ticket is seen already.
func TestNothingWaitsForTheDisk(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s, other := n.session(n.gateway(1), "s"), n.session(n.gateway(2), "s")
	slow, same, next := s.job(2, 1), *s.with(pm.Payment{}, 1), s.job(2, 1)
	same.Payment = slow.Payment
	writing, written := make(chan struct{}), make(chan struct{})
	var once sync.Once
	n.books.before = func(pm.Entries) {
		first := false
		once.Do(func() { first = true })
		if first {
			close(writing)
			<-written
		}
	}
	done := make(chan error, 1)
	go func() {
		h, err := n.Admit(context.Background(), slow)
		if err == nil {
			h.Release()
		}
		done <- err
	}()
	<-writing
	n.refuse(&same, fault.TicketNonceSeen, "")
	n.admit(next).Release()
	n.admit(other.job(2, 1)).Release()
	n.Sweep()
	if got := n.Snapshot(t.Context()); len(got.Accounts) != 2 {
		t.Errorf("%+v", got)
	}
	close(written)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got, _ := n.balance(s); got.Cmp(s.ev(4)) != 0 {
		t.Errorf("balance %v", got)
	}
}

// A nonce is good again when its ticket is certainly not on disk, and only then.
func TestNoncesAfterAFailedWrite(t *testing.T) {
	t.Parallel()
	for code, again := range map[fault.Code]bool{fault.LedgerFull: true, fault.LedgerRefused: true,
		fault.LedgerFailed: false} {
		n := newNode(t)
		s := n.session(n.gateway(1), "s")
		job := s.job(2, 1)
		n.books.fail = fault.New(code, "", "")
		n.refuse(job, code, "")
		n.books.fail = nil
		if again {
			n.admit(job).Release()
		} else {
			n.refuse(job, fault.TicketNonceSeen, "")
		}
	}
}

// A gateway that goes away does not take its payment with it.
func TestGatewayGoesAway(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	ctx, cancel := context.WithCancel(t.Context())
	n.opt.Ledger = &leaving{books: n.books, cancel: cancel}
	n.open()
	h, err := n.Admit(ctx, s.job(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	h.Release()
}

type leaving struct {
	*books
	cancel func()
}

func (l *leaving) Append(ctx context.Context, e pm.Entries) error {
	l.cancel()
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.books.Append(ctx, e)
}

// Everything at once, for the race detector; at the end all adds up.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	n := newNode(t, often)
	gateways := []*gateway{n.gateway(1), n.gateway(2), n.gateway(3)}
	ctx, cancel := context.WithCancel(context.Background())
	var around sync.WaitGroup
	around.Go(func() {
		for ctx.Err() == nil {
			n.Snapshot(ctx)
			n.clock.Forward(4 * time.Minute)
			n.Sweep()
			n.SetMaxFaceValue(gwei(12_000_000))
			n.chain.change(func(v *protocol.View) { v.Head.L1++ })
		}
	})
	var billed sync.Mutex
	units := int64(0)
	together(6, func(i int) {
		s := n.session(gateways[i%3], core.ManifestID(fmt.Sprint(i%2)))
		for k := range 60 {
			if k%7 == 0 {
				s.refresh()
			}
			h, err := n.Admit(ctx, s.job(2, 1000))
			if err != nil {
				s.refresh()
				continue
			}
			if h.Begin() == nil {
				together(2, func(int) { h.Done(pm.Work{Units: 1000, Produced: -1}) })
				h.Produced(5)
				billed.Lock()
				units += 1000
				billed.Unlock()
			}
			h.Release()
		}
	})
	cancel()
	around.Wait()
	var got int64
	for _, d := range n.books.debits() {
		got += d.Units
	}
	if got != units || units == 0 {
		t.Errorf("billed %d units, want %d", got, units)
	}
	for _, a := range n.Snapshot(context.Background()).Accounts {
		if a.Jobs != 0 || a.InProgress.Sign() != 0 || n.books.balances[a.Account].Cmp(a.Balance) != 0 {
			t.Errorf("left: %+v, the books say %v", a, n.books.balances[a.Account])
		}
	}
}

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, func(o *recipient.Options) { o.Now = time.Now })
		s := n.session(n.gateway(1), "s")
		n.admit(s.job(1, 1)).Release()
		ctx, cancel := context.WithCancel(t.Context())
		ready, ended := make(chan struct{}), make(chan error)
		go func() { ended <- n.Run(ctx, func() { close(ready) }) }()
		<-ready
		<-time.After(9 * time.Minute) // of the bubble's own time
		if _, open := n.balance(s); !open {
			t.Error("closed too early")
		}
		<-time.After(2 * time.Minute)
		if _, open := n.balance(s); open {
			t.Error("not closed")
		}
		n.admit(s.job(1, 1)).Release()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, open := n.balance(s); !open {
			t.Error("the end of the process closed an account")
		}
	})
	if newNode(t).Name() == "" {
		t.Error("no name")
	}
}

// A payment is reported as valid before it is written, and only if it pays for its job.
func TestAValidPaymentIsReportedBeforeItIsWritten(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	var order []string
	n.books.before = func(pm.Entries) { order = append(order, "written") }
	admit := func(job *pm.Job) error {
		job.Verified = func() { order = append(order, "verified") }
		h, err := n.Admit(t.Context(), job)
		if err == nil {
			h.Release()
		}
		return err
	}
	if err := admit(s.job(2, 1)); err != nil || !slices.Equal(order, []string{"verified", "written"}) {
		t.Errorf("%v %v", order, err)
	}
	order = nil
	small := s.job(1, 1)
	small.Estimate = 1 << 40
	if err := admit(small); fault.CodeOf(err) != fault.InsufficientBalance || !slices.Equal(order, []string{"written"}) {
		t.Errorf("%v %v", order, err)
	}
	order = nil
	forged := s.job(2, 1)
	forged.Payment.Tickets[1].Sig[7] ^= 1
	if err := admit(forged); err == nil || slices.Contains(order, "verified") {
		t.Errorf("%v %v", order, err)
	}
}
