package bounds

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

const (
	model = "test/model"
	// tokenPrice is what a token costs on the devnet, in wei.
	tokenPrice = "2000000000"
	ladder     = "P144p30fps16x9"
)

// models writes a models file with one model, which a small server answers for.
func models(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(counting))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "aiModels.json")
	text := fmt.Appendf(nil, `[{"pipeline":"llm","model_id":%q,"warm":true,"price_per_unit":%s,"pixels_per_unit":1,`+
		`"url":%q,"capacity":16}]`,
		model, tokenPrice, server.URL)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// counting is an OpenAI-compatible server whose model gives every request one answer.
func counting(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/v1/models":
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model"}]}`, model)
	case "/v1/chat/completions":
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,`+
			`"finish_reason":"stop",`+
			`"message":{"role":"assistant","content":"one two"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,`+
			`"total_tokens":3}}`, model)
	default:
		w.WriteHeader(http.StatusOK)
	}
}

// started is a node with its addresses.
type started struct {
	*harness.Process
	front, admin string
}

// orchestrator starts an off-chain orchestrator with a transcoder and a model. limit
// is its descriptor limit, 0 for the machine's.
func orchestrator(t *testing.T, limit int, args ...string) *started {
	t.Helper()
	s := &started{front: harness.Address(t), admin: harness.Address(t)}
	s.Process = startLimited(t, limit, append([]string{"-orchestrator", "-transcoder", "-aiWorker", "-aiModels",
		models(t), "-aiAllowUnverified", "-serviceAddr", s.front, "-httpAddr", s.front, "-cliAddr", s.admin,
		"-dataDir", t.TempDir()}, args...)...)
	s.WaitHTTP("https://" + s.front + "/healthz")
	return s
}

// gateway starts a gateway before the given orchestrators.
func gateway(t *testing.T, limit int, orchestrators string) *started {
	t.Helper()
	s := &started{front: harness.Address(t), admin: harness.Address(t)}
	s.Process = startLimited(t, limit, "-gateway", "-orchAddr", orchestrators, "-httpAddr", s.front,
		"-cliAddr", s.admin, "-dataDir", t.TempDir(), "-transcodingOptions", ladder)
	s.WaitHTTP("http://" + s.front + "/healthz")
	return s
}

// startLimited starts the node with so many descriptors.
func startLimited(t *testing.T, limit int, args ...string) *harness.Process {
	t.Helper()
	if limit == 0 {
		return harness.Start(t, node, args...)
	}
	shell := fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, limit)
	return harness.Start(t, "/bin/sh", append([]string{"-c", shell, node}, args...)...)
}

// base is a gateway's address for clients.
func (s *started) base() string { return "http://" + s.front }

// condition reports whether the node has a condition of a code now.
func (s *started) condition(t *testing.T, code string) bool {
	t.Helper()
	_, body := harness.Get(t, "http://"+s.admin+"/api/v1/conditions")
	return strings.Contains(string(body), `"`+code+`"`)
}

// await waits until the gateway's first completion and segment have been done.
func (s *started) await(t *testing.T, seg clip.Segment) {
	t.Helper()
	s.Wait("a first completion and a first segment", 60*time.Second, func() bool {
		return complete(t.Context(), s.base()) == nil && push(s.base(), "first", 0, seg) == nil
	})
}

// complete asks a gateway for one completion.
func complete(ctx context.Context, base string) error {
	body := fmt.Appendf(nil, `{"model":%q,"max_tokens":20,"messages":[{"role":"user","content":"count"}]}`, model)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := harness.Client().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return err
}

// push sends one segment of a stream.
func push(base, stream string, n int, seg clip.Segment) error {
	_, err := harness.Push(base, stream, fmt.Sprintf("%d.ts", n), seg.Data, seg.Duration)
	return err
}

// segments makes a short generated stream that costs little.
func segments(t *testing.T, count int) []clip.Segment {
	t.Helper()
	out, err := clip.GenerateAll(t.Context(), clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: count,
		Bitrate: 300_000, Segment: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
