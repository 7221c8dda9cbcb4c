package bounds

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// adminPatience is what a supervisor waits for the answer to a probe.
const adminPatience = 3 * time.Second

// exposed is an orchestrator whose admin port other machines reach.
func exposed(t *testing.T) (at, token string, o *harness.Process) {
	t.Helper()
	at, token = harness.Address(t), strings.Repeat("5a", 32)
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	o = harness.Start(t, node, "-orchestrator", "-transcoder", "-serviceAddr", harness.Address(t),
		"-cliAddr", "0.0.0.0:"+port, "-adminToken", token, "-dataDir", t.TempDir())
	o.WaitHTTP("http://" + at + "/healthz")
	return at, token, o
}

// askAdmin asks from an address of its own.
func askAdmin(s *stranger, path, token string) error {
	client := &http.Client{Timeout: adminPatience, Transport: &http.Transport{
		DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.dial(ctx) },
	}}
	req, err := http.NewRequest(http.MethodGet, "http://"+s.to+path, nil)
	if err != nil {
		return err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.200s", resp.StatusCode, body)
	}
	return err
}

// TestProbesOfAnAdminPortAmongStrangers: a few addresses that hold more connections than
// the admin port has, and say nothing, neither have the node taken for dead nor keep its
// operator out.
func TestProbesOfAnAdminPortAmongStrangers(t *testing.T) {
	const addresses, each = 4, 400
	at, token, _ := exposed(t)
	ctx, cancel := context.WithCancel(t.Context())
	var clients, opened sync.WaitGroup
	defer clients.Wait()
	defer cancel()
	for n := range addresses {
		for range each {
			opened.Add(1)
			first := sync.OnceFunc(opened.Done)
			s := strangerAt(n, at)
			clients.Go(func() {
				s.connectMany(ctx, 1, func(ctx context.Context) {
					defer first()
					if conn, err := s.dial(ctx); err == nil {
						first()
						hold(ctx, conn)
					}
				})
			})
		}
	}
	opened.Wait()
	for n := range 5 {
		if err := askAdmin(strangerAt(210, at), "/-/healthy", ""); err != nil {
			t.Errorf("probe %d: %v", n, err)
		}
		if err := askAdmin(strangerAt(420, at), "/api/v1/node", token); err != nil {
			t.Errorf("the operator's look %d: %v", n, err)
		}
	}
}

// TestWrongTokensAndTheOperator: a client that sends wrong tokens, behind the same proxy or on the
// same machine as the operator, has no right token refused.
func TestWrongTokensAndTheOperator(t *testing.T) {
	at, token, _ := exposed(t)
	s := strangerAt(0, at)
	for range 30 {
		if err := askAdmin(s, "/api/v1/node", strings.Repeat("00", 32)); err == nil {
			t.Fatal("a wrong token was taken")
		}
	}
	if err := askAdmin(s, "/api/v1/node", token); err != nil {
		t.Errorf("the operator: %v", err)
	}
}

// TestRefusalsOfAnAdminPortDoNotFillTheLog: requests without a token leave few lines.
func TestRefusalsOfAnAdminPortDoNotFillTheLog(t *testing.T) {
	const requests = 3000
	at, _, o := exposed(t)
	before := len(o.Log())
	request := "GET /api/v1/node HTTP/1.1\r\nHost: " + at + "\r\n\r\n"
	if n := pipelined(t, strangerAt(0, at), request, requests); n != requests {
		t.Errorf("%d of %d answers", n, requests)
	}
	if lines := strings.Count(o.Log()[before:], "\n"); lines > mostLines {
		t.Errorf("%d refusals left %d lines in the log", requests, lines)
	}
}
