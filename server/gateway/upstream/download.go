package upstream

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/admission"
)

// maxParallelDownloads bounds the renditions of one segment that are fetched at
// once. The network's transcoders make up to 10.
const maxParallelDownloads = 10

// Download fetches all renditions of a result in parallel. It calls grow, from one goroutine at a
// time, before it allocates n more bytes. The error is the first fault RenditionDownload, or
// Canceled, or grow's fault; there are no partial results.
func (c *Client) Download(ctx context.Context, orchestrator string, remotes []Remote,
	grow func(n int64) error) ([][]byte, error) {
	if len(remotes) == 1 {
		data, err := c.fetch(ctx, orchestrator, &remotes[0], grow)
		return [][]byte{data}, err
	}
	var mu sync.Mutex // grow's
	growOne := func(n int64) error {
		mu.Lock()
		defer mu.Unlock()
		return grow(n)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxParallelDownloads)
	out := make([][]byte, len(remotes))
	for i := range remotes {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			data, err := c.fetch(ctx, orchestrator, &remotes[i], growOne)
			if err != nil {
				cancel(err) // only the first one counts
			}
			out[i] = data
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		err := context.Cause(ctx)
		if fault.CodeOf(err) == fault.Unexpected {
			err = fault.Wrap(fault.Canceled, "download renditions", err)
		}
		return nil, err
	}
	return out, nil
}

func (c *Client) fetch(ctx context.Context, orchestrator string, remote *Remote, grow func(n int64) error) ([]byte,
	error) {
	const op = "download rendition"
	u, err := url.Parse(remote.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, fault.New(fault.RenditionDownload, op, "its address is not an http(s) URL")
	}
	transport := c.bulk
	if !sameHost(u, orchestrator) {
		transport = c.foreign
	}
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer time.AfterFunc(videorouting.DownloadTimeout, func() { cancel(errLate) }).Stop()
	fail := func(err error) ([]byte, error) {
		if outer.Err() != nil {
			return nil, fault.Wrap(fault.Canceled, op, err)
		}
		return nil, fault.Wrap(fault.RenditionDownload, op, err)
	}
	to := ctx
	if remote.peer.IsValid() && transport == c.bulk {
		to = SamePeerOnly(ctx, remote.peer)
	}
	req := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: make(http.Header)}).WithContext(to)
	resp, err := transport.RoundTrip(req) // redirects are not followed
	if err != nil {
		return fail(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fault.New(fault.RenditionDownload, op, fmt.Sprintf("status %d", resp.StatusCode))
	}
	var full error
	data, err := admission.BodyReader{
		Limit: core.MaxSegmentBytes, Size: resp.ContentLength,
		Grow: func(n int64) error { full = grow(n); return full }, Sink: remote.Sink,
	}.Read(resp.Body)
	if full != nil {
		return nil, full // the rendition has nothing to do with it
	}
	if err != nil {
		return fail(err)
	}
	if len(data) < core.MinRenditionBytes {
		return nil, fault.New(fault.RenditionDownload, op, fmt.Sprintf("%d bytes are no rendition", len(data)))
	}
	return data, nil
}
