package gateway

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
)

const (
	// freeAsks and maxAsks bound concurrent calls of the hook (admission.Shares).
	freeAsks, maxAsks = 192, 256
	// maxWaiting bounds the segments of one pusher that wait for an answer.
	maxWaiting = 64
	// denialCost is what a refused push counts for its address, in bytes sent by the gateway
	// (admission.Cause).
	denialCost = 1 << 10
)

// admissions asks the hook about pushers that were not admitted yet. Pending pushers take no
// capacity of admitted ones: they are bounded separately.
type admissions struct {
	g    *Gateway
	asks *admission.Shares

	mu sync.Mutex
	// open are the pending questions.
	open map[pusher]*question
	// refusalLog limits log lines about refusals.
	refusalLog rateLimitedLog
}

func newAdmissions(g *Gateway) *admissions {
	return &admissions{g: g, asks: admission.NewShares(freeAsks, maxAsks), open: make(map[pusher]*question)}
}

// question is one call of the hook; several segments of a pusher may wait for it.
type question struct {
	waiting int
	done    chan struct{}
	// conf and err are the answer, once done is closed.
	conf *configuration
	err  error
}

// of returns the hook's answer about a pusher: a configuration, nil for none, or why the push is
// refused. Errors are those of Gateway.admit, and PushesFull, AddressBusy and Canceled.
func (a *admissions) of(r *http.Request, req *pushRequest, identity pusher) (*configuration, error) {
	a.mu.Lock()
	q := a.open[identity]
	if q != nil {
		return a.await(r.Context(), q)
	}
	q = &question{done: make(chan struct{})}
	a.open[identity] = q
	a.mu.Unlock()
	q.conf, q.err = a.ask(r, req)
	a.mu.Lock()
	delete(a.open, identity)
	a.mu.Unlock()
	close(q.done)
	return q.conf, q.err
}

// await waits for the answer to a pending question. The caller holds mu, which await releases.
func (a *admissions) await(ctx context.Context, q *question) (*configuration, error) {
	q.waiting++
	full := q.waiting > maxWaiting
	a.mu.Unlock()
	if full {
		return nil, fault.New(fault.PushesFull, "join stream", "too many segments wait for the admission hook")
	}
	select {
	case <-q.done:
		return q.conf, q.err
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Canceled, "join stream", ctx.Err())
	}
}

// ask asks the hook, within the bounds of the pusher's address.
func (a *admissions) ask(r *http.Request, req *pushRequest) (*configuration, error) {
	const op = "admit push"
	if !admission.Cause(r.Context(), 0) {
		return nil, fault.New(fault.AddressBusy, op, "too many pushes of this address were refused")
	}
	from := admission.NetworkOf(r.RemoteAddr)
	if !a.asks.Enter(from) {
		return nil, fault.New(fault.PushesFull, op, "too many pushes wait for the admission hook")
	}
	defer a.asks.Leave(from)
	// Other segments of the stream wait for the answer, so it must not depend on this one's client.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), hookTimeout)
	defer cancel()
	at, scheme := *r.URL, "http"
	if r.Method == methodPublish {
		scheme = at.Scheme
	}
	at.Scheme, at.Host = "", ""
	conf, err := a.g.admit(ctx, address(scheme, r.Host, &at))
	if err == nil && conf == nil && req.Manifest != req.Path {
		// So far the hook has seen only the name in the path, and chose no other.
		at.Path = pushPath + string(req.Manifest) + at.Path[len(pushPath)+len(req.Path):]
		at.RawPath = ""
		conf, err = a.g.admit(ctx, address(scheme, r.Host, &at))
	}
	if err != nil {
		_ = admission.Cause(r.Context(), denialCost) // checked at its next push
		a.refused(req.Manifest, err)
	}
	return conf, err
}

func address(scheme, host string, u *url.URL) string { return scheme + "://" + host + u.RequestURI() }

// refused counts a refusal and logs it with a rate limit, because any client may cause refusals.
func (a *admissions) refused(id core.ManifestID, err error) {
	a.g.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
	if suppressed, ok := a.refusalLog.allow(a.g.opt.Now()); ok {
		a.g.log.Warn("stream refused", "job", id, "more", suppressed, fault.Attr(err))
	}
}
