package aiapi

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Source is where a result may be fetched: at the host of an orchestrator, whose answer came from
// the address peer (invalid if it is unknown).
type Source struct {
	Orchestrator string
	Peer         netip.Addr
}

// Fetcher downloads a result that an orchestrator keeps, of at most limit bytes, from its source
// only. It calls grow before it allocates n more bytes. Errors are the faults
// ResultFetchFailed (wrapping admission.ErrBodyTooLarge for a result over the limit), Canceled, and those of
// grow.
type Fetcher interface {
	Fetch(ctx context.Context, from Source, url string, limit int64, grow func(n int64) error) ([]byte, error)
}

// fetcher downloads results over HTTPS.
type fetcher struct{ transport *http.Transport }

func newFetcher() *fetcher {
	var dialer net.Dialer
	return &fetcher{&http.Transport{
		DialContext: upstream.DialRecordedPeer(dialer.DialContext),
		// The network's rule: orchestrators sign their own certificates.
		TLSClientConfig:       &tls.Config{InsecureSkipVerify: true},
		MaxIdleConnsPerHost:   2,
		IdleConnTimeout:       time.Minute,
		ResponseHeaderTimeout: 10 * time.Second,
		DisableCompression:    true,
		// Headers are read whole, take many times their length in memory and are in no budget.
		MaxResponseHeaderBytes: 64 << 10,
	}}
}

func (f *fetcher) close() { f.transport.CloseIdleConnections() }

// Fetch gets one result. Redirects are not followed, because they lead to other hosts.
func (f *fetcher) Fetch(ctx context.Context, from Source, address string, limit int64,
	grow func(n int64) error) ([]byte, error) {
	const op = "fetch result"
	u, err := resultURL(from.Orchestrator, address)
	if err != nil {
		return nil, err
	}
	to := ctx
	if from.Peer.IsValid() {
		// By now the host's name may lead behind the gateway's firewall.
		to = upstream.SamePeerOnly(ctx, from.Peer)
	}
	req := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: make(http.Header)}).WithContext(to)
	resp, err := f.transport.RoundTrip(req)
	if err != nil {
		return nil, fetchFault(ctx, "the orchestrator does not answer", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fault.New(fault.ResultFetchFailed, op, "status "+strconv.Itoa(resp.StatusCode))
	}
	b, err := admission.BodyReader{Limit: limit, Size: resp.ContentLength, Grow: grow}.Read(resp.Body)
	if err == nil && int64(len(b)) > limit {
		err = admission.ErrBodyTooLarge // a small one may still fit into the reader's first buffer
	}
	if err != nil {
		return nil, fetchFault(ctx, "the download ended early", err)
	}
	return trimCapacity(b, grow)
}

// trimCapacity copies b if its buffer is much larger than its content: results are kept for long.
func trimCapacity(b []byte, grow func(n int64) error) ([]byte, error) {
	if cap(b)-len(b) <= len(b)/8 {
		return b, nil
	}
	if err := grow(int64(len(b))); err != nil {
		return nil, err
	}
	return append(make([]byte, 0, len(b)), b...), nil
}

// resultURL resolves a result's address and requires the orchestrator's own host. Otherwise an
// answer could make the gateway call other hosts, also in its private network.
func resultURL(orchestrator, address string) (*url.URL, error) {
	const op = "fetch result"
	if !strings.Contains(orchestrator, "://") {
		orchestrator = "https://" + orchestrator
	}
	base, err := url.Parse(orchestrator)
	if err != nil || base.Host == "" {
		return nil, fault.New(fault.ResultFetchFailed, op, "the orchestrator has no address")
	}
	u, err := base.Parse(address)
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.User != nil:
		return nil, fault.New(fault.ResultFetchFailed, op, "its address is not an http(s) URL")
	case !strings.EqualFold(u.Host, base.Host):
		return nil, fault.New(fault.ResultFetchFailed, op, "its address is on another host than the orchestrator")
	case u.Scheme != base.Scheme:
		// The host's name may by now resolve to a server without TLS in the gateway's private
		// network.
		return nil, fault.New(fault.ResultFetchFailed, op, "its address is not "+base.Scheme+", as the orchestrator's is")
	}
	return u, nil
}

func fetchFault(ctx context.Context, detail string, err error) error {
	const op = "fetch result"
	switch {
	case fault.CodeOf(err) == fault.RequestsFull:
		return err
	case ctx.Err() == context.Canceled:
		return fault.Wrap(fault.Canceled, op, err)
	}
	return &fault.Fault{Code: fault.ResultFetchFailed, Op: op, Detail: detail, Err: err}
}
