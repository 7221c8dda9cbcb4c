package broker_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/rpc"
)

// robs takes each payment and refuses the job.
func (l *till) robs(o *orchestrator, status int, text string) {
	o.does(func(_ int, w http.ResponseWriter, r *http.Request) {
		l.take(r.Header.Get("Livepeer-Payment"))
		http.Error(w, text, status)
	})
}

// taken is how many tickets it has.
func (l *till) taken() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.paid
}

func hurried(o *broker.Options) { o.RetryWindow = 200 * time.Millisecond }

// An orchestrator that takes payments and refuses is not paid for each job: of twenty jobs the
// first few cost something, whatever the reason that it gives.
func TestPaymentsForRefusalsEnd(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status int
		text   string
		most   int64
	}{
		"params":   {400, "TicketParams expired", 2},
		"short":    {400, "Insufficient balance", 2},
		"price":    {400, "invalid expected price sent with payment", 2},
		"token":    {403, "invalid auth token", 2},
		"foreign":  {400, "invalid recipientRand for ticket recipientRandHash", 2},
		"reserve":  {400, "insufficient sender reserve", 1},
		"declined": {403, "go away", 1},
		"page":     {404, "page not found", 1},
		"nonce":    {400, "invalid ticket senderNonce: already seen", 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newWallet(t)
			o := fake(t, "a").foreign()
			l := o.charge(p, 600)
			l.robs(o, row.status, row.text)
			s := start(t, paying(p, hurried), o)
			for range 20 {
				if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err == nil {
					t.Fatal("it did the job")
				}
			}
			if got := l.taken(); got == 0 || got > row.most {
				t.Errorf("%d payments, want at most %d", got, row.most)
			}
			if s.Pools()[0].Statuses[0].Resting.IsZero() {
				t.Error("it does not rest")
			}
		})
	}
}

// What a model server finds wrong with requests, their client brought about: it is paid once
// and draws on that, and the orchestrator does not rest for it.
func TestAModelServersWordIsNoLoss(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a").foreign()
	l := o.charge(p, 600)
	l.robs(o, 500, "LLM container returned 422: messages: too many")
	s := start(t, paying(p, hurried), o)
	for range 20 {
		if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); !errors.Is(err, fault.JobRefused) {
			t.Fatal(err)
		}
	}
	if got := l.taken(); got != 1 {
		t.Errorf("%d payments", got)
	}
	if !s.Pools()[0].Statuses[0].Resting.IsZero() {
		t.Error("it rests")
	}
}

// A fleet of robbers costs a job no more than its budget.
func TestOneJobLosesSoMuchAndNoMore(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status  int
		text    string
		maxLost uint64
		most    int64
	}{
		"declined":         {403, "go away", 0, 3},
		"declined, capped": {403, "go away", 2 * ticketEV, 2},
		"full":             {503, "insufficient capacity", 0, 8},
		"full, capped":     {503, "insufficient capacity", 2 * ticketEV, 2},
		"nonce":            {400, "invalid ticket senderNonce", 0, 3},
		"params":           {400, "TicketParams expired", 0, 8},
		"params, capped":   {400, "TicketParams expired", 2 * ticketEV, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newWallet(t)
			var all []*orchestrator
			var tills []*till
			for i := range 12 {
				o := fake(t, fmt.Sprint(i)).foreign()
				l := o.charge(p, 600)
				l.robs(o, row.status, row.text)
				all, tills = append(all, o), append(tills, l)
			}
			s := start(t, paying(p, func(o *broker.Options) {
				o.MaxLost, o.RetryWindow = core.NewWei(row.maxLost),
					2*time.Second
			}), all...)
			if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err == nil {
				t.Fatal("an orchestrator did the job")
			}
			sum := int64(0)
			for _, l := range tills {
				sum += l.taken()
			}
			if sum == 0 || sum > row.most {
				t.Errorf("%d payments, want at most %d", sum, row.most)
			}
		})
	}
}

// A full one that takes payments gets the request twice for one job, and has others' jobs
// still.
func TestAFullOneIsPaidTwiceForAJobAtMost(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a").foreign()
	l := o.charge(p, 600)
	l.robs(o, 503, "insufficient capacity")
	s := start(t, paying(p, nil), o)
	for i := range int64(3) {
		if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); !errors.Is(err, fault.OrchestratorsFull) {
			t.Error(err)
		}
		if got := l.taken(); got != 2*(i+1) {
			t.Errorf("%d payments after %d jobs", got, i+1)
		}
	}
	if !s.Pools()[0].Statuses[0].Resting.IsZero() {
		t.Error("a full one rests")
	}
}

// One that restarts refuses what is in flight, is paid once more for it, and does not
// rest.
func TestARestartIsNoRefusal(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a").foreign()
	o.charge(p, 600)
	s := start(t, paying(p, nil), o)
	s.mustAsk(t)
	for range 3 {
		o.restart()
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				job := chat()
				job.Units = 150
				if _, a, err := s.ask(t.Context(), job, broker.Hint{}); err != nil || a.Tries != 1 {
					t.Errorf("%+v %v", a, err)
				}
			})
		}
		wg.Wait()
	}
	if !s.Pools()[0].Statuses[0].Resting.IsZero() {
		t.Error("it rests")
	}
}

// A new service URI for each discovery does not wash off what was taken.
func TestANewAddressIsNotPaidAgain(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a").foreign()
	l := o.charge(p, 600)
	l.robs(o, 403, "go away")
	priced, n := o.offer, 0
	o.offers(func(i *rpc.OrchestratorInfo) {
		priced(i)
		i.Transcoder = fmt.Sprintf("%s/%d", o.uri, n)
		n++
		i.AuthToken.Expiration = time.Now().Add(1000 * time.Hour).Unix()
	})
	s := start(t, paying(p, func(o *broker.Options) { hurried(o); o.RefreshEvery = time.Millisecond }), o)
	for i := range 5 {
		if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err == nil {
			t.Fatal("it did the job")
		}
		eventually(t, "it has another name", func() bool {
			_, _, _ = s.ask(t.Context(), chat(), broker.Hint{})
			asked, _ := o.counts()
			return asked > i+1
		})
	}
	if got := l.taken(); got != 1 {
		t.Errorf("%d payments under %d names", got, n)
	}
}

// Terms that do not hold when they come are not asked for again and again.
func TestTermsThatAreStaleWhenTheyComeAreTheOrchestratorsFailure(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	bad, good := fake(t, "bad").foreign(), fake(t, "good").foreign().cold()
	bad.charge(p, 600)
	good.charge(p, 600)
	priced := bad.offer
	s := start(t, paying(p, nil), bad, good)
	if text, _ := s.mustAsk(t); text != `{"bad":1}` {
		t.Fatal(text)
	}
	eventually(t, "both are known", func() bool { return len(s.Pools()[0].Statuses) == 2 })
	p.chain.height.Add(39) // the terms in use are stale
	bad.offers(func(i *rpc.OrchestratorInfo) {
		priced(i)
		i.TicketParams.ExpirationBlock = []byte{1040 >> 8, 1040 & 0xff}
	})
	asked, _ := bad.counts()
	job := chat()
	job.Units = 350 // more than is left
	text, _, err := s.ask(t.Context(), job, broker.Hint{})
	if now, _ := bad.counts(); err != nil || text != `{"good":1}` || now > asked+2 {
		t.Errorf("%s after %d questions: %v", text, now-asked, err)
	}
	// Nor are they taken in the first place.
	only := start(t, paying(p, hurried), bad)
	if _, _, err := only.ask(t.Context(), chat(), broker.Hint{}); err == nil {
		t.Error("an orchestrator was paid")
	}
	if len(only.Pools()[0].Statuses) != 0 {
		t.Error("it is in the choice")
	}
}
