package orchestrator_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
)

// TestDrainLosesNothing stops a node in the middle of a segment.
func TestDrainLosesNothing(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	begun, release := make(chan struct{}, 1), make(chan struct{})
	n.fake.On = func(context.Context, int, *core.TranscodeJob) error { begun <- struct{}{}; <-release; return nil }
	tok, other := n.offer().GetAuthToken(), n.offer().GetAuthToken()
	res, err := n.h2.Do(n.post(meta(tok, nil), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	<-begun

	drained := make(chan error, 1)
	go func() { drained <- n.server.Drain(t.Context()) }()
	eventually(t, n.orch.Draining)
	_, err = n.rpc.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{})
	wantError(t, err, "Invalid orchestrator request: OrchestratorCapped")
	refused, body := do(t, n.h2, n.post(meta(other, nil), nil))
	wantText(t, refused, body, http.StatusForbidden, "OrchestratorCapped")
	if st := statusPage(t, n); st.State != "draining" {
		t.Errorf("state %q", st.State)
	}

	close(release)
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.rpc.EndTranscodingSession(t.Context(), &rpc.EndTranscodingSessionRequest{AuthToken: tok}); err != nil {
		t.Fatal(err)
	}
	for _, seg := range result(t, answer).GetData().GetSegments() {
		if res, _ := get(t, n.h1, seg.GetUrl()); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", seg.GetUrl(), res.StatusCode)
		}
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
	n.stop()
}

func TestStopEndsWithAClientThatStays(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.transcode(n.h1, n.offer().GetAuthToken(), []byte("segment"))
	n.stop()
	if _, err := n.h1.Get(n.uri + "/healthz"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("after the stop: %v", err)
	}
}

// A peer that connected just before a stop is answered: where another process has the socket, too,
// such a peer would not know that it came to one that stops.
func TestStopAnswersWhoHasJustConnected(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	conn, err := net.Dial("tcp", n.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// The server takes connections in their order: behind one that is answered, this one is in.
	get(t, n.h1, "https://"+n.addr+"/healthz")
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		n.stop()
	}()
	eventually(t, func() bool {
		c, err := net.Dial("tcp", n.addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	c := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(c); !strings.HasPrefix(string(answer), "HTTP/1.1 200") {
		t.Errorf("%q, %v", answer, err)
	}
	<-stopped
}
