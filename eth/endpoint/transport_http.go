package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// textBound is how much is read of an answer that is not JSON-RPC, in bytes.
const textBound = 4 << 10

// headerBound is how long the header of an answer may be. It is read whole, and takes many
// times its length.
const headerBound = 64 << 10

// httpTransport speaks JSON-RPC over HTTP.
type httpTransport struct {
	addr   address
	client *http.Client
	now    func() time.Time
	ids    atomic.Uint64
}

// newClient returns the HTTP client of one pool. Redirects are not followed: they would carry the key in the URL,
// and signed transactions, to another host.
func newClient(o Options) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            o.Dial,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    16,
			MaxConnsPerHost:        64,
			IdleConnTimeout:        time.Minute,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  o.CallTimeout,
			MaxResponseHeaderBytes: headerBound,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (t *httpTransport) do(ctx context.Context, reqs []request) ([]response, *failure) {
	first := t.ids.Add(uint64(len(reqs))) - uint64(len(reqs)) + 1
	body, err := encode(reqs, first)
	if err != nil {
		return nil, fail(canceled, t.addr.name, "the request cannot be written")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.addr.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fail(refused, t.addr.name, "the address cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, netFailure(ctx, t.addr.name, err)
	}
	defer func() { _ = resp.Body.Close() }()
	return t.read(ctx, resp, len(reqs), first)
}

func (t *httpTransport) read(ctx context.Context, resp *http.Response, count int, first uint64) ([]response, *failure) {
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, textBound))
		return t.refusal(resp, text, count, first)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerBound+1))
	if err != nil {
		return nil, netFailure(ctx, t.addr.name, err)
	}
	if len(body) > answerBound {
		return nil, fail(oversized, t.addr.name, "an answer of more than %d MiB", answerBound>>20)
	}
	return decode(body, count, first, t.addr.name)
}

// refusal reads a status other than 200. Some servers send JSON-RPC errors, also reverts, with status 400 or
// 500; then the error counts.
func (t *httpTransport) refusal(resp *http.Response, text []byte, count int, first uint64) ([]response, *failure) {
	f := statusFailure(t.addr, resp.StatusCode, resp.Header, string(text), t.now())
	if f.kind != badStatus {
		return nil, f
	}
	var one wireResponse
	if json.Unmarshal(text, &one) == nil && one.Error != nil && (one.Error.Code != 0 || one.Error.Message != "") {
		if answers, bad := decode(text, count, first, t.addr.name); bad == nil {
			return answers, nil
		}
	}
	if count > 1 && (f.status == http.StatusBadRequest || f.status == http.StatusRequestEntityTooLarge ||
		f.status == http.StatusUnprocessableEntity) {
		f.kind = noBatches
	}
	return nil, f
}

func (t *httpTransport) close() { t.client.CloseIdleConnections() }
