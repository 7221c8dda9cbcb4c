package worker

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// longestDeadline bounds the deadline that an orchestrator sends.
	longestDeadline = 4 * core.MaxSegmentDuration
	// maxOrigin is longer than an address.
	maxOrigin = 64
)

// transcoderTask is a segment that an orchestrator ordered.
type transcoderTask struct {
	from *Link
	id   int64
	// url is where the input is, "" when the job has it already.
	url string
	job *core.TranscodeJob
	// limit is how long the orchestrator waits for the result.
	limit    time.Duration
	position *queuePosition
	// held is how many bytes of the budget the input has reserved.
	held int64
	// parent is the orchestrator's span.
	parent telemetry.Parent
}

// Notify handles a notification: a segment, the end of a session, or a cancellation.
func (w work) Notify(from *Link, n *rpc.NotifySegment) {
	if n.GetCancel() {
		from.Cancel(n.GetTaskId())
		return
	}
	session := core.SessionID(n.GetSegData().GetAuthToken().GetSessionId())
	if n.GetUrl() == "" && len(n.GetInput()) == 0 {
		if session != "" {
			w.sessions.remove(from, localSession(from, session))
			w.endSession(from, localSession(from, session))
		}
		return
	}
	t := &transcoderTask{from: from, id: n.GetTaskId(), url: n.GetUrl(),
		parent: telemetry.ParseParent(n.GetTraceparent(), n.GetTracestate())}
	err := w.read(t, n)
	if err == nil {
		err = w.accept(t, n)
	}
	if err != nil {
		from.Start(t.id, func(ctx context.Context) { w.refuse(ctx, t, err) })
		return
	}
	if !from.Start(t.id, func(ctx context.Context) { w.run(ctx, t) }) {
		w.releaseInput(t)
		from.Go(func(context.Context) { t.position.leave() })
	}
}

// Forget ends the remaining sessions of an orchestrator.
func (w work) Forget(from *Link) {
	for _, id := range w.sessions.takeAll(from) {
		w.endSession(from, id)
	}
}

// endSession ends a session after the segments that were queued before.
func (c *TranscoderClient) endSession(from *Link, id core.SessionID) {
	p := c.sessions.enqueue(id, true)
	if p.previous == nil {
		// At once: the next segment may need its memory.
		c.o.Transcoder.EndSession(id)
		p.leave()
		return
	}
	from.Go(func(ctx context.Context) {
		defer p.leave()
		_ = p.wait(ctx) // at the end of the process all sessions end
		c.o.Transcoder.EndSession(id)
	})
}

// read parses a notification into a job. Faults are those of rpc.FromSegData, SegmentMessage
// and RemoteIncompatible.
func (c *TranscoderClient) read(t *transcoderTask, n *rpc.NotifySegment) error {
	const op = "read the notice of a segment"
	meta, err := rpc.FromSegData(n.GetSegData())
	if err != nil {
		return err
	}
	session := meta.Token.GetSessionId()
	if session == "" {
		return fault.New(fault.SegmentMessage, op, "missing auth token")
	}
	offer := c.o.Capabilities()
	if offer.Version == "" {
		offer.Version = c.o.Version
	}
	if objection := capability.Mismatch(&meta.Capabilities, &offer); objection != "" {
		return fault.New(fault.RemoteIncompatible, op, objection)
	}
	t.job = &core.TranscodeJob{
		Session: localSession(t.from, core.SessionID(session)), Manifest: meta.Manifest, Number: meta.Number,
		Duration: meta.Duration, Profiles: meta.Profiles, Clip: meta.Clip,
		Signature: meta.Signature, Reinit: meta.Reinit,
		Origin: cleanOrigin(n.GetOrchId()), Party: t.from.Party(n.GetParty()), Needs: meta.Capabilities.Bits,
	}
	t.limit = core.WorkDeadline(meta.Duration)
	if ms := n.GetDeadlineMs(); ms > 0 {
		t.limit = time.Duration(min(ms, longestDeadline.Milliseconds())) * time.Millisecond
	}
	return nil
}

// cleanOrigin returns the orchestrator's name without characters that do not belong in a file.
func cleanOrigin(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, s[:min(len(s), maxOrigin)])
	return cmp.Or(s, "offchain")
}

// accept queues the segment and, if its input came with the notification, reserves memory.
func (c *TranscoderClient) accept(t *transcoderTask, n *rpc.NotifySegment) error {
	const op = "take a segment"
	if in := n.GetInput(); t.url == "" {
		if len(in) > core.MaxSegmentBytes {
			return fault.New(fault.WorkerInputLost, op, "the segment is too large")
		}
		if err := c.reserveInput(t, int64(len(in))); err != nil {
			return err
		}
		t.job.Input = in
	}
	c.sessions.recordUse(t.from, t.job.Session, c.o.Now())
	if t.position = c.sessions.enqueue(t.job.Session, false); t.position == nil {
		c.releaseInput(t)
		return fault.New(fault.TranscoderBusy, op, "four segments of the session wait already")
	}
	return nil
}

// reserveInput reserves memory for n bytes of the input.
func (c *TranscoderClient) reserveInput(t *transcoderTask, n int64) error {
	if !c.inputBudget.reserve(n) {
		return fault.New(fault.TranscoderBusy, "take a segment", "the segments in work fill the memory set aside for them")
	}
	t.held += n
	return nil
}

// releaseInput drops the input and releases its memory.
func (c *TranscoderClient) releaseInput(t *transcoderTask) {
	if t.job != nil {
		t.job.Input = nil
	}
	c.inputBudget.release(t.held)
	t.held = 0
}
