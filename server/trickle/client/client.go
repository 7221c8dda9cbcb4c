// Package client writes and reads channels over HTTP, those of package trickle and of the existing node.
//
// A Publisher sends numbered segments while they grow, and a Subscriber reads them as they come. Both keep
// one request ahead, so that a segment never waits for a connection. Neither holds more than its limits: the
// publisher's writer never waits, and learns when the channel takes the bytes too slowly; the subscriber
// reads no faster than its caller.
//
// A channel's URL is a credential: errors do not hold it.
package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Headers of the protocol.
const (
	headerNumber = "Lp-Trickle-Seq"
	headerNext   = "Lp-Trickle-Latest"
	headerClosed = "Lp-Trickle-Closed"
)

// statusNotKept is the protocol's answer for a number that is not there.
const statusNotKept = 470

// maxNumber bounds numbers from outside.
const maxNumber = 1 << 53

var (
	// ErrEnded: the channel is closed or unknown.
	ErrEnded = errors.New("the channel has ended")
	// ErrSlow: the channel takes the bytes too slowly.
	ErrSlow = errors.New("the channel takes its segments too slowly")
	// ErrDropped: the segment was dropped, because a part of it was lost or its time is over.
	ErrDropped = errors.New("the segment was dropped")
)

// Options are what both sides need. A zero field is its default.
type Options struct {
	// Client sends the requests: NewHTTP makes one that fits. Required.
	Client *http.Client
	// Start is the first number that a Subscriber asks for. -1 is the next segment to begin; it is the
	// default of NewSubscriber, which takes Start only with FromStart.
	Start     int64
	FromStart bool
	// Buffer bounds the bytes that a Publisher holds and the channel has not taken.
	Buffer int
	// PublishPause is the time between two tries of a segment, ReadPause that between two failed reads.
	PublishPause, ReadPause time.Duration
	// Renew is how long a read waits for a segment before it asks again.
	Renew time.Duration
	// Failures is how many reads in a row may fail.
	Failures int
}

func (o Options) complete() Options {
	o.Buffer = cmp.Or(o.Buffer, 16<<20)
	o.PublishPause = cmp.Or(o.PublishPause, 250*time.Millisecond)
	o.ReadPause = cmp.Or(o.ReadPause, 300*time.Millisecond)
	o.Renew = cmp.Or(o.Renew, 20*time.Second)
	o.Failures = cmp.Or(o.Failures, 6)
	return o
}

// NewHTTP makes a client for channels. Each request has a connection of its own while it runs, so a slow
// segment holds up no other. Redirects are not followed. dial may be nil.
func NewHTTP(settings *tls.Config, dial func(context.Context, string, string) (net.Conn, error)) *http.Client {
	if dial == nil {
		dial = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				c, err := dial(ctx, network, address)
				if err != nil {
					return nil, err
				}
				return &watched{Conn: c}, nil
			},
			TLSClientConfig:     settings,
			TLSHandshakeTimeout: 5 * time.Second,
			TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
			// The segments of all streams at a node end within a second or so: fewer connections would be closed and
			// made again for each.
			MaxIdleConnsPerHost: 4096,
			IdleConnTimeout:     30 * time.Second,
			// A picture of usual size is one TLS record.
			WriteBufferSize:        16 << 10,
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// statusError is an answer that the protocol does not foresee.
type statusError int

func (s statusError) Error() string {
	return "the channel answered with status " + strconv.Itoa(int(s))
}

// without takes the URL out of an error of net/http.
func without(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// request sends a request about a channel or one of its segments.
func request(ctx context.Context, o *Options, method, url, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, url+path, body)
	if err != nil {
		return nil, without(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "video/MP2T")
	}
	res, err := o.Client.Do(r)
	return res, without(err)
}

// remove sends a DELETE, and does not care for the answer beyond that there is one.
func remove(ctx context.Context, o *Options, url, path string) error {
	res, err := request(ctx, o, http.MethodDelete, url, path, nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func segmentPath(number int64) string { return "/" + strconv.FormatInt(number, 10) }

// ended reports whether an answer says that the channel is closed or unknown.
func ended(res *http.Response) bool {
	return res.StatusCode == http.StatusNotFound || res.Header.Get(headerClosed) != ""
}

// headerInt is a number in a header. Negative ones count as absent.
func headerInt(res *http.Response, name string) (int64, bool) {
	n, err := strconv.ParseInt(res.Header.Get(name), 10, 64)
	return n, err == nil && n >= 0 && n < maxNumber
}

// pause waits, and reports whether ctx still runs.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
