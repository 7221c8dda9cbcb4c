package manager

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// model is one model of the node. Its goroutine, run, owns its state; jobs use the pool
// and read the snapshot.
type model struct {
	id       inference.Model
	warm     bool
	external bool
	o        *Options
	log      *slog.Logger
	pool     *pool
	prepares *prepareLimit

	// reports come from the runners, wake from jobs that find no free slot; drain
	// is closed when the node stops.
	reports chan report
	wake    chan struct{}
	drain   <-chan struct{}
	// changes come from Replace, exits from runners that have ended; done is closed when
	// the model has no runner left. started is guarded by Manager.mu until run begins.
	changes chan change
	exits   chan *runner
	done    chan struct{}
	started bool
	pending pendingJobs
	// snapshot is the state without the queue's statistics.
	snapshot atomic.Pointer[inference.ModelState]

	// The rest belongs to run.
	runners  []*runner
	draining bool
	shown    map[fault.Code]string
}

func newModel(id inference.Model, m *Manager) *model {
	return &model{
		id: id, o: &m.o, log: m.o.Log, external: true,
		pool: newPool(m.o.Queue, m.o.Now, m.jobEnded), prepares: newPrepareLimit(),
		reports: make(chan report), wake: make(chan struct{}, 1), drain: m.drain,
		changes: make(chan change), exits: make(chan *runner), done: make(chan struct{}),
	}
}

// begin makes the first snapshot, once all runners are there.
func (m *model) begin() {
	m.describe()
	now := modelState(m.present())
	now.Model, now.Warm, now.External, now.Since = m.id, m.warm, m.external, m.o.Now()
	m.snapshot.Store(&now)
}

// describe derives warm and external from the model's entries.
func (m *model) describe() {
	m.warm, m.external = false, true
	for _, r := range m.present() {
		m.warm = m.warm || r.entry.Warm
		m.external = m.external && r.entry.external()
	}
}

// report is a runner's new status.
type report struct {
	runner *runner
	status status
}

// run starts the runners and maintains the model's state until all runners have ended:
// after ctx, or when all were dropped.
func (m *model) run(ctx context.Context) {
	defer close(m.done)
	for _, r := range m.runners {
		m.launch(ctx, r)
	}
	stop, drain := ctx.Done(), m.drain
	for len(m.runners) > 0 {
		select {
		case r := <-m.reports:
			r.runner.seen, r.runner.woken = r.status, false
			m.updateState()
		case c := <-m.changes:
			for _, r := range c.add {
				m.launch(ctx, r)
			}
			m.revise(&c)
		case r := <-m.exits:
			m.exited(r)
		case <-m.wake:
		case <-drain:
			drain = nil
			m.close()
		case <-stop:
			stop = nil
			m.close()
		}
		m.wakeOne()
	}
	m.clearConditions()
}

// close takes no more jobs.
func (m *model) close() {
	m.draining = true
	m.updateState()
}

// wakeOne starts a dormant runner when there are more jobs than slots, one at a time:
// the next only when the started one cannot take all jobs.
func (m *model) wakeOne() {
	if m.draining || !m.pending.any() {
		return
	}
	if s := m.pool.queue.Stats(); s.InUse+s.Waiting < s.Slots {
		return
	}
	var asleep *runner
	for _, r := range m.present() {
		switch {
		case r.seen.starting() || r.woken:
			return
		case asleep == nil && r.seen.dormant() && r.entry.cold():
			asleep = r
		}
	}
	if asleep != nil {
		asleep.woken = true
		poke(asleep.wake)
	}
}

// updateState derives the model's state from its runners and publishes it.
func (m *model) updateState() {
	old := m.snapshot.Load()
	present := m.present()
	m.describe()
	now := modelState(present)
	switch {
	case len(present) == 0:
		now.State, now.Code, now.Reason = inference.Draining, fault.ModelNotServed, "its entry was removed"
	case m.draining:
		now.State, now.Code, now.Reason = inference.Draining, fault.Draining, "the node stops"
	}
	now.Model, now.Warm, now.External, now.Since = m.id, m.warm, m.external, old.Since
	if now.State != old.State {
		now.Since = m.o.Now()
	}
	m.snapshot.Store(&now)
	m.gateQueue(&now)
	m.conditions()
	if now.State != old.State {
		m.announce(&now)
	}
}

// gateQueue opens the queue, or closes it with the reason.
func (m *model) gateQueue(now *inference.ModelState) {
	switch {
	case now.Code == fault.ModelNotServed:
		m.pool.queue.Shut(fault.New(fault.ModelNotServed, "reserve a slot", m.id.String()))
	case now.State == inference.Draining:
		m.pool.queue.Shut(fault.New(fault.Draining, "reserve a slot", "the node stops"))
	case now.State == inference.Failed:
		m.pool.queue.Shut(m.failure(now))
	default:
		m.pool.queue.Open()
	}
}

// failure is the error of jobs for a failed model. Reasons that peers know as a lack of
// capacity are returned as they are, all others wrapped in ModelFailed.
func (m *model) failure(now *inference.ModelState) error {
	why := m.why()
	if fault.ClassOf(why) == fault.Busy {
		return why
	}
	return &fault.Fault{
		Code: fault.ModelFailed, Op: "reserve a slot of " + m.id.String(),
		Detail: string(now.Code) + ": " + now.Reason, Err: why,
	}
}

// why is the first failure of a runner, nil without one.
func (m *model) why() error {
	for _, r := range m.present() {
		if r.seen.failure != nil {
			return r.seen.failure
		}
	}
	return nil
}

func (m *model) announce(now *inference.ModelState) {
	s := *now
	m.addQueueStats(&s)
	m.o.Recorder.ModelChanged(&s)
	attrs := []any{"pipeline", m.id.Capability.Pipeline(), "model", m.id.ID, "state", string(now.State)}
	if now.Code != "" {
		attrs = append(attrs, "code", string(now.Code), "reason", now.Reason)
	}
	if why := m.why(); why != nil && now.State == inference.Failed {
		attrs = append(attrs, "err", why.Error())
	}
	m.log.Info("model", attrs...)
}

// conditions shows on the board why runners fail, and the warnings of those that work.
// A cold model without a free GPU is normal and not shown.
func (m *model) conditions() {
	if m.o.Board == nil {
		return
	}
	set := make(map[fault.Code]string)
	for _, r := range m.runners {
		for _, why := range r.seen.conditions() {
			code := fault.CodeOf(why)
			if code == fault.ModelNoRoom && r.entry.cold() {
				continue
			}
			set[code] = withReason(set[code], reason(why))
		}
	}
	for code, detail := range set {
		m.o.Board.Set(health.Key{Code: code, About: m.id.String()}, detail)
	}
	m.clearWhere(func(code fault.Code) bool { _, still := set[code]; return !still })
	m.shown = set
}

// maxReasons bounds a condition's text when several runners of a model have it.
const maxReasons = 1000

// withReason adds another runner's reason, once.
func withReason(text, reason string) string {
	switch {
	case text == "":
		return reason
	case strings.Contains(text, reason) || len(text)+len(reason) > maxReasons:
		return text
	}
	return text + "; " + reason
}

// clearConditions removes the model from the board.
func (m *model) clearConditions() {
	if m.o.Board != nil {
		m.clearWhere(func(fault.Code) bool { return true })
	}
}

func (m *model) clearWhere(which func(fault.Code) bool) {
	for code := range m.shown {
		if which(code) {
			m.o.Board.Clear(health.Key{Code: code, About: m.id.String()})
		}
	}
}

// addQueueStats adds the queue's statistics.
func (m *model) addQueueStats(s *inference.ModelState) {
	l := m.pool.queue.Stats()
	s.Capacity, s.InUse, s.Waiting = l.Slots, l.InUse, l.Waiting
	s.LastLines = slices.Clone(s.LastLines)
}
