package aiapi_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/apikeys"
)

// A client that takes the words of a large answer and leaves before its end pays
// for what it asked for.
func TestLeavingEarlyIsNotFree(t *testing.T) {
	t.Parallel()
	n := start(t, withKey(apikeys.Limits{Budget: apikeys.Budget{Tokens: 1100, Period: apikeys.Total}})).serve()
	n.broker.answer = says(`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",` +
		`"content":"` +
		strings.Repeat("hello ", 1000) + `"},"finish_reason":"stop","logprobs":"` + strings.Repeat("x", 24<<20) +
		`"}],"usage":{"prompt_tokens":3,"completion_tokens":1000,"total_tokens":1003}}`)
	const body = `{"model":"m/llama","messages":[{"role":"user","content":"hi"}],"max_tokens":1000}`
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(n.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// So that the kernel does not take the rest for the client.
	if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c,
		"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n%s",
		token, len(body), body); err != nil {
		t.Fatal(err)
	}
	words := make([]byte, 8000)
	if _, err := io.ReadFull(c, words); err != nil || !strings.HasPrefix(string(words), "HTTP/1.1 200 ") ||
		strings.Count(string(words), "hello ") != 1000 {
		t.Fatalf("%v: %.200s", err, words)
	}
	c.Close()
	if used := n.settled().Usage.Used; used < 1000 {
		t.Errorf("it costs %d tokens", used)
	}
}
