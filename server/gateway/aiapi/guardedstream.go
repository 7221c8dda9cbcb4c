package aiapi

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/guards"
)

const (
	// guardDelay is how long a stream's events wait for more of them before guards are asked.
	guardDelay = 500 * time.Millisecond
	// maxUnchecked bounds the bytes of a stream that wait for guards, maxUncheckedEvents their events.
	maxUnchecked       = 256 << 10
	maxUncheckedEvents = 2048
)

// guardedStream holds the events of a stream until guards have checked them. The zero value passes all.
type guardedStream struct {
	// every is after how many events guards are asked, 0 where none checks the stream.
	every int
	// raw are the events that wait, as they came, and events their JSON. part is the beginning of the
	// next one. since is when the first of them came; due is the number of events to ask at.
	raw, part []byte
	events    []json.RawMessage
	since     time.Time
	due       int
	sequence  int
	// held is the memory that was counted.
	held int
}

// begin starts with a stream.
func (x *relayedRequest) beginGuardedStream(job *inference.Job) {
	x.guarded = guardedStream{}
	if !job.Operation.Generates() {
		return
	}
	x.guarded.every, _ = x.guards.Cover(guards.StageAnswer, x.stats.Key, x.modelNames()...)
	x.guarded.due = x.guarded.every
}

// emit sends a piece of a stream, when guards have passed it.
func (x *relayedRequest) emit(p []byte) error {
	g := &x.guarded
	if g.every == 0 {
		return x.sendStreamed(p)
	}
	if len(g.part)+len(g.raw)+len(p) > maxUnchecked {
		return fault.New(fault.GuardFailed, opGuard, "more of the stream waits for a guard than 256 KiB")
	}
	// What comes piece by piece is searched once: an end may begin in the last bytes from before.
	from := searchFrom(len(g.part))
	g.part = append(g.part, p...)
	for {
		end := firstEvent(g.part, from)
		if end == 0 {
			break
		}
		if err := x.takeEvent(g.part[:end]); err != nil {
			return err
		}
		g.part, from = g.part[end:], 0
	}
	g.part = append([]byte(nil), g.part...) // so that what was taken is not kept
	return x.countUnchecked()
}

// countUnchecked counts the memory of what waits: its bytes, twice.
func (x *relayedRequest) countUnchecked() error {
	g := &x.guarded
	size := 2*len(g.raw) + len(g.part)
	if size <= g.held {
		return nil
	}
	err := x.grow(int64(size - g.held))
	if err == nil {
		g.held = size
	}
	return err
}

// firstEvent returns the length of the first whole event of b, 0 for none. Its end is after from.
func firstEvent(b []byte, from int) int {
	for i := from; i < len(b); i++ {
		if b[i] != '\n' && b[i] != '\r' || !endsEvent(b[:i+1]) {
			continue
		}
		return i + 1
	}
	return 0
}

// takeEvent takes one event: comments go on at once, the last event after a last check. What is neither data nor a
// comment says nothing to clients, and is left out: guards have not seen it.
func (x *relayedRequest) takeEvent(event []byte) error {
	g := &x.guarded
	data, other := eventData(event)
	switch {
	case len(data) == 0 && other:
		return nil
	case len(data) == 0:
		return x.sendStreamed(event)
	case string(data) == "[DONE]":
		if err := x.checkStream(true); err != nil {
			return err
		}
		return x.sendStreamed(event)
	case !json.Valid(data): // clients may find more than one event in it
		return fault.New(fault.AnswerUnreadable, opGuard, "an event of the stream is not one JSON text")
	case len(g.events) == maxUncheckedEvents:
		return fault.New(fault.GuardFailed, opGuard, "more events of the stream wait for a guard than 2048")
	}
	now := time.Now()
	if len(g.events) == 0 {
		g.since = now
	}
	g.raw = append(g.raw, event...)
	g.events = append(g.events, append(json.RawMessage(nil), data...))
	if len(g.events) < g.due && now.Sub(g.since) < guardDelay {
		return nil
	}
	return x.checkStream(false)
}

// byteOrderMark may begin a stream, and clients ignore it.
const byteOrderMark = "\xEF\xBB\xBF"

// eventData returns the data of an event, its lines joined. other reports lines that are neither data nor comments.
func eventData(event []byte) (data []byte, other bool) {
	for line := range bytes.FieldsFuncSeq(event, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(text, []byte(" "))...), '\n')
		} else if len(line) > 0 && line[0] != ':' {
			other = true
		}
	}
	return bytes.TrimSpace(data), other
}

// checkStream asks the guards about the events that wait, and sends what they make of them.
func (x *relayedRequest) checkStream(final bool) error {
	g := &x.guarded
	if len(g.events) == 0 && !final {
		return nil
	}
	q := x.question(guards.StageAnswer)
	q.Stream, q.Sequence, q.Final, q.Events = true, g.sequence, final, g.events
	r, err := x.check(x.r.Context(), q, 0) // countUnchecked counts it
	if err != nil {
		return err
	}
	g.sequence++
	if r.More {
		if final {
			return fault.New(fault.GuardFailed, opGuard, "a guard wants more of a stream that has ended")
		}
		g.due, g.since = len(g.events)+g.every, time.Now()
		return nil
	}
	var out []byte
	if text := guards.Header(r.Annotations); text != "" {
		out = append(out, ": guard "+text+"\n\n"...)
	}
	if r.Replaced {
		for _, event := range r.Events {
			out = append(append(append(out, "data: "...), event...), "\n\n"...)
		}
	} else {
		out = append(out, g.raw...)
	}
	g.raw, g.events, g.due = g.raw[:0], nil, g.every
	if len(out) == 0 {
		return nil
	}
	return x.sendStreamed(out)
}
