package bounds

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/server/rpc"
)

// TestProvedConnectionsAtALowDescriptorLimit: a peer with a token proves one connection
// after the other and leaves them idle, more than the node may have. Others still get in.
func TestProvedConnectionsAtALowDescriptorLimit(t *testing.T) {
	o := orchestrator(t, fewDescriptors)
	gateway(t, 0, o.front).await(t, segments(t, 1)[0])
	job := jobWithToken(t, o.front)
	s := strangerAt(7, o.front)
	held := 0
	for range fewDescriptors {
		conn, err := s.tls(t.Context(), "http/1.1")
		if err != nil {
			continue
		}
		t.Cleanup(func() { conn.Close() })
		if answered(conn, job) {
			held++
		}
	}
	if held < fewDescriptors/4 {
		t.Fatalf("only %d connections were proved", held)
	}
	letsIn(t, "https://"+o.front+"/healthz")
}

// jobWithToken is a request of a model's job that is refused for its body, and proves its
// connection by its token.
func jobWithToken(t *testing.T, front string) string {
	t.Helper()
	return fmt.Sprintf("POST /llm HTTP/1.1\r\nHost: node\r\nLivepeer-Segment: %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", segmentWithToken(t, front))
}

// segmentWithToken is a header of requests with a token of the node.
func segmentWithToken(t *testing.T, front string) string {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+front,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	info, err := rpc.NewOrchestratorClient(conn).GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{})
	if err != nil {
		t.Fatal(err)
	}
	head, err := rpc.EncodeHeader(rpc.ToSegData(&rpc.SegmentMeta{Token: info.GetAuthToken()}))
	if err != nil {
		t.Fatal(err)
	}
	return head
}

func answered(conn net.Conn, request string) bool {
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return false
	}
	if _, err := io.WriteString(conn, request); err != nil {
		return false
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err == nil && conn.SetDeadline(time.Time{}) == nil
}
