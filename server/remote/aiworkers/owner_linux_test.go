package aiworkers_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/server/rpc"
)

// A worker that knows the secret brings no answer to the job of another worker of the network,
// which has nothing but its address to tell it apart.
func TestAnswersOfAnotherWorker(t *testing.T) {
	b := newBench(t, nil)
	first := b.register(offer(llm("m"), 1, true))
	b.has(llm("m"), 1)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	conn, err := grpc.NewClient("passthrough:///"+b.addr,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", addr)
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err = rpc.NewAIWorkerClient(conn).RegisterAIWorker(t.Context(), offer(llm("other"), 1, true)); err != nil {
		t.Fatal(err)
	}
	b.has(llm("other"), 1)
	done := b.start(chat(llm("m"), false))
	task := first.next().GetTaskId()

	tr := &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(tr.CloseIdleConnections)
	other := *b
	other.http = &http.Client{Transport: tr}
	answer := func(text string) *strings.Reader { return strings.NewReader(text) }
	if status, text := other.post(task, "livepeer/ai-worker-error", answer("forged"),
		nil); status != http.StatusUnauthorized {
		t.Errorf("another worker's answer: %d %s", status, text)
	}
	if status, text := first.post(task, "livepeer/ai-worker-error", answer("its own"), nil); status != http.StatusOK {
		t.Errorf("its own: %d %s", status, text)
	}
	if out := <-done; out.err == nil || !strings.Contains(out.err.Error(), "its own") {
		t.Errorf("the job ended with %v", out.err)
	}
}
