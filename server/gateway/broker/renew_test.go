package broker_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

func TestARestartCostsNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"own", "network"} {
		o := fake(t, "a")
		if kind == "network" {
			o.foreign()
		}
		s := start(t, nil, o)
		s.mustAsk(t)
		o.restart()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, a, err := s.ask(t.Context(), chat(), broker.Hint{}); err != nil || a.Tries != 1 {
					t.Errorf("%s: %+v %v", kind, a, err)
				}
			})
		}
		wg.Wait()
		if asked, _ := o.counts(); asked != 2 {
			t.Errorf("%s: asked for terms %d times, want once more for all", kind, asked)
		}
	}
}

func TestATokenThatNeverHoldsIsNotRenewedForEver(t *testing.T) {
	t.Parallel()
	bad := fake(t, "bad").does(coded(403, "InvalidAuthToken", "invalid auth token"))
	good := fake(t, "good").cold()
	s := start(t, nil, bad, good)
	if text, _ := s.mustAsk(t); text != `{"good":1}` {
		t.Errorf("%s", text)
	}
	if _, jobs := bad.counts(); jobs != 2 {
		t.Errorf("asked %d times", jobs)
	}
}

func TestStaleTicketParamsAreRenewed(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]string{3: `{"bad":1}`, 100: `{"good":1}`} {
		bad := fake(t, "bad").does(func(n int, w http.ResponseWriter, _ *http.Request) {
			if n <= limit {
				refuse(w, 400, "", "TicketParams expired")
				return
			}
			answer(w, "bad")
		})
		good := fake(t, "good").cold()
		s := start(t, nil, bad, good)
		if text, _ := s.mustAsk(t); text != want {
			t.Errorf("after %d refusals: %s", limit, text)
		}
		if _, jobs := bad.counts(); jobs != 4 {
			t.Errorf("asked %d times", jobs)
		}
	}
}

func TestAnExpiredTokenIsRenewedFirst(t *testing.T) {
	t.Parallel()
	o := fake(t, "a").offers(func(info *rpc.OrchestratorInfo) {
		info.AuthToken.Expiration = time.Now().Add(10 * time.Minute).Unix()
	})
	s := start(t, nil, o)
	s.mustAsk(t)
	s.clock.Forward(11 * time.Minute)
	o.offers(func(info *rpc.OrchestratorInfo) { info.AuthToken.Expiration = time.Now().Add(time.Hour).Unix() })
	s.mustAsk(t)
	if asked, jobs := o.counts(); asked != 2 || jobs != 2 {
		t.Errorf("asked %d times for %d jobs", asked, jobs)
	}
}

func TestTheOnlyOneComesBack(t *testing.T) {
	t.Parallel()
	o := fake(t, "a")
	s := start(t, func(o *broker.Options, _ *upstream.Options) { o.RetryWindow = time.Minute }, o)
	s.mustAsk(t)
	o.down.Store(true)
	o.server.CloseClientConnections()
	back := time.AfterFunc(300*time.Millisecond, func() { o.down.Store(false) })
	defer back.Stop()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if _, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
