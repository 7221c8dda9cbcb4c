package byoc_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/live"
)

// own admits requests of this machine's first address.
func own(r *http.Request) error {
	if strings.HasPrefix(r.RemoteAddr, "127.0.0.1:") {
		return nil
	}
	return fault.New(fault.StreamKeyRequired, "test", "the request comes from another machine")
}

// at sends a request from an address of this machine.
func (g *gateway) at(t *testing.T, address, method, path, header, body string) (*http.Response, string) {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}
	r, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Livepeer", header)
	res, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(data)
}

// service is the operator's, which admits streams.
type service struct {
	mu      sync.Mutex
	verdict string
	asked   []map[string]string
}

func newService(t *testing.T) (*service, *live.Webhook) {
	s := &service{verdict: "{}"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q map[string]string
		err := json.NewDecoder(r.Body).Decode(&q)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.asked = append(s.asked, q); err != nil || s.verdict == "" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, s.verdict)
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	return s, live.NewWebhook(srv.URL, "key")
}

func (s *service) says(verdict string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verdict = verdict
}

// calls are all that can be done to a stream.
var calls = []string{"POST whip", "POST update", "GET status", "GET data", "POST stop"} // Read-only.

// A client without a key on another machine sends no request, and begins a stream only if the operator's service admits
// it; what it has at once is an eighth of what is there.
func TestStrangers(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	s, webhook := newService(t)
	o.capacity = 100
	g := newGateway(t, func(x *setup) {
		x.Keys, x.CheckLocal, x.webhook = apikeys.New(apikeys.Options{Now: time.Now}), own, webhook
		x.Limits.Streams = 16
	}, o)
	res, text := g.at(t, "127.0.0.2", "POST", "/process/request/x", job("{}", "{}", 5), "")
	refused(t, res, text, http.StatusUnauthorized, "StreamKeyRequired")
	start := func(address, body string) (*http.Response, string) {
		return g.at(t, address, "POST", "/process/stream/start", job("{}", "{}", 5), body)
	}
	s.says("")
	res, text = start("127.0.0.2", "")
	refused(t, res, text, http.StatusForbidden, "StreamDenied")
	if n := len(o.saw("/")); n != 0 {
		t.Errorf("%d requests to an orchestrator", n)
	}
	s.says(`{"stream_id":"given","pipeline_parameters":{"p":2}}`)
	res, text = start("127.0.0.2", `{"stream_name":"cam","stream_id":"mine","params":"{\"p\":1}"}`)
	if res.StatusCode != http.StatusOK || !strings.Contains(text, `"stream_id":"cam-given"`) ||
		o.saw("/ai/stream/start")[0].body != `{"params":{"p":2}}` {
		t.Error(res.Status, text, o.saw("/ai/stream/start"))
	}
	s.mu.Lock()
	if q := s.asked[1]; q["stream"] != "cam" || q["type"] != "" || q["status_url"] != g.url+"/process/stream/cam/status" {
		t.Error(q)
	}
	s.mu.Unlock()
	s.says("{}")
	if res, text := start("127.0.0.2", `{"stream_id":"second"}`); res.StatusCode != http.StatusOK {
		t.Error(res.Status, text)
	}
	res, text = start("127.0.0.2", `{"stream_id":"third"}`)
	refused(t, res, text, http.StatusServiceUnavailable, "StreamsFull")
	if res, text := start("127.0.0.3", `{"stream_id":"third"}`); res.StatusCode != http.StatusOK {
		t.Error("another address:", res.Status, text)
	}
}

// A stream is the machine's or the address's that began it.
func TestAStreamIsItsClients(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.capacity = 100
	_, webhook := newService(t)
	g := newGateway(t, func(x *setup) {
		x.Keys, x.CheckLocal, x.webhook = apikeys.New(apikeys.Options{Now: time.Now}), own, webhook
	}, o)
	addresses := []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"}
	for _, owner := range addresses {
		id := "of-" + strings.ReplaceAll(owner, ".", "-")
		res, text := g.at(t, owner, "POST", "/process/stream/start", job("{}", "{}", 5), `{"stream_id":"`+id+`"}`)
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status, text)
		}
		for _, other := range addresses {
			for _, call := range calls {
				method, path, _ := strings.Cut(call, " ")
				if other == owner {
					continue
				}
				res, text := g.at(t, other, method, "/process/stream/"+id+"/"+path, "", "{}")
				refused(t, res, text, http.StatusForbidden, "StreamDenied")
			}
		}
		if n := len(o.saw("/ai/stream/stop")) + len(o.saw("/ai/stream/update")); n != 0 {
			t.Errorf("%d requests about a stream", n)
		}
		// Live video's own addresses do not reach it.
		for _, call := range []string{"POST update", "GET status"} {
			method, path, _ := strings.Cut(call, " ")
			for _, name := range []string{id, "byoc-" + id} {
				res, text := g.at(t, owner, method, "/live/video-to-video/"+name+"/"+path, "", "{}")
				if res.StatusCode != http.StatusNotFound {
					t.Error(name, call, res.Status, text)
				}
			}
		}
	}
	for _, owner := range addresses {
		id := "of-" + strings.ReplaceAll(owner, ".", "-")
		if res, text := g.at(t, owner, "GET", "/process/stream/"+id+"/status", "", ""); res.StatusCode != http.StatusOK {
			t.Error(res.Status, text)
		}
	}
}
