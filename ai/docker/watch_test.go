package docker_test

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/ai/docker"
)

// next is the next event, which must come.
func next(t *testing.T, events <-chan docker.Event) docker.Event {
	t.Helper()
	select {
	case e, more := <-events:
		if !more {
			t.Fatal("the watch ended")
		}
		return e
	case <-time.After(patience):
		t.Fatal("no event came")
	}
	return docker.Event{}
}

// stopWatch ends a watch as its owner does.
func stopWatch(events <-chan docker.Event, cancel func()) {
	cancel()
	for range events {
	}
}

func TestWatchTellsOfDeaths(t *testing.T) {
	t.Parallel()
	b := open(t)
	other := openAt(t, b.real, b.real.Host, t.Name()+" of another node")
	ctx, cancel := cancelable(t)
	events := b.Watch(ctx)
	defer stopWatch(events, cancel)

	// Others' containers are none of ours.
	strange := other.run(other.spec("FAKE_EXIT=1"))
	other.awaitEnd(strange)

	s := b.spec()
	id := b.run(s)
	b.awaitHealth(s)
	if _, err := b.real.API.ContainerKill(t.Context(), string(id),
		client.ContainerKillOptions{Signal: "KILL"}); err != nil {
		t.Fatal(err)
	}
	if e := next(t, events); e.Kind != docker.Died || e.ID != id || e.Name != s.Name || e.ExitCode != 137 ||
		e.At.IsZero() {
		t.Errorf("%+v", e)
	}

	crash := b.spec()
	id = b.run(crash)
	b.awaitHealth(crash)
	ask(t, "POST", crash.HostPort, "/__die", "")
	if e := next(t, events); e.Kind != docker.Died || e.ID != id || e.ExitCode != 7 {
		t.Errorf("%+v", e)
	}
	if err := b.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if e := next(t, events); e.Kind != docker.Removed || e.ID != id {
		t.Errorf("%+v", e)
	}
}

func TestWatchHoldsOn(t *testing.T) {
	t.Parallel()
	direct := open(t)
	p := startProxy(t, strings.TrimPrefix(direct.real.Host, "unix://"))
	b := openAt(t, direct.real, "unix://"+p.path, t.Name())
	ctx, cancel := cancelable(t)
	events := b.Watch(ctx)
	defer stopWatch(events, cancel)
	first := b.run(b.spec("FAKE_EXIT=1"))
	if e := next(t, events); e.Kind != docker.Died || e.ID != first {
		t.Errorf("%+v", e)
	}

	// The engine goes away; meanwhile a container dies.
	p.refuse(true)
	missed := direct.run(direct.spec("FAKE_EXIT=2"))
	direct.awaitEnd(missed)
	p.refuse(false)

	if e := next(t, events); e.Kind != docker.Reconnected {
		t.Errorf("%+v", e)
	}
	// What happened meanwhile is told, and nothing twice.
	if e := next(t, events); e.Kind != docker.Died || e.ID != missed || e.ExitCode != 2 {
		t.Errorf("%+v", e)
	}
}

// proxy stands between the code under test and a real engine's socket, and can
// cut the connections as a stopping engine does.
type proxy struct {
	path string

	mu      sync.Mutex // covers the fields below
	refused bool
	open    map[net.Conn]bool
}

func startProxy(t *testing.T, to string) *proxy {
	t.Helper()
	p := &proxy{path: filepath.Join(t.TempDir(), "p.sock"), open: make(map[net.Conn]bool)}
	l, err := net.Listen("unix", p.path)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { p.join(in, to) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.refuse(true)
		running.Wait()
	})
	return p
}

func (p *proxy) join(in net.Conn, to string) {
	defer in.Close()
	out, err := net.Dial("unix", to)
	if err != nil {
		return
	}
	defer out.Close()
	if !p.keep(in, out) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(out, in); out.Close(); in.Close() })
	both.Go(func() { _, _ = io.Copy(in, out); out.Close(); in.Close() })
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, in)
	delete(p.open, out)
}

func (p *proxy) keep(ends ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused {
		return false
	}
	for _, c := range ends {
		p.open[c] = true
	}
	return true
}

// refuse cuts what is open and, while on, everything new.
func (p *proxy) refuse(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = on
	if on {
		for c := range p.open {
			c.Close()
		}
	}
}
