package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

// storing stands between a gateway and an orchestrator as an operator's object store does:
// sources lie in it and the orchestrator gets their addresses, and renditions are at another
// host than the one that the gateway asks. All of it is at private addresses.
type storing struct {
	rpc.UnimplementedOrchestratorServer
	orch string
	next rpc.OrchestratorClient
	// uri is what the gateway knows it by, by name; sources are at an address.
	uri, sources string

	mu      sync.Mutex
	segment []byte // the newest
}

// newStoring starts one before an orchestrator and returns what the gateway asks.
func newStoring(t *testing.T, orch string) string {
	t.Helper()
	trusting := &tls.Config{InsecureSkipVerify: true} // nodes sign their own certificates
	conn, err := grpc.NewClient(orch, grpc.WithTransportCredentials(credentials.NewTLS(trusting)))
	if err != nil {
		t.Fatal(err)
	}
	s, calls := &storing{orch: orch, next: rpc.NewOrchestratorClient(conn)}, grpc.NewServer()
	rpc.RegisterOrchestratorServer(calls, s)
	onward := &http.Client{Transport: &http.Transport{TLSClientConfig: trusting.Clone()}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc"):
			calls.ServeHTTP(w, r)
		case r.Method == http.MethodPost:
			s.handOn(onward, w, r)
		}
	}))
	server.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	kept := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = w.Write(s.segment)
	}))
	t.Cleanup(func() {
		kept.Close()
		server.CloseClientConnections()
		server.Close()
		calls.Stop()
		onward.CloseIdleConnections()
		_ = conn.Close()
	})
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	s.uri, s.sources = "https://localhost:"+port, kept.URL
	return "localhost:" + port
}

// GetOrchestrator is the orchestrator's answer with another address.
func (s *storing) GetOrchestrator(ctx context.Context, req *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	info, err := s.next.GetOrchestrator(ctx, req)
	if err == nil {
		info.Transcoder = s.uri
	}
	return info, err
}

// EndTranscodingSession is passed on.
func (s *storing) EndTranscodingSession(ctx context.Context,
	req *rpc.EndTranscodingSessionRequest) (*rpc.EndTranscodingSessionResponse, error) {
	return s.next.EndTranscodingSession(ctx, req)
}

// handOn keeps a segment and sends its address on.
func (s *storing) handOn(client *http.Client, w http.ResponseWriter, r *http.Request) {
	segment, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.segment = segment
	s.mu.Unlock()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "https://"+s.orch+r.URL.Path,
		strings.NewReader(s.sources+"/source.ts"))
	if err != nil {
		return
	}
	req.Header = r.Header.Clone()
	req.Header.Del("Content-Length")
	req.Header.Set("Content-Type", "application/vnd+livepeer.uri")
	resp, err := client.Do(req)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

// TestObjectStoresAtPrivateAddresses pushes a segment whose source and renditions are in an
// operator's own network: it works where both nodes name the network, and the node that does
// not says which option is missing.
func TestObjectStoresAtPrivateAddresses(t *testing.T) {
	t.Parallel()
	const option = "-objectStoreNetworks"
	trusted := []string{option, "10.9.0.0/16,127.0.0.0/8"}
	for name, c := range map[string]struct {
		orchestrator, gateway []string
		code                  string
	}{
		"both trust the network":           {trusted, trusted, ""},
		"the orchestrator does not":        {nil, trusted, "InputFetchFailed"},
		"the gateway trusts another one":   {trusted, []string{option, "10.9.0.0/16"}, "RenditionDownload"},
		"the orchestrator trusts nothing ": {[]string{option, ""}, nil, "InputFetchFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, orch := orchestrator(t, c.orchestrator...)
			g, gw := gateway(t, newStoring(t, orch), c.gateway...)
			seg := segments(t, small(1))[0]
			out, err := harness.Push(gw, "movie", "0.ts", seg.Data, seg.Duration)
			if c.code == "" {
				if err != nil || len(out) == 0 || bytes.Equal(out[0].Data, seg.Data) {
					t.Errorf("%d renditions, %v\n%s\n%s", len(out), err, o.Log(), g.Log())
				}
				return
			}
			if err == nil {
				t.Error("a private address was fetched from")
			}
			refuser := g
			if c.code == "InputFetchFailed" {
				refuser = o
			}
			for line := range strings.Lines(refuser.Log()) {
				if strings.Contains(line, c.code) && strings.Contains(line, option) && strings.Contains(line, "127.0.0.1") {
					return
				}
			}
			t.Errorf("%s and %s are not in one line of\n%s", c.code, option, refuser.Log())
		})
	}
}
