package worker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
)

// fetchTimeout is the protocol's time for a whole download. An orchestrator of our own
// kind keeps the input as long as the segment may take: it sends only large ones so.
const fetchTimeout = 4 * time.Second

// errFetchLate ends a download.
var errFetchLate = errors.New("the download took too long")

// inputTransport fetches inputs as the network does: HTTP/1.1, certificates unchecked,
// because they are where an orchestrator that was let in says. With -orchCA what comes
// from an orchestrator's own host is checked as the orchestrator is.
func inputTransport(trust TLS, orchestrators []string) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	plain := &net.Dialer{Timeout: fetchTimeout, KeepAlive: 30 * time.Second, ControlContext: ControlFetch}
	t := &http.Transport{
		DialContext: plain.DialContext,
		Protocols:   protocols,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"},
			ClientSessionCache: tls.NewLRUClientSessionCache(64)},
		TLSHandshakeTimeout:    fetchTimeout,
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        5 * time.Minute, // orchestrators wait 10
		ReadBufferSize:         64 << 10,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
	}
	checked := make(map[string]*tls.Config)
	for _, addr := range orchestrators {
		if c := trust.For(addr, "http/1.1"); c != nil {
			checked[hostOf(addr)] = c
		}
	}
	if len(checked) > 0 {
		t.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			d := tls.Dialer{NetDialer: plain, Config: t.TLSClientConfig}
			if c := checked[hostOf(addr)]; c != nil {
				d.Config = c
			}
			return d.DialContext(ctx, network, addr)
		}
	}
	return t
}

func hostOf(addr string) string {
	return strings.ToLower(access.Host(addr))
}

// transport is for inputs of one orchestrator: connections that are open for one are not used for
// another, which may not be allowed there.
func (c *TranscoderClient) transport(of *Link) *http.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.inputs[of]
	if t == nil {
		t = inputTransport(c.o.TLS, c.o.Orchestrators)
		c.inputs[of] = t
	}
	return t
}

// closeInputs closes idle connections.
func (c *TranscoderClient) closeInputs() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.inputs {
		t.CloseIdleConnections()
	}
}

// fetch downloads an input from where its orchestrator says, as far as that is allowed; see
// worker.Origin. Redirects are not followed. grow is called before memory is taken. Faults are
// WorkerInputLost and grow's own.
func (c *TranscoderClient) fetch(
	ctx context.Context, from *Link, address string, timeout time.Duration, grow func(n int64) error,
) ([]byte, error) {
	const op = "fetch the segment"
	lost := func(detail string, err error) ([]byte, error) {
		return nil, &fault.Fault{Code: fault.WorkerInputLost, Op: op, Detail: "cannot fetch the segment: " + detail, Err: err}
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return lost("its address is not an http(s) URL", nil)
	}
	ctx, cancel := context.WithTimeoutCause(from.Origin().Fetching(ctx), timeout, errFetchLate)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return lost("its address is not an http(s) URL", nil)
	}
	resp, err := c.transport(from).RoundTrip(req)
	if err != nil {
		return lost(why(ctx, refused(err)), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return lost(fmt.Sprintf("status %d", resp.StatusCode), nil)
	}
	var full error
	data, err := admission.BodyReader{
		Limit: core.MaxSegmentBytes, Size: resp.ContentLength,
		Grow: func(n int64) error { full = grow(n); return full },
	}.Read(resp.Body)
	switch {
	case full != nil:
		return nil, full
	case errors.Is(err, admission.ErrBodyTooLarge):
		return lost("it is too large", err)
	case err != nil:
		return lost(why(ctx, "the connection broke"), err)
	}
	return data, nil
}

// refused is why no answer came.
func refused(err error) string {
	if errors.Is(err, ErrOrigin) {
		return "its address is not one that its orchestrator may name"
	}
	return "no answer"
}

func why(ctx context.Context, otherwise string) string {
	if errors.Is(context.Cause(ctx), errFetchLate) {
		return "it took too long"
	}
	return otherwise
}
