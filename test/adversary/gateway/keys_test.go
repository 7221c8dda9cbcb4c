package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// keyService decides about API keys: about those of strangers late.
type keyService struct {
	server  *httptest.Server
	waiting atomic.Int64
	over    chan struct{}
}

func startKeyService(t *testing.T) *keyService {
	t.Helper()
	s := &keyService{over: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer good") {
			return
		}
		s.waiting.Add(1)
		defer s.waiting.Add(-1)
		select {
		case <-s.over:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(s.server.Close)
	t.Cleanup(sync.OnceFunc(func() { close(s.over) }))
	return s
}

// models lists the models with a key, and returns the fault's code and how long that took.
func (g *target) models(ctx context.Context, from, path, key string) (code string, took time.Duration) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.base+path, nil)
	if err != nil {
		g.Error(err)
		return "", 0
	}
	r.Header.Set("Authorization", "Bearer "+key)
	begun := time.Now()
	resp, err := clientAt(from).Do(r)
	if err != nil {
		return "Unanswered", time.Since(begun)
	}
	defer resp.Body.Close()
	var answer struct{ Error struct{ Code string } }
	_ = json.NewDecoder(resp.Body).Decode(&answer) // an answer without a fault has another form
	return answer.Error.Code, time.Since(begun)
}

// TestKeysOfStrangersDelayNoOther: where the operator's service judges keys, a stranger with
// invented ones, at which the service takes its time, delays neither keys that it has admitted
// nor new ones of other addresses.
func TestKeysOfStrangersDelayNoOther(t *testing.T) {
	t.Parallel()
	service, addr := startKeyService(t), harness.Address(t)
	g := &target{T: t, base: "http://" + addr, dir: t.TempDir()}
	g.node = harness.Start(t, binary, "-gateway", "-network", "offchain", "-orchAddr", harness.Address(t), "-httpAddr",
		addr,
		"-cliAddr", harness.Address(t), "-dataDir", g.dir, "-authWebhookUrl", service.server.URL)
	g.node.WaitHTTP(g.base + "/healthz")
	g.models(t.Context(), owner, "/v1/models", "good")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for n := range 400 {
		wg.Go(func() { g.models(ctx, attacker, "/v1/models", fmt.Sprintf("stranger%d", n)) })
	}
	g.node.Wait("the service to be busy with strangers", 20*time.Second,
		func() bool { return service.waiting.Load() >= 40 })
	if code, took := g.models(t.Context(), owner, "/v1/models/a", "good"); code == "KeyWebhookFailed" ||
		took > 8*time.Second {
		t.Errorf("a key that was admitted: %q after %v", code, took)
	}
	if code, took := g.models(t.Context(), "127.0.1.67", "/v1/models/a", "good-new"); code == "KeyWebhookFailed" ||
		took > 10*time.Second {
		t.Errorf("a new key of another address: %q after %v", code, took)
	}
}

// TestBodiesOfUnjudgedKeysLeaveMemory: where the operator's service judges keys, the bodies of
// requests with invented ones do not fill the memory for those of others.
func TestBodiesOfUnjudgedKeysLeaveMemory(t *testing.T) {
	t.Parallel()
	service, addr := startKeyService(t), harness.Address(t)
	g := &target{T: t, base: "http://" + addr, dir: t.TempDir()}
	g.node = harness.Start(t, binary, "-gateway", "-network", "offchain", "-orchAddr", harness.Address(t), "-httpAddr",
		addr,
		"-cliAddr", harness.Address(t), "-dataDir", g.dir, "-authWebhookUrl", service.server.URL)
	g.node.WaitHTTP(g.base + "/healthz")
	const upload = 64 << 20
	body := make([]byte, upload-1)
	var wg sync.WaitGroup
	for n := range 9 {
		wg.Go(func() {
			g.drip(attacker, fmt.Sprintf("POST /v1/audio/transcriptions HTTP/1.1\r\nContent-Type: multipart/form-data; "+
				"boundary=b\r\n"+
				"Authorization: Bearer stranger%d\r\nContent-Length: %d", n, upload), body)
		})
	}
	wg.Wait()
	for _, key := range []string{"good", "good-new"} {
		status, answer := g.ask("POST", "/v1/chat/completions",
			[]byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`),
			"Authorization", "Bearer "+key, "Content-Type", "application/json")
		if strings.Contains(answer, "RequestsFull") {
			t.Errorf("%s: %d %s", key, status, answer)
		}
	}
}
