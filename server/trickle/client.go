package trickle

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

var (
	// ErrEnded: the channel is closed or unknown.
	ErrEnded = errors.New("the channel has ended")
	// ErrSlow: the channel takes the bytes too slowly.
	ErrSlow = errors.New("the channel takes its segments too slowly")
	// ErrDropped: the segment was dropped, because a part of it was lost or its time is over.
	ErrDropped = errors.New("the segment was dropped")
)

// ClientOptions are what both sides need. A zero field is its default.
type ClientOptions struct {
	// Client sends the requests: NewHTTPClient makes one that fits. Required.
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

func (o ClientOptions) complete() ClientOptions {
	o.Buffer = cmp.Or(o.Buffer, 16<<20)
	o.PublishPause = cmp.Or(o.PublishPause, 250*time.Millisecond)
	o.ReadPause = cmp.Or(o.ReadPause, 300*time.Millisecond)
	o.Renew = cmp.Or(o.Renew, 20*time.Second)
	o.Failures = cmp.Or(o.Failures, 6)
	return o
}

// NewHTTPClient makes a client for channels. Each request has a connection of its own while it runs, so a slow
// segment holds up no other. Redirects are not followed. dial may be nil.
func NewHTTPClient(settings *tls.Config, dial func(context.Context, string, string) (net.Conn, error)) *http.Client {
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

// withoutURL takes the URL out of an error of net/http.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// sendRequest sends a request about a channel or one of its segments.
func sendRequest(
	ctx context.Context, o *ClientOptions, method, url, path string, body io.Reader,
) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, url+path, body)
	if err != nil {
		return nil, withoutURL(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "video/MP2T")
	}
	res, err := o.Client.Do(r)
	return res, withoutURL(err)
}

// sendDelete sends a DELETE, and does not care for the answer beyond that there is one.
func sendDelete(ctx context.Context, o *ClientOptions, url, path string) error {
	res, err := sendRequest(ctx, o, http.MethodDelete, url, path, nil)
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
