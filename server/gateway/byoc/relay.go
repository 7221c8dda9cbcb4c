package byoc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// passed are the headers of an answer that clients get. Read-only.
var passed = []string{"Content-Type", "Cache-Control", "X-Metadata", "Livepeer-Balance", "Livepeer-Payment-Balance"}

var (
	// errCut: the answer had begun and is not whole.
	errCut = errors.New("the answer broke off")
	// errClient: the client does not take its answer.
	errClient = errors.New("the client left")
	// errLarge: the answer is over the limit.
	errLarge = errors.New("the answer is too large")
)

// relay passes an answer to the client, and settles its payment.
func (x *request) relay(ctx context.Context, t *upstream.CapabilityTerms, resp *http.Response, p upstream.Payment,
	began time.Time) error {
	defer resp.Body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	events := kind == "text/event-stream"
	h := x.w.Header()
	for _, name := range passed {
		if v := resp.Header.Get(name); v != "" {
			h.Set(name, v)
		}
	}
	h.Set("X-Orchestrator-Url", t.URI)
	// What a worker makes is no page of this gateway.
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox")
	if resp.ContentLength >= 0 && !events {
		h.Set("Content-Length", fmt.Sprint(resp.ContentLength))
	}
	x.w.WriteHeader(resp.StatusCode)
	last, err := x.copy(resp.Body, events)
	took := x.s.o.Now().Sub(began)
	used, came := started(took, events), int64(0)
	if !last.IsZero() {
		came = started(last.Sub(began), events)
	}
	x.billed += used
	if resp.StatusCode >= http.StatusBadRequest {
		upstream.RefuseCapability(p, resp.StatusCode)
	} else {
		x.done = err == nil
		upstream.SettleCapability(p, x.arrival(ctx, err, took), came, used)
	}
	if err != nil {
		x.s.o.Log.Info("a job's answer is not whole", "orchestrator", t.URI, "model", x.job.capability, "err", err)
		return errCut
	}
	return nil
}

// slowClient is how long a client may let its orchestrator wait before it counts as the cause of a broken answer.
const slowClient = 2 * time.Second

// arrival says what came of an answer that ended with err and took so long. Clients choose a job's time, at whose end
// orchestrators break off, and how much there is to answer.
func (x *request) arrival(ctx context.Context, err error, took time.Duration) upstream.Arrival {
	switch {
	case err == nil:
		return upstream.Whole
	case errors.Is(err, errClient), errors.Is(err, errLarge), ctx.Err() != nil, x.waited >= slowClient,
		took >= time.Duration(x.job.seconds)*time.Second:
		return upstream.Left
	}
	return upstream.Broken
}

// copy copies an answer as it comes; last is when its last part came. Event streams end with their last event: some
// orchestrators go on sending then.
func (x *request) copy(from io.Reader, events bool) (last time.Time, err error) {
	control := http.NewResponseController(x.w)
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	var end lastEvent
	buf := make([]byte, 32<<10)
	for sent := int64(0); ; {
		n, err := from.Read(buf)
		done := false
		if events {
			n, done = end.feed(buf[:n])
		}
		if n > 0 {
			last = x.s.o.Now()
		}
		if sent += int64(n); sent > x.s.o.Limits.Answer {
			return last, errLarge
		}
		out := buf[:n]
		if done {
			out = append(out, '\n') // the event's end
		}
		if len(out) > 0 {
			_ = control.SetWriteDeadline(time.Now().Add(x.s.o.Limits.Stall)) // a test's transport has none
			if _, err := x.w.Write(out); err != nil {
				return last, errClient
			}
			if err := control.Flush(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
				return last, errClient
			}
			x.waited += x.s.o.Now().Sub(last)
		}
		switch {
		case done, err == io.EOF:
			return last, nil
		case err != nil:
			return last, err
		}
	}
}

// lastEvent finds the line with which an event stream says that it is over.
type lastEvent struct{ line []byte }

// maxMark bounds what is kept of a line.
const maxMark = 32

// feed takes the next bytes. It returns how many of them belong to the stream, and whether they end it.
func (e *lastEvent) feed(p []byte) (n int, done bool) {
	for i, b := range p {
		if b != '\n' {
			if len(e.line) < maxMark {
				e.line = append(e.line, b)
			}
			continue
		}
		value, data := bytes.CutPrefix(e.line, []byte("data:"))
		if data && string(bytes.TrimSpace(value)) == "[DONE]" {
			return i + 1, true
		}
		e.line = e.line[:0]
	}
	return len(p), false
}

// settleUnsent settles a payment that was not sent.
func settleUnsent(p upstream.Payment) {
	if p != nil {
		p.Settle(sender.Unsent, 0)
	}
}
