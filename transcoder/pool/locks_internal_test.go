package pool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
)

func segmentOf(session string) *core.TranscodeJob {
	return &core.TranscodeJob{
		Session: core.SessionID(session), Input: []byte("segment"), Duration: 2 * time.Second,
		Profiles: []core.Profile{{Width: 640, Height: 360}},
	}
}

// A segment of a session that has its place must get through while others are placed.
func TestSegmentsDoNotWaitForPlacement(t *testing.T) {
	t.Parallel()
	p := New(nil, Options{MaxSessions: 10})
	defer p.Close()
	for i := range 3 {
		if _, err := p.Attach(&coretest.Fake{Name: fmt.Sprint(i)}, device.Resources{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Transcode(t.Context(), segmentOf("s")); err != nil {
		t.Fatal(err)
	}
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	done := make(chan error)
	go func() {
		var err error
		for range 50 {
			if _, err = p.Transcode(context.Background(), segmentOf("s")); err != nil {
				break
			}
		}
		_ = p.Usage()
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for the lock of placement")
	}
}

// TestBooksBalance lets everything happen at once and looks whether anything is still
// booked when all has gone.
func TestBooksBalance(t *testing.T) {
	t.Parallel()
	p := New(nil, Options{MaxSessions: 60})
	defer p.Close()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() { comeAndGo(p, fmt.Sprint("rig", i), rand.New(rand.NewPCG(7, uint64(i)))) })
	}
	for i := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(8, uint64(i)))
			for k := range 400 {
				id := fmt.Sprint("s", random.IntN(40))
				job := segmentOf(id)
				job.Profiles = append(job.Profiles, job.Profiles[:random.IntN(2)]...)
				_, _ = p.Transcode(context.Background(), job)
				if k%5 == 0 {
					p.EndSession(job.Session)
				}
			}
		})
	}
	all.Wait()
	for i := range 40 {
		p.EndSession(core.SessionID(fmt.Sprint("s", i)))
	}
	p.refreshStale()
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if n, remotes := p.sessionCount.Load(), p.remotes.load.Load(); n != 0 || remotes != 0 {
		t.Errorf("%d sessions, load of remotes %d", n, remotes)
	}
	for _, d := range p.table.devices {
		if d.booked != (booked{}) || d.segments != 0 || d.recent != (recent{}) {
			t.Errorf("%s: %+v, %d segments, %+v", d.label, d.booked, d.segments, d.recent)
		}
	}
	if len(p.table.unitSums) != 0 || p.activeSegments.Load() != 0 || p.inputBytes.Load() != 0 {
		t.Errorf("units %v, %d active, %d bytes", p.table.unitSums, p.activeSegments.Load(), p.inputBytes.Load())
	}
}

// comeAndGo attaches a device, has it fail, refuse, rest and leave, again and again,
// and leaves it attached.
func comeAndGo(p *Pool, name string, random *rand.Rand) {
	failures := []fault.Code{fault.RemoteWorkerLost, fault.EncoderSessionsExhausted, fault.UnrecoverableState}
	for k := range 60 {
		f := &coretest.Fake{Name: name}
		seed := random.IntN(10)
		f.On = func(_ context.Context, n int, _ *core.TranscodeJob) error {
			if (n+seed)%7 == 0 {
				return fault.New(failures[n%len(failures)], "transcode", "as asked")
			}
			return nil
		}
		o := device.Resources{Remote: random.IntN(2) == 0, Sessions: 5 + random.IntN(10),
			EncoderSessions: 20 + random.IntN(10)}
		a, err := p.Attach(f, o)
		if err != nil {
			panic(err)
		}
		for range 3 {
			_, _ = p.Transcode(context.Background(), segmentOf(name))
		}
		o.Sessions++
		a.Update(o)
		a.Suspend(fault.New(fault.NoDevices, "", ""))
		_ = p.Devices()
		a.Resume()
		p.EndSession(core.SessionID(name))
		if k < 59 {
			a.Detach()
		}
	}
}
