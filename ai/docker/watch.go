package docker

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
)

// EventKind is the kind of a container event.
type EventKind string

// The events of containers, and of the watch itself.
const (
	// Died: its program ended with ExitCode.
	Died EventKind = "died"
	// OutOfMemory: the kernel killed one of its processes for lack of memory. Died follows
	// if that was its main program.
	OutOfMemory EventKind = "out of memory"
	// Removed: it no longer exists.
	Removed EventKind = "removed"
	// Reconnected: the connection to the engine was lost and is restored. Events may be
	// missing: inspect every container.
	Reconnected EventKind = "reconnected"
)

// Event is an event of one of our containers.
type Event struct {
	Kind EventKind
	// ID and Name are empty for Reconnected.
	ID       ID
	Name     string
	ExitCode int
	At       time.Time
}

// Waits between attempts to reconnect to the engine.
const (
	minWait = 100 * time.Millisecond
	maxWait = 10 * time.Second
)

// Watch sends the events of this node's containers until ctx ends, and then closes the
// channel. It reconnects to the engine with growing waits. The receiver must keep
// receiving until the channel is closed.
func (e *Engine) Watch(ctx context.Context) <-chan Event {
	out := make(chan Event)
	if !e.begin(func() {
		defer close(out)
		e.watch(ctx, out)
	}) {
		close(out)
	}
	return out
}

func (e *Engine) watch(ctx context.Context, out chan<- Event) {
	w := watcher{engine: e, out: out, since: e.now()}
	wait := minWait
	for lost := false; ctx.Err() == nil && e.life.Err() == nil; lost = true {
		connected, err := w.listen(ctx, lost)
		if ctx.Err() != nil || e.life.Err() != nil {
			return
		}
		if connected {
			wait = minWait
		}
		if !lost || connected {
			e.log.Warn("lost the Docker Engine's events", fault.Attr(e.fault("watch containers", err)))
		}
		if !pause(ctx, e.life, wait) {
			return
		}
		wait = min(2*wait, maxWait)
	}
}

// pause waits, and reports false when it was cut short.
func pause(ctx, life context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-life.Done():
	}
	return false
}

// watcher is one Watch.
type watcher struct {
	engine *Engine
	out    chan<- Event
	// since is the time of the newest event. A new connection starts overlap before it,
	// because events arrive slightly out of order, and drops duplicates.
	since  time.Time
	passed [dedupSize]seen
	next   int
}

const (
	overlap   = time.Second
	dedupSize = 256
)

// seen identifies an event.
type seen struct {
	id     string
	action events.Action
	nano   int64
}

// repeated reports whether a message is a duplicate, and records it.
func (w *watcher) repeated(m *events.Message) bool {
	key := seen{m.Actor.ID, m.Action, m.TimeNano}
	if slices.Contains(w.passed[:], key) {
		return true
	}
	w.passed[w.next%dedupSize] = key
	w.next++
	return false
}

// listen forwards events until the connection breaks, which is the error. connected
// reports whether there was a connection.
func (w *watcher) listen(ctx context.Context, again bool) (connected bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.engine.life, cancel)()
	// An unreachable engine fails here, before Reconnected is sent.
	if _, err := w.engine.api.Ping(ctx, client.PingOptions{}); err != nil {
		return false, err
	}
	since := w.since
	if again {
		since = since.Add(-overlap)
	}
	stream := w.engine.api.Events(ctx, client.EventsListOptions{
		Since: strconv.FormatInt(since.Unix(), 10) + "." + nanos(since),
		Filters: make(client.Filters).Add("type", "container").Add("label", labelCreator+"="+creator).
			Add("event", "die", "oom", "destroy"),
	})
	// Its goroutine ends with ctx and closes Err.
	defer func() {
		cancel()
		for range stream.Err {
		}
	}()
	if again && !w.send(ctx, Event{Kind: Reconnected, At: w.engine.now()}) {
		return true, ctx.Err()
	}
	for {
		select {
		case m := <-stream.Messages:
			if !w.pass(ctx, m) {
				return true, ctx.Err()
			}
		case err := <-stream.Err:
			return true, err
		}
	}
}

// nanos returns the fraction of a second in the engine's format, nine digits.
func nanos(t time.Time) string {
	s := strconv.Itoa(t.Nanosecond())
	return "000000000"[len(s):] + s
}

// pass sends the event of a message that concerns a container of this node.
func (w *watcher) pass(ctx context.Context, m events.Message) bool {
	at := time.Unix(0, m.TimeNano)
	if at.After(w.since) {
		w.since = at
	}
	if owner, marked := m.Actor.Attributes[labelOwner]; !marked || owner != w.engine.owner || w.repeated(&m) {
		return true
	}
	event := Event{ID: ID(m.Actor.ID), Name: clean(m.Actor.Attributes["name"]), At: at}
	switch m.Action {
	case events.ActionDie:
		event.Kind = Died
		event.ExitCode, _ = strconv.Atoi(m.Actor.Attributes["exitCode"])
	case events.ActionOOM:
		event.Kind = OutOfMemory
	case events.ActionDestroy:
		event.Kind = Removed
	default:
		return true
	}
	return w.send(ctx, event)
}

func (w *watcher) send(ctx context.Context, event Event) bool {
	select {
	case w.out <- event:
		return true
	case <-ctx.Done():
		return false
	}
}
