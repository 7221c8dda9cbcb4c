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
	// warmEvery keeps the way of results open: orchestrators close what is idle for ten
	// minutes, and a new connection would cost the next result three round trips.
	warmEvery = time.Minute
	// maxReply is more than any answer to a result.
	maxReply = 4 << 10
)

// Result is what goes back to an orchestrator.
type Result struct {
	// Path is where it goes, "/transcodeResults".
	Path string
	Task int64
	// Header is what else is said of it; Content-Type is needed. It is changed.
	Header http.Header
	// Length is the body's, in bytes; below 0 it is not known beforehand.
	Length int64
	// Body gives the body from its beginning, once per attempt.
	Body func() io.Reader
	// Once says that there is only one body: a broken connection is not tried again.
	Once bool
}

// transport is for results: HTTP/2 alone, as orchestrators demand, and over one
// connection that stays open.
func (o *Options) transport(addr string) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	return &http.Transport{
		DialContext:            dialer().DialContext,
		Protocols:              protocols,
		TLSClientConfig:        o.TLS.config(addr, "h2"),
		TLSHandshakeTimeout:    dialTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingEvery, PingTimeout: silence, WriteByteTimeout: 2 * silence},
	}
}

// Post takes a result to the orchestrator. When the connection breaks before the
// answer it is tried once more: an orchestrator takes a result twice. The fault is
// WorkerResultLost; there is nothing to be done about it but to tell.
func (l *Link) Post(ctx context.Context, r Result) error {
	r.Header["Authorization"] = []string{l.o.Credential}
	r.Header["Credentials"] = []string{l.o.Secret.Reveal()}
	r.Header["TaskId"] = []string{strconv.FormatInt(r.Task, 10)}
	// Always: whoever knows us by it takes a result from nobody else, and others pass over it.
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

// post makes one attempt; broke says that no answer came.
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
		return nil, false // it was taken: the status said so
	}
	return nil, false
}

func (l *Link) touch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastUsed = l.o.Now()
}

// keepWarm opens the connection for results and keeps it open while registered.
func (l *Link) keepWarm(ctx context.Context) {
	ticker := time.NewTicker(warmEvery)
	defer ticker.Stop()
	for {
		l.warm(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (l *Link) warm(ctx context.Context) {
	l.mu.Lock()
	fresh := !l.lastUsed.IsZero() && l.o.Now().Sub(l.lastUsed) < warmEvery
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
		return // the next result finds out
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxReply)
	resp.Body.Close()
	l.touch()
}
