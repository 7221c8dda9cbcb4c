package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
)

const (
	// resultsIdle is how long the connection for results stays open without work. It costs an
	// orchestrator as much memory as the registration itself.
	resultsIdle = 2 * time.Minute
	// maxReply is longer than any reply to a result.
	maxReply = 4 << 10
)

// Result is a task's result for an orchestrator.
type Result struct {
	// Path is its HTTP path, "/transcodeResults".
	Path string
	Task int64
	// Header is sent with it; Content-Type is required. Post changes it.
	Header http.Header
	// Length is the body's length in bytes; negative when unknown.
	Length int64
	// Body returns the body from its beginning; it is called once per attempt.
	Body func() io.Reader
	// Once: Body can be called only once, so that a broken connection is not retried.
	Once bool
}

// transport returns the client for results: HTTP/2 only, as orchestrators require, over one
// persistent connection that closes when it is idle.
func (o *Options) transport(addr string) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	return &http.Transport{
		DialContext:            dialer().DialContext,
		Protocols:              protocols,
		TLSClientConfig:        o.TLS.config(addr, "h2"),
		TLSHandshakeTimeout:    dialTimeout,
		IdleConnTimeout:        o.ResultsIdle,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
		HTTP2: &http.HTTP2Config{SendPingTimeout: pingEvery, PingTimeout: silence,
			WriteByteTimeout: 2 * silence},
	}
}

// Post sends a result to the orchestrator. When the connection breaks before the reply it
// retries once, which is safe because orchestrators accept a result twice. The fault is
// WorkerResultLost; the caller can only log it.
func (l *Link) Post(ctx context.Context, r Result) error {
	r.Header["Authorization"] = []string{l.o.Credential}
	r.Header["Credentials"] = []string{l.o.Secret.Reveal()}
	r.Header["TaskId"] = []string{strconv.FormatInt(r.Task, 10)}
	// Orchestrators that know the header accept a result only from this instance; others
	// ignore it.
	r.Header[remote.InstanceHeader] = []string{l.instance}
	err, broke := l.post(ctx, &r)
	if broke && !r.Once && ctx.Err() == nil {
		err, _ = l.post(ctx, &r)
	}
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Fault](err); ok {
		return err
	}
	return fault.Wrap(fault.WorkerResultLost, "take a result to "+l.addr, err)
}

// post makes one attempt; broke: no reply came.
func (l *Link) post(ctx context.Context, r *Result) (err error, broke bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+l.addr+r.Path, r.Body())
	if err != nil {
		return err, false
	}
	req.Header, req.ContentLength = r.Header, r.Length
	resp, err := l.http.RoundTrip(req)
	if err != nil {
		return err, true
	}
	defer resp.Body.Close()
	l.touch()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	switch {
	case resp.StatusCode != http.StatusOK:
		return fault.New(fault.WorkerResultLost, "take a result to "+l.addr,
			fmt.Sprintf("status %d: %.256s", resp.StatusCode, strings.TrimSpace(string(text)))), false
	case err != nil:
		return nil, false // the status says that it was accepted
	}
	return nil, false
}

func (l *Link) touch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastUsed = l.o.Now()
}

// keepWarm opens the connection for results when a task starts, and keeps it open while one
// runs: a new connection would cost a result three round trips.
func (l *Link) keepWarm(ctx context.Context) {
	ticker := time.NewTicker(l.o.ResultsIdle / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.started:
		case <-ticker.C:
			if l.tasks.active() == 0 {
				continue
			}
		}
		l.warm(ctx)
	}
}

func (l *Link) warm(ctx context.Context) {
	l.mu.Lock()
	fresh := !l.lastUsed.IsZero() && l.o.Now().Sub(l.lastUsed) < l.o.ResultsIdle/2
	l.mu.Unlock()
	if fresh {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+l.addr+"/healthz", nil)
	if err != nil {
		return
	}
	resp, err := l.http.RoundTrip(req)
	if err != nil {
		return // the next result reports it
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxReply)
	resp.Body.Close()
	l.touch()
}
