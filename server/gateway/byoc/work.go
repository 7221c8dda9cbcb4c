package byoc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/trickle"
)

const (
	// maxChannel bounds a channel's address.
	maxChannel = 1 << 10
	// maxAnswer bounds an answer about a stream, maxLine a line of its data.
	maxAnswer = 1 << 20
	maxLine   = 1 << 20
)

// network finds a stream's orchestrators.
type network struct{ st *stream }

// Find lists those with a free slot in the order of their answers.
func (n network) Find(ctx context.Context, _ string) ([]live.Orchestrator, error) {
	st := n.st
	st.mu.Lock()
	st.refused = nil
	stopping := st.stopping
	st.mu.Unlock()
	if stopping { // its orchestrator closes the channels before the stream has ended here
		<-ctx.Done()
		return nil, ctx.Err()
	}
	found, err := st.s.search(ctx, st.job, st.times)
	if err != nil {
		return nil, err
	}
	out := make([]live.Orchestrator, len(found))
	for i, t := range found {
		out[i] = &candidate{st, t}
	}
	return out, nil
}

// candidate is an orchestrator that offers a stream's capability.
type candidate struct {
	st *stream
	t  *upstream.CapabilityTerms
}

// URI is its service address. Its account is not known.
func (o *candidate) URI() string { return o.t.URI }

// Account is not known.
func (o *candidate) Account() string { return "" }

// Price is that of a second.
func (o *candidate) Price() *big.Rat { return o.t.Price }

// Start begins the stream there. After a refusal for which the request is the cause it asks nowhere else.
func (o *candidate) Start(ctx context.Context, _ string, _ []byte) ([]byte, live.Paid, error) {
	o.st.mu.Lock()
	refused := o.st.refused
	o.st.mu.Unlock()
	if refused != nil {
		return nil, nil, refused
	}
	for short := false; ; short = true {
		answer, paid, err := o.start(ctx, short)
		if err != nil && errors.Is(err, fault.InsufficientBalance) && o.t.Paid() && !short {
			continue
		}
		return answer, paid, err
	}
}

// start is Start once; short says that the orchestrator has just refused the payment as too small.
func (o *candidate) start(ctx context.Context, short bool) ([]byte, live.Paid, error) {
	st, s := o.st, o.st.s
	p, seconds, err := pay(ctx, o.t, st.client.name, st.job.seconds, short)
	if err != nil {
		return nil, nil, err
	}
	resp, err := st.send(ctx, o.t.URI, "start", bytes.NewReader(st.params), "application/json", p)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	reason, underpaid := underfunded(resp)
	switch {
	case underpaid:
		upstream.Short(p)
		return nil, nil, upstream.Forgone(fault.New(fault.InsufficientBalance, "begin a stream",
			"it says that it was not paid enough"), p)
	case resp.StatusCode != http.StatusOK:
		upstream.RefuseCapability(p, resp.StatusCode)
		if resp.StatusCode >= http.StatusInternalServerError {
			return nil, nil, upstream.Forgone(failed(resp.StatusCode, reason), p)
		}
		return nil, nil, st.refuse(resp)
	}
	w := &work{st: st, t: o.t, Prepaid: live.Prepaid{Rate: 1, Now: s.o.Now, Begun: s.o.Now()}}
	answer, err := w.channels(resp.Header)
	if err != nil {
		upstream.SettleCapability(p, upstream.Broken, 0, 0)
		return nil, nil, err
	}
	if p != nil {
		w.Add(p, seconds)
	}
	st.mu.Lock()
	st.present = w
	st.mu.Unlock()
	return answer, w, nil
}

// refuse keeps an orchestrator's refusal for the client.
func (st *stream) refuse(resp *http.Response) error {
	data, _ := io.ReadAll(io.LimitReader(resp.Body, maxReason)) // a partial text is better than none
	e := &live.RefusedError{Status: resp.StatusCode, Text: strings.TrimSpace(string(data))}
	if e.Status < http.StatusBadRequest {
		return e // it makes no sense, and another orchestrator may do better
	}
	st.mu.Lock()
	st.refused = e
	st.mu.Unlock()
	return e
}

// send sends a request about the stream, with a payment or nil, which is settled after an error.
func (st *stream) send(ctx context.Context, uri, what string, body io.Reader, mime string, p upstream.Payment) (
	*http.Response, error) {
	header, err := st.header(ctx)
	if err != nil {
		settleUnsent(p)
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, uri+"/ai/stream/"+what, body)
	if err != nil {
		settleUnsent(p)
		return nil, fault.Wrap(fault.OrchestratorUnusable, "reach a stream", err)
	}
	r.GetBody = nil // a payment is sent once
	r.Header.Set(jobHeader, header)
	if mime != "" {
		r.Header.Set("Content-Type", mime)
	}
	return st.s.o.Client.SendCapability(r, p)
}

// work is a stream at one orchestrator.
type work struct {
	live.Prepaid
	st *stream
	t  *upstream.CapabilityTerms
	// data is the channel of data, "" without one.
	data string
	// stopped: the client has stopped the stream there. Guarded by st.mu.
	stopped bool
}

// stopping says whether the client stops the stream there.
func (w *work) stopping(yes bool) {
	w.st.mu.Lock()
	defer w.st.mu.Unlock()
	w.stopped = yes
}

// channels reads the channels' addresses out of an orchestrator's answer, and returns them as live video has them.
func (w *work) channels(h http.Header) ([]byte, error) {
	o := &w.st.job.options
	out := make(map[string]string)
	for _, c := range []struct {
		header, field string
		wanted        bool
	}{
		{"X-Publish-Url", "publish_url", o.Input}, {"X-Subscribe-Url", "subscribe_url", o.Output},
		{"X-Control-Url", "control_url", true}, {"X-Events-Url", "events_url", true}, {"X-Data-Url", "", o.Data},
	} {
		switch {
		case !c.wanted:
			continue
		case h.Get(c.header) != "":
		case c.header == "X-Control-Url", c.header == "X-Events-Url":
			continue // one of the two is enough to learn of the end
		default:
			// Without the channel nothing would arrive, and nothing would report that, while the clock still
			// charges for it.
			return nil, fault.New(fault.OrchestratorUnusable, "begin a stream", "it names no channel in "+c.header)
		}
		at, err := channelAt(w.t.URI, h.Get(c.header))
		if err != nil {
			return nil, err
		}
		if c.field == "" {
			w.data = at
		} else {
			out[c.field] = at
		}
	}
	if out["control_url"] == "" && out["events_url"] == "" {
		return nil, fault.New(fault.OrchestratorUnusable, "begin a stream", "it names no channel that tells its end")
	}
	out["manifest_id"] = w.st.id
	return json.Marshal(out)
}

// channelAt is a channel's address at the orchestrator. Only the path of the named address counts: some orchestrators
// name the host by which their workers reach them, and none may send this gateway to another host.
func channelAt(uri, named string) (string, error) {
	u, err := url.Parse(named)
	if err != nil || len(named) > maxChannel || !strings.HasPrefix(u.Path, "/") {
		// without its text, which is a credential
		return "", fault.New(fault.OrchestratorUnusable, "read a channel's address", "it cannot be read")
	}
	return strings.TrimSuffix(uri, "/") + u.EscapedPath(), nil
}

// Run pays for the stream and reads its data until ctx ends.
func (w *work) Run(ctx context.Context, _ string) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.repeatUpdate(ctx)
	if w.data != "" {
		wg.Go(func() { w.readData(ctx) })
	}
	tick := time.NewTicker(w.st.s.o.Limits.Pay)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := w.st.reserve()
		if err == nil && w.t.Paid() {
			err = w.topUp(ctx)
		}
		if errors.Is(err, fault.BudgetSpent) || errors.Is(err, fault.RequestAboveLimit) {
			w.st.mu.Lock()
			h := w.st.handle
			w.st.mu.Unlock()
			h.Stop(err)
			return err
		} else if errors.Is(err, fault.StreamNotFound) {
			return err
		} else if err != nil && ctx.Err() == nil {
			w.st.s.o.Log.Warn("a stream is not paid for", "orchestrator", w.t.URI, "stream", w.st.id, fault.Attr(err))
		}
	}
}

// topUp pays for more of the stream if the orchestrator, by its fresh terms, holds too little. Whatever it reports, it
// is never paid further ahead of the clock than the time of one job. After this gateway stood still, it is also paid
// for the time that passed, up to as much again.
func (w *work) topUp(ctx context.Context) error {
	st := w.st
	w.Settle()
	ask, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	t, err := st.s.o.Client.AskCapability(ask, w.t.URI, st.job.capability)
	if err != nil {
		return err
	}
	ahead := time.Duration(max(st.job.seconds, enough)) * time.Second
	missing := w.Missing(ahead)
	if !t.Paid() || t.Covers(enough) || missing <= 0 {
		return nil
	}
	seconds := w.Within(missing, ahead)
	if err := errors.Join(t.CheckPrice(), t.CheckRaise(w.t)); err != nil {
		return err
	}
	p, err := t.Pay(ctx, st.client.name, seconds)
	if err != nil && seconds > enough && tooMuch(err) {
		seconds = enough
		p, err = t.Pay(ctx, st.client.name, seconds)
	}
	if err != nil {
		return err
	}
	resp, err := st.send(ctx, w.t.URI, "payment", http.NoBody, "", p)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		p.Settle(sender.Refused, 0)
		return fault.New(fault.StreamNotFound, "pay for a stream", "the orchestrator does not know it any more")
	default:
		p.Settle(sender.Refused, 0)
		return fault.New(fault.JobDeclined, "pay for a stream", http.StatusText(resp.StatusCode))
	}
	w.Add(p, seconds)
	return nil
}

// End settles the payments, and stops the stream at the orchestrator unless its client did.
func (w *work) End(blame bool) {
	st := w.st
	st.mu.Lock()
	stopped := w.stopped
	if st.present == w {
		st.present = nil
	}
	st.mu.Unlock()
	w.Prepaid.End(blame && !stopped)
	if stopped {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), st.s.o.Limits.End)
	defer cancel()
	resp, err := st.send(ctx, w.t.URI, "stop", strings.NewReader("{}"), "application/json", nil)
	if err != nil {
		st.s.o.Log.Debug("an orchestrator was not notified of a stream's end", "orchestrator", w.t.URI, "err", err)
		return
	}
	_ = resp.Body.Close() // nothing in it is of use
}

// repeatUpdate sends the last update again, to an orchestrator that has not had it.
func (w *work) repeatUpdate(ctx context.Context) {
	st := w.st
	st.mu.Lock()
	update, kind := st.update, st.updateType
	st.mu.Unlock()
	if update == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, st.s.o.Limits.Start)
	defer cancel()
	resp, err := st.send(ctx, w.t.URI, "update", bytes.NewReader(update), kind, nil)
	if err != nil {
		st.s.o.Log.Info("a stream's update did not reach its new orchestrator", "orchestrator", w.t.URI, fault.Attr(err))
		return
	}
	_ = resp.Body.Close() // nothing in it is of use
}

// readData hands the lines of the channel of data to its readers until ctx or the channel ends.
func (w *work) readData(ctx context.Context) {
	// FromStart: what the worker wrote before this connects is still in the channel.
	sub := trickle.NewSubscriber(w.data, trickle.ClientOptions{Client: w.st.s.o.Channels, FromStart: true})
	defer sub.Close()
	for {
		in, err := sub.Next(ctx)
		if err != nil {
			return // the other channels report the reason
		}
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			w.st.data.send(lines.Bytes())
		}
		_ = in.Close() // it was only read
	}
}
