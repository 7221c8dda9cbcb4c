package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"
	"time"

	"github.com/tuttinode/tutti/server/gateway/segmenter"
	"github.com/tuttinode/tutti/server/trickle"
)

const (
	// maxUntaken is how many segments an orchestrator may leave untaken.
	maxUntaken = 3
	// maxEvent bounds one event.
	maxEvent = 1 << 20
	// startWithin bounds the request that begins a stream.
	startWithin = 5 * time.Second
	// endWithin bounds the end of a stream at an orchestrator.
	endWithin = 3 * time.Second
	// messageWithin bounds a message to the runner; one that was lost is sent again after resendAfter.
	messageWithin = 5 * time.Second
	resendAfter   = 250 * time.Millisecond
)

// leftError is why a stream left an orchestrator.
type leftError struct {
	err error
	// late: the orchestrator was too slow, and is not used for a while.
	late bool
}

func (e *leftError) Error() string { return e.err.Error() }
func (e *leftError) Unwrap() error { return e.err }

var (
	errNoOutput = errors.New("the orchestrator sends no output")
	errUntaken  = errors.New("the orchestrator takes the input too slowly")
	errNoEvents = errors.New("the orchestrator sends no events")
	errGone     = errors.New("the orchestrator closed the stream's channels")
	errForeign  = errors.New("the orchestrator named a channel on another host")
)

// startRequest is the body with which a stream begins.
type startRequest struct {
	Model     string          `json:"model_id"`
	Params    json.RawMessage `json:"params,omitempty"`
	Request   string          `json:"gateway_request_id"`
	Stream    string          `json:"stream_id"`
	Publish   string          `json:"publish_url"`
	Subscribe string          `json:"subscribe_url"`
}

// startAnswer names the channels of a stream.
type startAnswer struct {
	Publish   string `json:"publish_url"`
	Subscribe string `json:"subscribe_url"`
	Control   string `json:"control_url"`
	Events    string `json:"events_url"`
	Manifest  string `json:"manifest_id"`
}

// job is a stream at one orchestrator.
type job struct {
	s    *stream
	o    Orchestrator
	a    startAnswer
	paid Paid // nil where the stream is free
	// outer ends with the stream.
	outer context.Context
	ctx   context.Context // ends with the job
	stop  context.CancelCauseFunc
	wg    sync.WaitGroup

	in, control *trickle.Publisher
	// begun is when the orchestrator was asked.
	begun time.Time
	steps steps

	mu        sync.Mutex
	lastEvent time.Time
}

// begin starts a stream at an orchestrator.
func (s *stream) begin(ctx context.Context, o Orchestrator) (*job, error) {
	body, err := json.Marshal(startRequest{Model: s.model, Params: s.params, Request: s.request, Stream: s.id})
	if err != nil {
		return nil, err
	}
	ask, cancel := context.WithTimeout(ctx, s.plan.startWithin())
	defer cancel()
	begun := s.srv.o.Now()
	data, paid, err := o.Start(ask, s.client(), body)
	if err != nil {
		return nil, err
	}
	j := &job{s: s, o: o, paid: paid, begun: begun, lastEvent: s.srv.o.Now()}
	if err := j.read(data); err != nil {
		if paid != nil {
			paid.End(true)
		}
		return nil, err
	}
	j.outer = ctx
	j.ctx, j.stop = context.WithCancelCause(ctx)
	return j, nil
}

// read reads the answer to the start.
func (j *job) read(data []byte) (err error) {
	if err := json.Unmarshal(data, &j.a); err != nil {
		return fmt.Errorf("read the answer of %s: %w", j.o.URI(), err)
	}
	for _, u := range []*string{&j.a.Publish, &j.a.Subscribe, &j.a.Control, &j.a.Events} {
		if *u == "" && j.s.plan != nil {
			continue // it has no such channel
		}
		if *u, err = channelURL(j.o.URI(), *u); err != nil {
			return err
		}
	}
	return nil
}

// channelURL is the address of a channel, which may be relative to the orchestrator's. It has the
// orchestrator's scheme, host and port: an orchestrator makes this node send requests nowhere else.
func channelURL(base, ref string) (string, error) {
	b, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	u, err := b.Parse(ref)
	switch {
	case err != nil, ref == "":
		return "", errForeign // without its text, which is a credential
	case u.Scheme != b.Scheme, u.Hostname() != b.Hostname(), portOf(u) != portOf(b), u.User != nil:
		return "", errForeign
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String(), nil
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" || u.Scheme != "https" {
		return cmp.Or(port, "80")
	}
	return "443"
}

// Next begins a segment of the input.
func (j *job) Next() (segmenter.Output, error) {
	if j.in.Pending() >= maxUntaken {
		return nil, errUntaken
	}
	next, err := j.in.Next(j.ctx)
	if err == nil {
		j.sentOne()
	}
	return next, err
}

// run moves media and messages until the job ends, and says why it did.
func (j *job) run() error {
	o := trickle.ClientOptions{Client: j.s.srv.o.Channels}
	j.in, j.control = j.publish(j.a.Publish, o), j.publish(j.a.Control, o)
	j.s.out.restart()
	if j.a.Subscribe != "" {
		j.wg.Go(func() { j.end(j.readOutput(trickle.NewSubscriber(j.a.Subscribe, o))) })
	}
	if j.a.Events != "" {
		j.wg.Go(func() { j.end(j.readEvents(trickle.NewSubscriber(j.a.Events, o))) })
	}
	if j.control != nil {
		j.wg.Go(func() { j.end(j.writeControl()) })
	}
	if j.paid != nil {
		j.wg.Go(func() { j.end(j.paid.Run(j.ctx, j.a.Manifest)) })
	}
	if j.in != nil {
		j.s.seg.Direct(j.s.copies.from(j))
	}
	j.wg.Go(func() { j.end(j.watch()) })
	<-j.ctx.Done()
	j.s.seg.Direct(nil)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), endWithin)
	defer cancel()
	for _, p := range []*trickle.Publisher{j.control, j.in} {
		if p != nil {
			_ = p.Close(ctx) // an orchestrator that does not answer ends the channels by itself
		}
	}
	j.wg.Wait()
	if j.paid != nil {
		j.paid.End(j.outer.Err() == nil)
	}
	return context.Cause(j.ctx)
}

// publish connects to a channel to write to; nil without one.
func (j *job) publish(url string, o trickle.ClientOptions) *trickle.Publisher {
	if url == "" {
		return nil
	}
	p := trickle.NewPublisher(url, o)
	p.Connect(j.ctx)
	return p
}

// end ends the job; the first reason counts.
func (j *job) end(err error) {
	if err == nil {
		err = errGone
	}
	j.stop(err)
}

// readOutput reads the result.
func (j *job) readOutput(sub *trickle.Subscriber) error {
	defer sub.Close()
	for first := true; ; first = false {
		in, err := sub.Next(j.ctx)
		if err != nil {
			return channelError(err)
		}
		if first {
			j.s.srv.o.Recorder.FirstSegment(j.s.srv.o.Now().Sub(j.begun))
		}
		if err := j.s.out.read(in); err != nil {
			j.s.srv.o.Log.Debug("a segment of the output cannot be used", "stream", j.s.id, "err", err)
		} else {
			j.receivedOne()
		}
		_ = in.Close() // it was only read
	}
}

func channelError(err error) error {
	if errors.Is(err, trickle.ErrEnded) {
		return errGone
	}
	return err
}

// readEvents takes the orchestrator's events.
func (j *job) readEvents(sub *trickle.Subscriber) error {
	defer sub.Close()
	for {
		in, err := sub.Next(j.ctx)
		if err != nil {
			return channelError(err)
		}
		data, err := io.ReadAll(io.LimitReader(in, maxEvent))
		_ = in.Close() // it was only read
		if err != nil || len(data) == 0 {
			continue
		}
		j.mu.Lock()
		j.lastEvent = j.s.srv.o.Now()
		j.mu.Unlock()
		j.s.event(j.o, data)
	}
}

// writeControl sends the latest parameters, and a message every so often. Each message waits for the one before: a
// reader that meets a later one first does not go back. Parameters that were lost are sent again.
func (j *job) writeControl() error {
	tick := time.NewTicker(j.s.srv.o.Limits.Keep)
	defer tick.Stop()
	sent := 0
	for {
		params, number, changed := j.s.parameters()
		if number != sent {
			switch err := j.message(params); {
			case err == nil:
				sent = number
				j.s.updated(j.o, params)
			case j.ctx.Err() != nil:
				return j.ctx.Err()
			case !errors.Is(err, trickle.ErrDropped):
				return err
			default:
				wait(j.ctx, resendAfter)
			}
			continue
		}
		select {
		case <-changed:
		case <-tick.C:
			err := j.message([]byte(`{"keep":"alive"}`))
			if err != nil && !errors.Is(err, trickle.ErrDropped) {
				return err
			}
		case <-j.ctx.Done():
			return j.ctx.Err()
		}
	}
}

// message sends a message and waits until the channel has it. The error is trickle.ErrDropped when it was lost or took
// too long, else that of the channel.
func (j *job) message(data []byte) error {
	m, err := j.control.Next(j.ctx)
	if err != nil {
		return channelError(err)
	}
	_, _ = m.Write(data) // Wait returns its error
	_ = m.Close()
	ctx, cancel := context.WithTimeout(j.ctx, messageWithin)
	defer cancel()
	err = m.Wait(ctx)
	if err != nil && j.ctx.Err() == nil && ctx.Err() != nil {
		m.Drop()
		return trickle.ErrDropped
	}
	return channelError(err)
}
