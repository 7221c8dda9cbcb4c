package pool_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// engines makes named fakes that take the given time per segment.
func engines(latency time.Duration, names ...string) ([]transcoder.Engine, []*coretest.Fake) {
	var es []transcoder.Engine
	var fakes []*coretest.Fake
	for _, n := range names {
		f := &coretest.Fake{Name: n, Latency: latency}
		es, fakes = append(es, f), append(fakes, f)
	}
	return es, fakes
}

func segment(session string, n int) *core.TranscodeJob {
	return &core.TranscodeJob{
		Session: core.SessionID(session), Manifest: core.ManifestID(session), Number: core.SegmentNumber(n),
		Input: fmt.Appendf(nil, "segment %s %d", session, n), Duration: 2 * time.Second,
		Profiles: []core.Profile{{Name: "a", Width: 640, Height: 360}, {Name: "b", Width: 320, Height: 180}},
	}
}

func TestPoolKeepsTheContract(t *testing.T) {
	t.Parallel()
	coretest.EngineContract(t, func(testing.TB) coretest.Engine {
		es, _ := engines(0, "0", "1")
		return pool.New(es, pool.Options{MaxSessions: 100})
	}, coretest.FakeClips())
}

func TestSessionsStickAndSpread(t *testing.T) {
	t.Parallel()
	es, fakes := engines(0, "0", "1", "2")
	p := pool.New(es, pool.Options{MaxSessions: 100})
	defer p.Close()
	for n := range 5 {
		for s := range 6 {
			if _, err := p.Transcode(t.Context(), segment(fmt.Sprint(s), n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, f := range fakes {
		if f.Jobs() != 10 || len(f.Violations()) != 0 {
			t.Errorf("device %d did %d segments, %v", i, f.Jobs(), f.Violations())
		}
	}
}

func TestTheSmallestLoadGetsTheNextSession(t *testing.T) {
	t.Parallel()
	es, _ := engines(0, "0", "1")
	p := pool.New(es, pool.Options{MaxSessions: 100})
	defer p.Close()
	big := []core.Profile{{Width: 1920, Height: 1080}}
	small := []core.Profile{{Width: 320, Height: 180}}
	for i, profiles := range [][]core.Profile{big, small, small, small} {
		if err := p.Admit(core.SessionRequest{ID: core.SessionID(fmt.Sprint(i)), Profiles: profiles}); err != nil {
			t.Fatal(err)
		}
	}
	use := p.Devices()
	if use[0].Sessions != 1 || use[1].Sessions != 3 {
		t.Errorf("placed %+v", use)
	}
	p.EndSession("0")
	if use := p.Devices(); use[0].Sessions != 0 || use[0].Load != 0 {
		t.Errorf("after the end: %+v", use)
	}
}

func TestFixedLimit(t *testing.T) {
	t.Parallel()
	es, _ := engines(0, "0")
	p := pool.New(es, pool.Options{MaxSessions: 2})
	defer p.Close()
	for i := range 2 {
		if err := p.Admit(core.SessionRequest{ID: core.SessionID(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	err := p.Admit(core.SessionRequest{ID: "2"})
	if !errors.Is(err, fault.OrchestratorCapped) || fault.Wire(err) != "OrchestratorCapped" {
		t.Errorf("got %v", err)
	}
	if u := p.Usage(); !u.Full() || u.String() != "2 of 2 in use" {
		t.Errorf("usage %v", u)
	}
	if err := p.Admit(core.SessionRequest{ID: "1"}); err != nil {
		t.Errorf("a session that has a place: %v", err)
	}
	if _, err := p.Transcode(t.Context(), segment("2", 0)); !errors.Is(err, fault.OrchestratorCapped) {
		t.Errorf("by the back door: %v", err)
	}
	p.EndSession("0")
	if err := p.Admit(core.SessionRequest{ID: "2"}); err != nil {
		t.Error(err)
	}
}

func TestSegmentsOfASessionWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		es, fakes := engines(time.Second, "0")
		p := pool.New(es, pool.Options{MaxSessions: 10})
		defer p.Close()
		var wg sync.WaitGroup
		start := time.Now()
		for n := range 5 {
			wg.Go(func() {
				if _, err := p.Transcode(t.Context(), segment("s", n)); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if _, err := p.Transcode(t.Context(), segment("s", 5)); !errors.Is(err, fault.TranscoderBusy) {
			t.Errorf("a sixth segment: %v", err)
		}
		wg.Wait()
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("took %v", took)
		}
		if v := fakes[0].Violations(); len(v) != 0 {
			t.Error(v)
		}
	})
}

func TestTheEndOfASessionFreesItsQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		es, fakes := engines(time.Second, "0")
		p := pool.New(es, pool.Options{MaxSessions: 10})
		defer p.Close()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := p.Transcode(t.Context(), segment("s", 0)); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if _, err := p.Transcode(t.Context(), segment("s", 1)); !errors.Is(err, fault.TranscoderStopped) {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		p.EndSession("s")
		wg.Wait()
		synctest.Wait()
		if ended := fakes[0].Ended(); len(ended) != 1 || ended[0] != "s" {
			t.Errorf("the engine heard of %v", ended)
		}
		if u := p.Usage(); u.Sessions != 0 {
			t.Errorf("usage %v", u)
		}
	})
}

func TestInputsInWorkAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		es, _ := engines(time.Second, "0")
		p := pool.New(es, pool.Options{MaxSessions: 10, MaxInput: 1000})
		defer p.Close()
		first := segment("0", 0)
		first.Input = make([]byte, 5000) // alone, even a large one may pass
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := p.Transcode(t.Context(), first); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if _, err := p.Transcode(t.Context(), segment("1", 0)); !errors.Is(err, fault.TranscoderBusy) {
			t.Errorf("got %v", err)
		}
		wg.Wait()
		if _, err := p.Transcode(t.Context(), segment("1", 0)); err != nil {
			t.Error(err)
		}
	})
}

func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		es, _ := engines(3*time.Second, "0")
		p := pool.New(es, pool.Options{MaxSessions: 10})
		defer p.Close()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := p.Transcode(t.Context(), segment("s", 0)); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		start := time.Now()
		wg.Go(func() {
			if err := p.Drain(t.Context()); err != nil || time.Since(start) != 3*time.Second {
				t.Errorf("drained after %v: %v", time.Since(start), err)
			}
		})
		synctest.Wait()
		if err := p.Admit(core.SessionRequest{ID: "new"}); !errors.Is(err, fault.Draining) ||
			fault.Wire(err) != "OrchestratorCapped" {
			t.Errorf("a new session: %v", err)
		}
		wg.Wait()
		if _, err := p.Transcode(t.Context(), segment("s", 1)); err != nil {
			t.Errorf("an old session: %v", err)
		}
	})
}

func TestForgottenSessionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		es, fakes := engines(0, "0")
		p := pool.New(es, pool.Options{MaxSessions: 10})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := p.Run(ctx, func() {}); err != nil {
				t.Error(err)
			}
		})
		if _, err := p.Transcode(t.Context(), segment("s", 0)); err != nil {
			t.Fatal(err)
		}
		<-time.After(core.SessionIdle - time.Second)
		if p.Usage().Sessions != 1 {
			t.Error("ended too early")
		}
		<-time.After(12 * time.Second)
		if p.Usage().Sessions != 0 || len(fakes[0].Ended()) != 1 {
			t.Error("not ended")
		}
		cancel()
		wg.Wait()
	})
}
