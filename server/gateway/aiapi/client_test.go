package aiapi_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// held is a body that ends when the job's ctx does.
type held struct {
	ctx   context.Context
	first string
}

func (h *held) Read(b []byte) (int, error) {
	if h.first != "" {
		n := copy(b, h.first)
		h.first = h.first[n:]
		return n, nil
	}
	<-h.ctx.Done()
	return 0, fault.Wrap(fault.Canceled, "read answer", h.ctx.Err())
}

func (h *held) Close() error { return nil }

func TestClientLeaves(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body   string
		answer func(context.Context, *inference.Job) (*broker.Answer, error)
		status int
	}{
		"before the answer": {chatBody, func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, 499},
		"before the first token": {streamBody, func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
			<-ctx.Done()
			return nil, fault.Wrap(fault.JobBroke, "ask", ctx.Err())
		}, 499},
		"within a stream": {streamBody, func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
			return reply("text/event-stream", &held{ctx, event1}), nil
		}, 200},
		"within JSON": {chatBody, func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
			return reply("application/json", &held{ctx, `{"choices":`}), nil
		}, 499},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(budgeted(10000))).serve()
			asked, canceled := make(chan struct{}), make(chan struct{})
			n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
				context.AfterFunc(ctx, func() { close(canceled) })
				close(asked)
				return tt.answer(ctx, job)
			}
			ctx, cancel := context.WithCancel(t.Context())
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			left := make(chan struct{})
			go func() {
				defer close(left)
				r := n.request(http.MethodPost, "/llm", tt.body, "Authorization", "Bearer "+token)
				if resp, err := transport.RoundTrip(r.WithContext(ctx)); err == nil {
					_, _ = io.ReadFull(resp.Body, make([]byte, 1)) // it has begun
					cancel()
					resp.Body.Close()
				}
			}()
			<-asked
			if tt.status != http.StatusOK {
				cancel()
			}
			<-canceled // the test's own time limit is the deadline
			<-left
			f := n.figures.only(t)
			if f.Code != fault.Canceled || f.Status != tt.status {
				t.Errorf("figures %+v", f)
			}
			if s := n.settled(); s.Usage.Used > 2 || s.Usage.Reserved != 0 {
				t.Errorf("used %+v", s.Usage)
			}
			cancel()
		})
	}
}

// endless is a stream that never ends by itself.
type endless struct{ event []byte }

func (e *endless) Read(b []byte) (int, error) { return copy(b, e.event), nil }
func (e *endless) Close() error               { return nil }

func TestClientThatTakesNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, contentType, part string }{
		"stream": {usageBody, "text/event-stream", event1},
		"JSON":   {chatBody, "application/json", strings.Repeat(" ", 1000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, func(o *aiapi.Options) { o.Limits.Stall = 10 * time.Millisecond }).serve()
			n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
				return reply(tt.contentType, &endless{[]byte(tt.part)}), nil
			}
			c, err := net.Dial("tcp", strings.TrimPrefix(n.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			r := n.request(http.MethodPost, "/llm", tt.body)
			if err := r.Write(c); err != nil {
				t.Fatal(err)
			}
			if f := n.figures.only(t); f.Code != fault.AnswerNotTaken {
				t.Errorf("figures %+v", f)
			}
		})
	}
}

func TestBodiesThatDoNotCome(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { o.Limits.Bytes = 1000 }).serve()
	// The announced length takes its memory before the bytes come, and no more.
	announce := func() net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(n.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, "POST /llm HTTP/1.1\r\nHost: x\r\nContent-Length: 950\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := announce()
	defer func() { c.Close() }()
	wait(t, "a gateway without memory", func() bool {
		if n.post("/llm", chatBody).status == http.StatusServiceUnavailable {
			return true
		}
		// The other request may have been read first, and this one refused for it.
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := c.Read(make([]byte, 1)); err == nil {
			c.Close()
			c = announce()
		}
		return false
	})
	g := n.post("/llm", chatBody)
	if !strings.Contains(g.body, "RequestsFull") {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	c.Close()
	wait(t, "memory again", func() bool { return n.post("/llm", chatBody).status == http.StatusOK })
}

// Clients that only announce bodies leave the memory to clients that send theirs.
func TestAnnouncedBodiesTakeLittle(t *testing.T) {
	t.Parallel()
	const memory = 1 << 20
	for name, header := range map[string]string{
		"announced": "Content-Length: " + strconv.Itoa(memory), "in chunks": "Transfer-Encoding: chunked",
	} {
		for _, path := range []string{"/llm", "/image-to-image"} {
			t.Run(name+" to "+path, func(t *testing.T) {
				t.Parallel()
				n := start(t, func(o *aiapi.Options) { o.Limits.Bytes = memory }).serve()
				for range 16 {
					n.announce(path, header)
				}
				n.post("/llm", chatBody).want(t, http.StatusOK, chatAnswer)
			})
		}
	}
}

// announce sends a request without its body, and returns when the gateway waits
// for it.
func (n *node) announce(path, header string) {
	n.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(n.url, "http://"))
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { c.Close() })
	// The server asks for the body when the handler reads, with its memory in hand.
	if _, err := io.WriteString(c,
		"POST "+path+" HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"+header+"\r\n\r\n"); err != nil {
		n.t.Fatal(err)
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || !strings.Contains(line, "100 Continue") {
		n.t.Fatalf("%q %v", line, err)
	}
}

func TestAskingForAVideoIsShort(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	n.post("/image-to-video/result", `{"request_id":"`+strings.Repeat("x", 4<<10)+`"}`).
		want(t, http.StatusRequestEntityTooLarge, object("the body is over the limit of 4 KiB", "invalid_request_error",
			"RequestTooLarge"))
}

func TestLargeAnswer(t *testing.T) {
	t.Parallel()
	answer := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 3<<20) +
		`"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`
	n := start(t, nil).serve()
	n.broker.answer = says(answer)
	n.post("/llm", chatBody).want(t, http.StatusOK, answer)
	if f := n.figures.only(t); f.Usage != (inference.Usage{Prompt: 1, Completion: 2}) {
		t.Errorf("figures %+v", f)
	}
	// One that breaks off after its headers were sent is visibly not whole.
	for _, end := range []error{errBroken, io.EOF} {
		n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
			return reply("application/json", &pieces{parts: []string{answer[:1<<20]}, err: end}), nil
		}
		if g := n.post("/llm", chatBody); g.err == nil || !bytes.HasPrefix([]byte(answer), []byte(g.body)) {
			t.Errorf("%v: a broken answer looks whole: %d bytes, %v", end, len(g.body), g.err)
		}
	}
}

func TestSmallAnswerThatBreaks(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
		return reply("application/json", &pieces{parts: []string{chatAnswer[:20]}, err: errBroken}), nil
	}
	n.post("/llm", chatBody).want(t, http.StatusBadGateway,
		object("the answer broke off", "server_error", "CompletionBroken"))
	n.broker.answer = says("<html>")
	n.post("/llm", chatBody).want(t, http.StatusBadGateway,
		object("the answer is not one JSON object", "server_error", "AnswerUnreadable"))
}
