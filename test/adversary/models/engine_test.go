package models_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/engine"
)

// unconfined is the engine as one whose operator has switched the filter of system calls
// off for all containers.
func unconfined(t *testing.T, e *engine.Engine) *engine.Engine {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "engine"})
	proxy.FlushInterval = -1
	proxy.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", strings.TrimPrefix(e.Host, "unix://"))
	}}
	proxy.ModifyResponse = func(r *http.Response) error {
		if !strings.HasSuffix(r.Request.URL.Path, "/info") {
			return nil
		}
		var info map[string]any
		if err := json.NewDecoder(r.Body).Decode(&info); err != nil {
			return err
		}
		info["SecurityOptions"] = []string{"name=seccomp,profile=unconfined"}
		text, err := json.Marshal(info)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Del("Content-Length")
		return err
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return &engine.Engine{Host: strings.Replace(s.URL, "http://", "tcp://", 1), API: e.API}
}

// TestUnconfinedEngineIsNamed: where the engine gives containers every system call, the
// node says so.
func TestUnconfinedEngineIsNamed(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	n := start(t, unconfined(t, e), []entry{hostile(t, e, "own/open")})
	n.Wait("the condition", 30*time.Second, func() bool {
		return strings.Contains(n.Log(), "ContainerSandboxDegraded") && strings.Contains(n.Log(), "unconfined")
	})
}
