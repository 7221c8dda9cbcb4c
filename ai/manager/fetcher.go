package manager

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
)

const (
	// maxImages is how many images of one request are fetched.
	maxImages = 8
	// MaxPictureRequestBytes bounds the images of one request together.
	MaxPictureRequestBytes = 20 << 20
	// maxTime bounds the fetching of all images of a request.
	maxTime = 10 * time.Second
	// maxRedirects bounds the redirects of one download.
	maxRedirects = 3
	// DefaultHeldBytes bounds the fetched images of all requests in progress.
	DefaultHeldBytes = 256 << 20
	// maxHeader bounds the header of an answer, in bytes.
	maxHeader = 64 << 10
)

// ports are the web's. Other ports mostly belong to services that are not public. Read-only.
var ports = []uint16{80, 443}

const op = "fetch images"

// PictureOptions are a fetcher's settings. Tests set those after Version.
type PictureOptions struct {
	// Version is this node's, sent as the user agent.
	Version string
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
	// Dial checks every connection; nil permits public addresses at ports 80 and 443.
	Dial func(network, address string, c syscall.RawConn) error
	// Time replaces MaxTime, HeldBytes replaces DefaultHeldBytes, if not 0.
	Time      time.Duration
	HeldBytes int64
}

// PictureFetcher fetches images for all requests of a node.
type PictureFetcher struct {
	dialer *net.Dialer
	agent  string
	time   time.Duration
	memory *fairqueue.Budget
}

// NewPictureFetcher makes a fetcher.
func NewPictureFetcher(o PictureOptions) *PictureFetcher {
	if o.Dial == nil {
		o.Dial = webOnly
	}
	if o.Time == 0 {
		o.Time = maxTime
	}
	if o.HeldBytes == 0 {
		o.HeldBytes = DefaultHeldBytes
	}
	return &PictureFetcher{
		dialer: &net.Dialer{Resolver: o.Resolver, Control: o.Dial},
		agent:  "tutti/" + o.Version,
		time:   o.Time,
		memory: fairqueue.NewBudget(o.HeldBytes),
	}
}

// client returns the client for one request's images, whose connections end with ctx. It
// shares nothing with other requests or the environment: no proxy, cookies or connections.
func (f *PictureFetcher) client(ctx context.Context) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			// A transport's dial context does not end with its request: look-ups and
			// handshakes would continue.
			DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
				c, err := f.dialer.DialContext(ctx, network, address)
				if err == nil {
					context.AfterFunc(ctx, func() { _ = c.Close() })
				}
				return c, err
			},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: checkRedirect,
	}
}

// webOnly is the Control of the fetcher's dialer.
func webOnly(network, address string, c syscall.RawConn) error {
	if err := fetchurl.PublicOnly(network, address, c); err != nil {
		return err
	}
	at, err := netip.ParseAddrPort(address)
	if err == nil && !slices.Contains(ports, at.Port()) {
		err = &portError{at.Port()}
	}
	return err
}

// checkRedirect checks the URL of a redirect. The dialer checks its IP address.
func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errRedirects
	}
	// The previous URL may be confidential.
	r.Header.Del("Referer")
	if err := fetchurl.CheckPublic(r.Context(), r.URL.String(), nil); err != nil {
		return &redirectError{err}
	}
	return nil
}

// Fetch gets the images at addresses for a party. The caller releases the batch once the images are no longer in use.
//
// Errors are RequestURLRefused, PicturesTooLarge, PictureNotFetched, PictureUnreadable,
// JobsFull while other requests hold all the memory for images, or those of this party its share, and Canceled or
// DeadlineExceeded where ctx ended. Their texts name images by their number and host.
func (f *PictureFetcher) Fetch(ctx context.Context, party string, addresses []string) (*PictureBatch, error) {
	if n := len(addresses); n > maxImages {
		text := fmt.Sprintf("the request names %d images to be fetched, at most %d are", n, maxImages)
		return nil, fault.New(fault.PicturesTooLarge, op, text)
	}
	for i, address := range addresses {
		if err := fetchurl.CheckPublic(ctx, address, nil); err != nil {
			return nil, fault.New(fault.RequestURLRefused, op, fmt.Sprintf("image %d: %v", i+1, err))
		}
	}
	out := make([]Image, len(addresses))
	memory := &requestMemory{budget: f.memory, party: party, left: MaxPictureRequestBytes}
	limited, cancel := context.WithTimeoutCause(ctx, f.time, errSlow)
	defer cancel()
	group, all := errgroup.WithContext(limited)
	client := f.client(all)
	for i, address := range addresses {
		group.Go(func() error {
			picture, err := f.image(all, client, address, memory)
			if err != nil {
				return f.fault(limited, i, address, err)
			}
			out[i] = *picture
			return nil
		})
	}
	err := group.Wait()
	if err == nil {
		return &PictureBatch{Images: out, Release: memory.release}, nil
	}
	memory.release()
	if ctx.Err() != nil {
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), op, ctx.Err())
	}
	return nil, err
}

// get asks for one image; a server that answers with anything but an image is an
// error.
func (f *PictureFetcher) get(ctx context.Context, client *http.Client, address string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", f.agent)
	r.Header.Set("Accept", "image/png, image/jpeg, image/webp, image/gif")
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, &statusError{answer.StatusCode}
	}
	return answer, nil
}

// host returns the host of an address that CheckPublic has taken.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
