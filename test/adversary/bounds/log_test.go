package bounds

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// mostLines is how many lines the refusals of this test may take: some at once, and one
// for each second that a slow machine takes.
const mostLines = 100

// TestRefusalsDoNotFillTheLog: thousands of requests without credentials leave few lines
// in a gateway's log.
func TestRefusalsDoNotFillTheLog(t *testing.T) {
	const requests = 3000
	g := gateway(t, 0, harness.Address(t))
	before := len(g.Log())
	for _, request := range []string{
		"POST /v1/chat/completions HTTP/1.1\r\nHost: node\r\nContent-Length: 2\r\n\r\n{}",
		"DELETE /v1/chat/completions HTTP/1.1\r\nHost: node\r\n\r\n",
		"POST /llm HTTP/1.1\r\nHost: node\r\nOrigin: http://elsewhere\r\nContent-Length: 2\r\n\r\n{}",
	} {
		if n := pipelined(t, strangerAt(0, g.front), request, requests); n != requests {
			t.Errorf("%d of %d answers to %.30q", n, requests, request)
		}
	}
	lines := strings.Count(g.Log()[before:], "\n")
	t.Logf("%d lines", lines)
	if lines > mostLines {
		t.Errorf("%d refusals left %d lines in the log", 3*requests, lines)
	}
}

// TestFailedJobsDoNotFillTheLog: thousands of jobs of a peer with a token, which fail before they
// cost it anything, leave few lines in an orchestrator's log.
func TestFailedJobsDoNotFillTheLog(t *testing.T) {
	const requests = 3000
	o := orchestrator(t, 0)
	job := jobWithToken(t, o.front)
	s := strangerAt(0, o.front)
	conn, err := s.tls(t.Context(), "http/1.1")
	must(t, err)
	defer conn.Close()
	before := len(o.Log())
	go func() { _, _ = io.WriteString(conn, strings.Repeat(job, requests)) }() // the answers tell
	if n := answersOn(t.Context(), conn, requests); n != requests {
		t.Errorf("%d of %d answers", n, requests)
	}
	if lines := strings.Count(o.Log()[before:], "\n"); lines > mostLines {
		t.Errorf("%d failed jobs left %d lines in the log", requests, lines)
	}
}

// pipelined sends a request so many times over one connection and returns how many
// answers came.
func pipelined(t *testing.T, s *stranger, request string, times int) (answers int) {
	t.Helper()
	conn, err := s.dial(t.Context())
	must(t, err)
	defer conn.Close()
	go func(conn net.Conn) {
		_, _ = io.WriteString(conn, strings.Repeat(request, times)) // the answers tell
	}(conn)
	return answersOn(t.Context(), conn, times)
}

// answersOn counts the answers that come on a connection of HTTP/1.1, at most so many.
func answersOn(ctx context.Context, conn net.Conn, most int) (n int) {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var text strings.Builder
	buf := make([]byte, 64<<10)
	for n < most {
		k, err := conn.Read(buf)
		text.Write(buf[:k])
		n = strings.Count(text.String(), "HTTP/1.1 4")
		if err != nil {
			break
		}
	}
	return n
}
