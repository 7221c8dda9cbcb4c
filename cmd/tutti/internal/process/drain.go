package process

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
)

// drainable is an orchestrator's rules; nil on a node that is none.
type drainable interface {
	Pause()
	Refuse()
	Resume() bool
	Remaining() (sessions, jobs int)
	InProgress() (segments, jobs int)
}

// drainer is the operator's drain: unlike that of a stop it may last for hours, and can
// be undone.
type drainer struct {
	work drainable
	// lasting is work that is not the rules', of each kind.
	lasting []*lifecycle.Work
	log     *slog.Logger
	stop    func(os.Signal)
	now     func() time.Time

	mu sync.Mutex
	// All below is guarded by mu. round distinguishes one drain's timers from another's.
	round    int
	draining bool
	stopping bool
	ends     bool
	deadline time.Time
	timers   []*time.Timer
}

// drainStop is what ends the node when an operator's drain is over.
const drainStop = lifecycle.Request("tutti_cli drain --stop")

// drainLook is how often a drain that ends with a stop looks whether anything is left.
const drainLook = time.Second

// Drain returns where it stands.
func (d *drainer) Drain() adminapi.Drain {
	left := d.left()
	d.mu.Lock()
	defer d.mu.Unlock()
	out := adminapi.Drain{
		State: adminapi.DrainServing, Sessions: left.sessions, Jobs: left.jobs, Work: left.work, Stop: d.ends,
	}
	switch {
	case d.stopping:
		out.State = adminapi.DrainStopping
	case d.draining && left.none():
		out.State = adminapi.DrainDrained
	case d.draining:
		out.State = adminapi.DrainDraining
	}
	if d.draining && !d.deadline.IsZero() {
		at := d.deadline.UTC()
		out.Deadline = &at
	}
	return out
}

// left is what a drain waits for: in all, and the kinds of which there is some.
type left struct {
	sessions, jobs int
	work           []adminapi.DrainWork
}

func (l *left) none() bool { return l.sessions+l.jobs == 0 }

// text names what is left, by kind.
func (l *left) text() string {
	if l.none() {
		return "nothing"
	}
	var all []string
	for _, w := range l.work {
		all = append(all, fmt.Sprintf("%d %s", w.Count, w.Kind))
	}
	return strings.Join(all, ", ")
}

func (d *drainer) left() *left {
	out := &left{work: []adminapi.DrainWork{}}
	add := func(kind string, n int, total *int) {
		if *total += n; n > 0 {
			out.work = append(out.work, adminapi.DrainWork{Kind: kind, Count: n})
		}
	}
	if d.work != nil {
		sessions, jobs := d.work.Remaining()
		add("sessions", sessions, &out.sessions)
		add("AI jobs", jobs, &out.jobs)
	}
	for _, w := range d.lasting {
		total := &out.sessions
		if w.Request {
			total = &out.jobs
		}
		add(w.Kind, w.Count(), total)
	}
	return out
}

// inProgress returns what a stop would lose now; known is false on a node that is no
// orchestrator.
func (d *drainer) inProgress() (segments, jobs int, known bool) {
	if d == nil || d.work == nil {
		return 0, 0, false
	}
	segments, jobs = d.work.InProgress()
	for _, w := range d.lasting {
		if w.Request {
			jobs += w.Count()
		}
	}
	return segments, jobs, true
}

func (d *drainer) text() string { return d.left().text() }

// Draining reports whether new work is refused.
func (d *drainer) Draining() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.draining || d.stopping
}

// Begin refuses new work. Asked again it takes the new deadline and wish to stop, and
// says nothing where they are the same.
func (d *drainer) Begin(deadline time.Duration, stop bool) error {
	if d.work == nil && !stop {
		return fault.New(fault.AdminPartAbsent, "drain",
			"this node has no sessions that could end by themselves; --stop ends it when its requests are answered")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping {
		return fault.New(fault.DrainNotUndone, "drain", "")
	}
	if !d.draining {
		d.log.Info("draining at the operator's wish: no new work is taken", "deadline", deadline.String(), "stop", stop,
			"left", d.text())
	}
	d.halt()
	d.draining, d.ends, d.deadline = true, stop, time.Time{}
	if d.work != nil {
		d.work.Pause()
	}
	if deadline > 0 {
		d.deadline = d.now().Add(deadline)
		d.after(deadline, d.late)
	}
	if stop {
		d.after(0, d.look)
	}
	return nil
}

// Cancel takes new work again.
func (d *drainer) Cancel() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping || d.work != nil && !d.work.Resume() {
		return fault.New(fault.DrainNotUndone, "undo the drain", "")
	}
	if d.draining {
		d.log.Info("the drain is undone: work is taken again")
	}
	d.halt()
	d.draining, d.ends = false, false
	return nil
}

// stops says that the node stops: nothing is undone any more.
func (d *drainer) stops() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopping = true
	d.halt()
}

// halt ends the timers of the drain before. The caller holds mu.
func (d *drainer) halt() {
	d.round++
	for _, t := range d.timers {
		t.Stop()
	}
	d.timers = nil
}

// after calls f unless the drain has changed by then. The caller holds mu.
func (d *drainer) after(wait time.Duration, f func()) {
	round := d.round
	d.timers = append(d.timers, time.AfterFunc(wait, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.round == round {
			f()
		}
	}))
}

// late is the deadline: segments of sessions that are still here are refused, and work that lasts is ended. A drain
// that ends the node stops it. The caller holds mu.
func (d *drainer) late() {
	d.log.Info("the drain's deadline is here", "left", d.text(), "stop", d.ends)
	if d.work != nil {
		d.work.Refuse()
	}
	for _, w := range d.lasting {
		if w.End != nil {
			w.End()
		}
	}
	if d.ends {
		d.stop(drainStop)
	}
}

// look stops the node when nothing is left. The caller holds mu.
func (d *drainer) look() {
	if d.left().none() {
		d.log.Info("drained: nothing is left, the node stops")
		d.stop(drainStop)
		return
	}
	d.after(drainLook, d.look)
}
