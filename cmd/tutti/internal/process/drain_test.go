package process

import (
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// fakeWork is an orchestrator with a number of sessions.
type fakeWork struct {
	mu       sync.Mutex
	sessions int
	phase    string
	final    bool
}

func (w *fakeWork) set(phase string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.phase = phase
}

func (w *fakeWork) Pause()  { w.set("paused") }
func (w *fakeWork) Refuse() { w.set("refusing") }
func (w *fakeWork) Resume() bool {
	w.set("open")
	return !w.final
}

func (w *fakeWork) InProgress() (segments, jobs int) { return w.Remaining() }

func (w *fakeWork) Remaining() (sessions, jobs int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions, 0
}

func (w *fakeWork) is() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.phase
}

func (w *fakeWork) leave(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions = n
}

func newDrainer(w *fakeWork) (*drainer, chan os.Signal, *strings.Builder) {
	stops, log := make(chan os.Signal, 4), &strings.Builder{}
	return &drainer{work: w, log: slog.New(slog.NewTextHandler(log, nil)), now: time.Now,
		stop: func(s os.Signal) { stops <- s }}, stops, log
}

func TestDrainStopsWhenNothingIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWork{sessions: 2}
		d, stops, _ := newDrainer(w)
		if err := d.Begin(time.Hour, true); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(30*time.Second, func() { w.leave(0) })
		begun := time.Now()
		<-stops
		if took := time.Since(begun); took < 30*time.Second || took > 32*time.Second {
			t.Errorf("it stopped after %v", took)
		}
		d.stops()
		if got := d.Drain(); got.State != adminapi.DrainStopping {
			t.Errorf("%+v", got)
		}
		if err := d.Cancel(); !errors.Is(err, fault.DrainNotUndone) {
			t.Errorf("undone while stopping: %v", err)
		}
	})
}

func TestDrainDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWork{sessions: 1}
		d, stops, _ := newDrainer(w)
		for range 3 { // asked again, the last one counts
			if err := d.Begin(time.Minute, false); err != nil {
				t.Fatal(err)
			}
		}
		if got := d.Drain(); got.State != adminapi.DrainDraining || got.Deadline == nil || w.is() != "paused" {
			t.Errorf("%+v, %s", got, w.is())
		}
		<-time.After(time.Minute + time.Millisecond)
		synctest.Wait()
		if w.is() != "refusing" || len(stops) != 0 {
			t.Errorf("at the deadline it is %s, %d stops", w.phase, len(stops))
		}
		if err := d.Cancel(); err != nil || w.is() != "open" || d.Drain().State != adminapi.DrainServing {
			t.Errorf("%v, %s", err, w.is())
		}
	})
}

func TestDrainUndoneForgetsItsDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWork{sessions: 1}
		d, stops, log := newDrainer(w)
		for range 50 {
			if err := d.Begin(time.Second, true); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(log.String(), "\n"); n != 1 {
			t.Errorf("%d lines for one drain", n)
		}
		if err := d.Cancel(); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour)
		if len(stops) != 0 || w.is() != "open" {
			t.Errorf("%d stops, %s", len(stops), w.is())
		}
	})
}

func TestDrainOfNothingNeedsStop(t *testing.T) {
	t.Parallel()
	d := &drainer{log: slog.New(slog.DiscardHandler), now: time.Now}
	if err := d.Begin(0, false); !errors.Is(err, fault.AdminPartAbsent) {
		t.Errorf("got %v", err)
	}
}
