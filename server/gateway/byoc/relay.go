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
	err := x.copy(resp.Body, events)
	used := started(x.s.o.Now().Sub(began), events)
	x.billed += used
	left := errors.Is(err, errClient) || errors.Is(ctx.Err(), context.Canceled)
	upstream.SettleCapability(p, resp.StatusCode, used, err == nil, left)
	if err != nil {
		x.s.o.Log.Info("a job's answer is not whole", "orchestrator", t.URI, "model", x.job.capability, "err", err)
		return errCut
	}
	return nil
}

// copy copies an answer as it comes. Event streams end with their last event: some orchestrators go on sending then.
func (x *request) copy(from io.Reader, events bool) error {
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
		if sent += int64(n); sent > x.s.o.Limits.Answer {
			return errLarge
		}
		out := buf[:n]
		if done {
			out = append(out, '\n') // the event's end
		}
		if len(out) > 0 {
			_ = control.SetWriteDeadline(time.Now().Add(x.s.o.Limits.Stall)) // a test's transport has none
			if _, err := x.w.Write(out); err != nil {
				return errClient
			}
			if err := control.Flush(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
				return errClient
			}
		}
		switch {
		case done, err == io.EOF:
			return nil
		case err != nil:
			return err
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
