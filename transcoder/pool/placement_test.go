package pool_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// run transcodes one segment of each of n sessions at once, twice.
func run(t *testing.T, p *pool.Pool, n int) {
	t.Helper()
	for k := range 4 {
		var wg sync.WaitGroup
		for s := range n {
			wg.Go(func() {
				if _, err := p.Transcode(t.Context(), segment(fmt.Sprint(s), k)); err != nil {
					t.Errorf("session %d: %v", s, err)
				}
			})
		}
		wg.Wait()
	}
}

// TestAutoAdmitsWhatTheDeviceCanDo: a segment of 2 s that takes 0.2 s alone and
// n × 0.2 s among n leaves room for 8 sessions under a ratio of 0.8.
func TestAutoAdmitsWhatTheDeviceCanDo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		es, fakes := engines(0, "0")
		p := pool.New(es, pool.Options{Untried: 1})
		defer p.Close()
		admitted := 0
		for ; admitted < 20; admitted++ {
			err := p.Admit(core.SessionRequest{ID: core.SessionID(fmt.Sprint(admitted)), Profiles: segment("", 0).Profiles})
			if err != nil {
				if !errors.Is(err, fault.OrchestratorCapped) {
					t.Error(err)
				}
				break
			}
			fakes[0].Latency = time.Duration(admitted+1) * 200 * time.Millisecond
			run(t, p, admitted+1)
		}
		if admitted != 8 {
			t.Errorf("%d sessions admitted", admitted)
		}
		if u := p.Usage(); !u.Full() {
			t.Errorf("usage %v", u)
		}
		if use := p.Devices()[0]; use.Ratio < 0.6 || use.Ratio > 0.85 {
			t.Errorf("ratio %v", use.Ratio)
		}
	})
}

func TestAutoWithoutMeasurements(t *testing.T) {
	t.Parallel()
	es, _ := engines(0, "0", "1")
	p := pool.New(es, pool.Options{Untried: 2})
	defer p.Close()
	if u := p.Usage(); u.Full() || u.Limit != 4 {
		t.Errorf("at first %v", u)
	}
	profiles := segment("", 0).Profiles
	for i := range 4 {
		if err := p.Admit(core.SessionRequest{ID: core.SessionID(fmt.Sprint(i)), Profiles: profiles}); err != nil {
			t.Fatalf("session %d: %v", i, err)
		}
	}
	if err := p.Admit(core.SessionRequest{ID: "more", Profiles: profiles}); !errors.Is(err, fault.OrchestratorCapped) {
		t.Errorf("got %v", err)
	}
}

// A device that was slow once, perhaps because of something else on the machine,
// gets another chance when it is empty.
func TestAnEmptyDeviceIsAlwaysWorthATry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		es, fakes := engines(3*time.Second, "0")
		p := pool.New(es, pool.Options{Untried: 1})
		defer p.Close()
		if _, err := p.Transcode(t.Context(), segment("slow", 0)); err != nil {
			t.Fatal(err)
		}
		if err := p.Admit(core.SessionRequest{ID: "second", Profiles: segment("", 0).Profiles}); !errors.Is(err,
			fault.OrchestratorCapped) {
			t.Errorf("got %v", err)
		}
		p.EndSession("slow")
		synctest.Wait()
		fakes[0].Latency = 100 * time.Millisecond
		for n := range 20 {
			if _, err := p.Transcode(t.Context(), segment("third", n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Admit(core.SessionRequest{ID: "fourth", Profiles: segment("", 0).Profiles}); err != nil {
			t.Errorf("the device has recovered: %v", err)
		}
	})
}
