package orchestrator

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/signature"
)

const (
	// uriType marks a body with the segment's URL, as gateways with an object store send it.
	uriType = "application/vnd+livepeer.uri"
	// maxURI bounds such a body.
	maxURI = 8 << 10
	// fetchTimeout bounds the download, from dialing to the last byte.
	fetchTimeout = 4 * time.Second
	// maxRedirects is enough for object stores.
	maxRedirects = 3
)

// body returns the segment that a request contains or names by URL, hashed with a.
func (s *Server) body(r *http.Request, a signature.Algorithm, c claim, pace *readPace) (*upload, error) {
	if r.Header.Get("Content-Type") != uriType {
		return receive(r.Body, r.ContentLength, a, s.uploads, c, pace.progress)
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxURI))
	if err != nil {
		return nil, fault.Wrap(fault.SegmentUnreadable, "read the segment's address", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), fetchTimeout)
	defer cancel()
	up, err := s.fetchSegment(ctx, string(bytes.TrimSpace(text)), a, c)
	if err != nil && fault.CodeOf(err) != fault.UploadsFull {
		return nil, fault.Wrap(fault.InputFetchFailed, "fetch segment", err)
	}
	return up, err
}

func (s *Server) fetchSegment(ctx context.Context, text string, a signature.Algorithm, c claim) (*upload, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("scheme %q is neither http nor https", u.Scheme)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	res, err := s.fetch.Do(req)
	if errors.Is(err, fetchurl.ErrNotPublic) {
		err = fmt.Errorf("%w, and in no network of -objectStoreNetworks", err)
	}
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(res.Status)
	}
	return receive(res.Body, res.ContentLength, a, s.uploads, c, func(int) {})
}

// fetcher returns a client for untrusted URLs. It connects only to public addresses and to the
// operator's stores, and checks the IP address of each connection, because host names and
// redirects may lead anywhere.
func fetcher(stores fetchurl.Networks) *http.Client {
	dialer := &net.Dialer{Timeout: fetchTimeout, Control: stores.Control}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext,
			// As in every node of the network: the segment's hash is checked.
			TLSClientConfig:        &tls.Config{InsecureSkipVerify: true},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errors.New("too many redirects")
			}
			return nil
		},
	}
}
