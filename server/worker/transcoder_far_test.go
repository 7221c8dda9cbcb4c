package worker_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/worker"
	"github.com/tuttinode/tutti/test/coretest"
)

// far is a line to an orchestrator that takes its time, or falls silent: the other
// end's machine answers, its process does not.
type far struct {
	testing.TB
	addr  string
	delay time.Duration

	mu     sync.Mutex // covers the fields below
	silent chan struct{}
	conns  []net.Conn
}

func newFar(t testing.TB, to string, delay time.Duration) *far {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &far{TB: t, addr: l.Addr().String(), delay: delay, silent: make(chan struct{})}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			f.mu.Lock()
			f.conns = append(f.conns, in, out)
			silent := f.silent
			f.mu.Unlock()
			all.Go(func() { f.carry(in, out, silent) })
			all.Go(func() { f.carry(out, in, silent) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		f.mu.Lock()
		for _, c := range f.conns {
			c.Close()
		}
		f.mu.Unlock()
		all.Wait()
	})
	return f
}

// carry takes bytes from one side to the other, each after the delay.
func (f *far) carry(from, to net.Conn, silent <-chan struct{}) {
	type parcel struct {
		at   time.Time
		data []byte
	}
	way := make(chan parcel, 1<<16)
	var on sync.WaitGroup
	on.Go(func() {
		defer to.Close()
		for p := range way {
			<-time.After(time.Until(p.at))
			select {
			case <-silent:
			default:
				_, _ = to.Write(p.data)
			}
		}
	})
	defer on.Wait()
	defer close(way)
	for {
		b := make([]byte, 64<<10)
		n, err := from.Read(b)
		if err != nil {
			return
		}
		way <- parcel{at: time.Now().Add(f.delay), data: b[:n]}
	}
}

// falls makes the connections that there are silent.
func (f *far) falls() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.silent)
	f.silent = make(chan struct{})
}

// dies breaks the connections that there are; a new connection gets no answer.
func (f *far) dies() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.silent)
	for _, c := range f.conns {
		c.Close()
	}
}

// A large segment comes over a long line without waiting for confirmations: with
// HTTP/2's usual windows it would take half a minute.
func TestLargeSegmentOverALongLine(t *testing.T) {
	t.Parallel()
	o := newOwn(t)
	line := newFar(t, o.addr, 40*time.Millisecond)
	came := make(chan time.Time, 1)
	start(t, &coretest.Fake{On: func(context.Context, int, *core.TranscodeJob) error {
		came <- time.Now()
		return nil
	}}, nil, line.addr)
	d := transcoderNext(t, o.devices, "no registration")
	input := make([]byte, 32<<20)
	began := time.Now()
	if _, err := d.Transcode(t.Context(), job("s", 1, input)); err != nil {
		t.Fatal(err)
	}
	took := (<-came).Sub(began)
	t.Logf("32 MB at 80 ms came in %v", took.Round(time.Millisecond))
	if took > 5*time.Second {
		t.Error("that is too long")
	}
}

// An orchestrator whose process stands still is given up, and tried again.
func TestSilentOrchestratorIsGivenUp(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as the patience that it tests")
	}
	o := newOwn(t)
	line := newFar(t, o.addr, 0)
	r := start(t, new(coretest.Fake), nil, line.addr)
	transcoderNext(t, o.devices, "no registration")
	transcoderUntil(t, "not registered", func() bool { return r.Status()[0].State == worker.Registered })
	began := time.Now()
	line.falls()
	transcoderNext(t, o.devices, "it waits forever")
	t.Logf("registered anew after %v", time.Since(began).Round(100*time.Millisecond))
}
