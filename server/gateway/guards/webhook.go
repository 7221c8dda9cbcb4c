package guards

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// webhook is a guard that is a service.
type webhook struct {
	url     string
	headers map[string]string
	client  *http.Client
	own     *http.Transport
}

func newWebhook(s *Spec) *webhook {
	own := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: s.Concurrency,
		MaxConnsPerHost: s.Concurrency, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: s.timeout,
		MaxResponseHeaderBytes: 64 << 10}
	return &webhook{url: s.URL, headers: s.Headers, own: own, client: &http.Client{Transport: own,
		// Prompts and secrets must not follow a redirect to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// ask posts a question and returns the answer's body of at most limit bytes.
func (w *webhook) ask(ctx context.Context, question []byte, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(question))
	if err != nil {
		return nil, conceal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range w.headers {
		req.Header.Set(name, value)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, conceal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("its status is %d", resp.StatusCode)
	case int64(len(text)) > limit:
		return nil, errTooLong
	}
	return text, nil
}

func (w *webhook) close() { w.own.CloseIdleConnections() }

// conceal removes the service's address from errors of net/http: its query may have a secret.
func conceal(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
