package transcoder

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/worker"
)

const (
	// longestDeadline bounds what an orchestrator may say of its patience.
	longestDeadline = 4 * core.MaxSegmentDuration
	// maxOrigin is longer than an address.
	maxOrigin = 64
)

// task is a segment as an orchestrator wants it.
type task struct {
	from *worker.Link
	id   int64
	// url is where the input is, "" when the job has it already.
	url string
	job *core.TranscodeJob
	// limit is how long the result is waited for.
	limit time.Duration
	place *place
	// held is how many bytes of room the input has taken.
	held int64
}

// Notice takes a notice: a segment, the end of a session, or the end of somebody's
// patience.
func (w work) Notice(from *worker.Link, n *rpc.NotifySegment) {
	if n.GetCancel() {
		from.Cancel(n.GetTaskId())
		return
	}
	session := core.SessionID(n.GetSegData().GetAuthToken().GetSessionId())
	if n.GetUrl() == "" && len(n.GetInput()) == 0 {
		if session != "" {
			w.sessions.ended(from, local(from, session))
			w.endSession(from, local(from, session))
		}
		return
	}
	t := &task{from: from, id: n.GetTaskId(), url: n.GetUrl()}
	err := w.read(t, n)
	if err == nil {
		err = w.take(t, n)
	}
	if err != nil {
		from.Start(t.id, func(ctx context.Context) { w.refuse(ctx, t, err) })
		return
	}
	if !from.Start(t.id, func(ctx context.Context) { w.do(ctx, t) }) {
		w.release(t)
		from.Go(func(context.Context) { t.place.leave() })
	}
}

// Forget ends what is left of an orchestrator's sessions.
func (w work) Forget(from *worker.Link) {
	for _, id := range w.sessions.of(from) {
		w.endSession(from, id)
	}
}

// endSession ends a session after those of its segments that came before.
func (c *Client) endSession(from *worker.Link, id core.SessionID) {
	p := c.sessions.join(id, true)
	if p.before == nil {
		// At once: the next segment may need its room.
		c.o.Transcoder.EndSession(id)
		p.leave()
		return
	}
	from.Go(func(ctx context.Context) {
		defer p.leave()
		_ = p.turn(ctx) // a process that stops ends its sessions, too
		c.o.Transcoder.EndSession(id)
	})
}

// read makes a job of a notice. Faults are those of rpc.FromSegData, SegmentMessage and
// RemoteIncompatible.
func (c *Client) read(t *task, n *rpc.NotifySegment) error {
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
	if no := capability.Objection(&meta.Capabilities, &offer); no != "" {
		return fault.New(fault.RemoteIncompatible, op, no)
	}
	t.job = &core.TranscodeJob{
		Session: local(t.from, core.SessionID(session)), Manifest: meta.Manifest, Number: meta.Number,
		Duration: meta.Duration, Profiles: meta.Profiles, Clip: meta.Clip,
		Signature: meta.Signature, Reinit: meta.Reinit,
		Origin: origin(n.GetOrchId()), Party: t.from.Party(n.GetParty()), Needs: meta.Capabilities.Bits,
	}
	t.limit = core.WorkDeadline(meta.Duration)
	if ms := n.GetDeadlineMs(); ms > 0 {
		t.limit = time.Duration(min(ms, longestDeadline.Milliseconds())) * time.Millisecond
	}
	return nil
}

// origin is the orchestrator's name as it may stand in a file.
func origin(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, s[:min(len(s), maxOrigin)])
	return cmp.Or(s, "offchain")
}

// take gives the segment its place and, when it came with the notice, its room.
func (c *Client) take(t *task, n *rpc.NotifySegment) error {
	const op = "take a segment"
	if in := n.GetInput(); t.url == "" {
		if len(in) > core.MaxSegmentBytes {
			return fault.New(fault.WorkerInputLost, op, "the segment is too large")
		}
		if err := c.hold(t, int64(len(in))); err != nil {
			return err
		}
		t.job.Input = in
	}
	c.sessions.heard(t.from, t.job.Session, c.o.Now())
	if t.place = c.sessions.join(t.job.Session, false); t.place == nil {
		c.release(t)
		return fault.New(fault.TranscoderBusy, op, "four segments of the session wait already")
	}
	return nil
}

// hold takes room for bytes of the input.
func (c *Client) hold(t *task, n int64) error {
	if !c.room.take(n) {
		return fault.New(fault.TranscoderBusy, "take a segment", "the segments in work fill the memory set aside for them")
	}
	t.held += n
	return nil
}

// release drops the input and gives its room back.
func (c *Client) release(t *task) {
	if t.job != nil {
		t.job.Input = nil
	}
	c.room.give(t.held)
	t.held = 0
}
