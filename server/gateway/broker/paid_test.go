package broker_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// Many clients, short jobs, and an orchestrator that takes 600 tickets under one set
// of parameters and sends none next to its answers: no job is refused for a nonce, and
// terms are renewed a few times, not for each job.
func TestBusyPayingClientsAreNotRefused(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a").foreign()
	l := o.charge(p, 600)
	s := start(t, paying(p, nil), o)
	s.mustAsk(t)
	const clients, jobs = 64, 40
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			job := chat()
			job.Units = 150 // two tickets each
			for range jobs {
				if _, _, err := s.ask(t.Context(), job, broker.Hint{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := l.refusals(); len(got) != 0 {
		t.Errorf("refused: %v", got)
	}
	asked, served := o.counts()
	tickets := l.paid
	t.Logf("%d jobs, %d tickets, %d times asked for terms", served, tickets, asked)
	if tickets < clients*jobs || asked > int(tickets)/200+4 {
		t.Errorf("%d times asked for terms of %d tickets", asked, tickets)
	}
}

// One that would let a million nonces through, and sends new terms next to answers.
func TestOffersInAnswersAreUsed(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a")
	l := o.charge(p, 600)
	s := start(t, paying(p, nil), o)
	l.handle = func(w http.ResponseWriter, r *http.Request) {
		seg, err := rpc.DecodeSegData(r.Header.Get("Livepeer-Segment"))
		if err != nil {
			t.Error(err)
		}
		info := &rpc.OrchestratorInfo{
			Transcoder: o.uri, Address: append(make([]byte, 19), 7), Node: "tutti/9", Capabilities: seg.GetCapabilities(),
			AuthToken: seg.GetAuthToken(), PriceInfo: &rpc.PriceInfo{PricePerUnit: 1, PixelsPerUnit: 1},
			TicketParams: l.params(),
		}
		raw, _ := proto.Marshal(info)
		w.Header().Set("Tutti-Offer", base64.StdEncoding.EncodeToString(raw))
		answer(w, "a")
	}
	job := chat()
	job.Units = 150
	for range 20 {
		if _, _, err := s.ask(t.Context(), job, broker.Hint{}); err != nil {
			t.Fatal(err)
		}
	}
	if asked, _ := o.counts(); asked != 1 {
		t.Errorf("asked for terms %d times", asked)
	}
	if len(l.seen) < 10 {
		t.Errorf("%d sets were used", len(l.seen))
	}
}

func TestTermsThatExpireAreRenewedBefore(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a").foreign()
	l := o.charge(p, 600)
	s := start(t, paying(p, nil), o)
	s.mustAsk(t)
	p.chain.height.Add(31) // worn: renewed alongside the job
	s.mustAsk(t)
	eventually(t, "new terms are asked for", func() bool { asked, _ := o.counts(); return asked == 2 })
	eventually(t, "they are used", func() bool {
		job := chat()
		job.Units = 150
		if _, _, err := s.ask(t.Context(), job, broker.Hint{}); err != nil {
			t.Fatal(err)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.seen) == 2
	})
	p.chain.height.Add(100) // stale: renewed before the job
	job := chat()
	job.Units = 1000
	if _, _, err := s.ask(t.Context(), job, broker.Hint{}); err != nil {
		t.Fatal(err)
	}
	if got := l.refusals(); len(got) != 0 {
		t.Errorf("refused: %v", got)
	}
	if asked, _ := o.counts(); asked != 3 {
		t.Errorf("asked for terms %d times", asked)
	}
}

// An orchestrator that forgot what was paid is paid once more, and not forever.
// While its endpoint was silent an orchestrator gives parameters that have expired by the
// chain that this gateway sees. It gets the job again until it sees the new blocks, and the job
// is sent then.
func TestParametersThatComeExpiredAreAskedForAgain(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a")
	l := o.charge(p, 600)
	l.chain = &l1{}
	l.chain.height.Store(1000)
	s := start(t, paying(p, nil), o)
	s.mustAsk(t)
	p.chain.height.Store(1050)
	asked := 0
	o.beforeAnswer(func(context.Context, *rpc.OrchestratorRequest) error {
		if asked++; asked == 3 {
			l.chain.height.Store(1050)
		}
		return nil
	})
	s.mustAsk(t)
	if got := l.refusals(); len(got) > 0 {
		t.Errorf("payments were refused: %v", got)
	}
}

func TestAnOrchestratorThatForgotIsPaidOnceMore(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a").foreign()
	l := o.charge(p, 600)
	s := start(t, paying(p, nil), o)
	job := chat()
	job.Units = 350 // leaves a balance that the mirror counts on
	for range 3 {
		if _, _, err := s.ask(t.Context(), job, broker.Hint{}); err != nil {
			t.Fatal(err)
		}
	}
	job.Units = 8
	l.mu.Lock()
	l.balance.SetInt64(0)
	l.mu.Unlock()
	for range 12 { // what is left runs out
		if _, _, err := s.ask(t.Context(), job, broker.Hint{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := l.refusals(); got["Insufficient balance"] > 1 {
		t.Errorf("refused: %v", got)
	}
	l.mu.Lock()
	l.balance.SetInt64(-1 << 40)
	l.mu.Unlock()
	_, before := o.counts()
	if _, _, err := s.ask(t.Context(), job, broker.Hint{}); !errors.Is(err, fault.InsufficientBalance) {
		t.Error(err)
	}
	if _, jobs := o.counts(); jobs != before+2 {
		t.Errorf("%d jobs were sent", jobs-before)
	}
}

// A set that an orchestrator takes no more tickets of is left, and the job goes
// elsewhere or comes back with other terms.
func TestARefusedNonceDoesNotCostTheJob(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a").foreign()
	l := o.charge(p, 3) // fewer than the network's nodes take
	s := start(t, paying(p, nil), o)
	for range 5 {
		job := chat()
		job.Units = 150
		if _, _, err := s.ask(t.Context(), job, broker.Hint{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := l.refusals(); got["invalid ticket senderNonce"] == 0 {
		t.Error("the orchestrator refused nothing")
	}
	if n := s.Pools()[0].Statuses[0]; !n.Resting.IsZero() {
		t.Error("it rests")
	}
}

func TestAGatewayWithoutMoneyBlamesNoOrchestrator(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	p.chain.deposit = core.Wei{}
	o := fake(t, "a").foreign()
	o.charge(p, 600)
	s := start(t, paying(p, nil), o)
	if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); !errors.Is(err, fault.OwnDepositEmpty) {
		t.Error(err)
	}
	if _, jobs := o.counts(); jobs != 0 {
		t.Error("a job was sent without its payment")
	}
	if n := s.Pools()[0].Statuses[0]; !n.Resting.IsZero() || n.InFlight != 0 {
		t.Errorf("%+v", n)
	}
}

// Whatever becomes of answers, no payment stays open.
func TestPaymentsOfBrokenAnswersAreSettled(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a").foreign()
	l := o.charge(p, 600)
	s := start(t, paying(p, func(o *broker.Options) { o.Others = -1 }), o)
	s.mustAsk(t)
	l.handle = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	job := chat()
	job.Units = 500
	if a, err := s.Do(t.Context(), job, broker.Hint{}); err == nil {
		if _, err := io.ReadAll(a.Body); err == nil {
			t.Error("the answer is whole")
		}
		a.Body.Close()
	} else {
		t.Error(err)
	}
	l.handle = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	if _, err := s.Do(t.Context(), job, broker.Hint{}); !errors.Is(err, fault.JobBroke) {
		t.Error(err)
	}
	for _, b := range p.sender.Balances() {
		if b.InHand != 0 {
			t.Errorf("%+v", b)
		}
	}
	count := map[paymentlog.State]int{}
	eventually(t, "all is written", func() bool {
		clear(count)
		err := p.book.Each(t.Context(), func(p *paymentlog.Payment) error { count[p.State]++; return nil })
		return err == nil && count[paymentlog.Sent] == 0
	})
	if count[paymentlog.Answered] != 2 || count[paymentlog.Failed] != 1 {
		t.Errorf("%v", count)
	}
}

func TestWhoseOfferItIsIsAsked(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	s := start(t, func(opt *broker.Options, _ *upstream.Options) {
		opt.Score = func(string, inference.Model) (float64, bool) { return 0.5, true }
		opt.Owner = func(asked string, _ upstream.Info) (registry.Owner, error) {
			if asked != o.uri {
				t.Error(asked)
			}
			return registry.Owner{Address: core.Address{5}, Registered: true}, nil
		}
	}, o)
	s.mustAsk(t)
	if got := s.Pools()[0].Statuses[0].Offer; got.Owner != (core.Address{5}) || !got.Registered || !got.Scored ||
		got.Score != 0.5 {
		t.Errorf("%+v", got)
	}
	s = start(t, func(opt *broker.Options, _ *upstream.Options) {
		opt.RetryWindow = time.Millisecond
		opt.Owner = func(string, upstream.Info) (registry.Owner, error) {
			return registry.Owner{}, fault.New(fault.OrchestratorUnregistered, "x", "nobody's")
		}
	}, o)
	if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err == nil {
		t.Error("it was used")
	}
}
