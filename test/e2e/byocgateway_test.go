package e2e

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// A gateway without any option for it passes jobs of BYOC to its orchestrators, and ends well with a stream that runs.
func TestAGatewayServesBYOC(t *testing.T) {
	t.Parallel()
	stopped := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /process/token", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"price":{"pixelsPerUnit":1},"available_capacity":1}`)
	})
	mux.HandleFunc("POST /process/request/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, r.URL.Path+" "+string(body))
	})
	mux.HandleFunc("POST /ai/stream/start", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Events-Url", "/channel")
	})
	mux.HandleFunc("POST /ai/stream/stop", func(http.ResponseWriter, *http.Request) { close(stopped) })
	mux.HandleFunc("GET /channel/", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	orchestrator := httptest.NewTLSServer(mux)
	t.Cleanup(func() { orchestrator.CloseClientConnections(); orchestrator.Close() })
	front, admin := harness.Address(t), harness.Address(t)
	node := harness.Start(t, binary, "-gateway", "-orchAddr", orchestrator.URL, "-httpAddr", front, "-cliAddr", admin,
		"-dataDir", t.TempDir())
	node.WaitHTTP("http://" + front + "/healthz")
	node.WaitHTTP("http://" + admin + "/healthz") // started last: a node that starts does not drain
	post := func(path string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+front+path, strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Livepeer", base64.StdEncoding.EncodeToString([]byte(
			`{"request":"{}","parameters":"{}","capability":"demo","timeout_seconds":10}`)))
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.Status + " " + string(text)
	}
	if got := post("/process/request/run"); got != "200 OK /process/request/run {}" {
		t.Error(got)
	}
	if got := post("/process/stream/start"); !strings.HasPrefix(got, "200 OK") || !strings.Contains(got, "stop_url") {
		t.Error(got)
	}
	node.Signal(syscall.SIGTERM)
	node.Wait("refusal of new jobs", 10*time.Second, func() bool {
		return strings.Contains(post("/process/request/run"), "Draining")
	})
	node.Signal(syscall.SIGTERM)
	if status := node.Exit(20 * time.Second); status != 0 {
		t.Error("exit status", status)
	}
	select {
	case <-stopped:
	default:
		t.Error("the orchestrator was not notified of the stream's end")
	}
}
