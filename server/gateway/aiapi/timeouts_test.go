package aiapi_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

func TestBadTimeouts(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	n.broker.answer = says(chatAnswer)
	for _, text := range []string{"0", "-1s", "soon", "25h", "first=1s,first=2s", "last=1s", "NaN", "1e300", "first=",
		","} {
		g := n.post("/v1/chat/completions", chatBody, "X-Tutti-Timeout", text)
		if g.status != http.StatusBadRequest || !strings.Contains(g.body, `"param":"x-tutti-timeout"`) {
			t.Errorf("%q: %d %s", text, g.status, g.body)
		}
	}
	for _, text := range []string{"1m", "60", "0.5h", "first=20s,total=1m", "total=60 , first=1e1"} {
		if g := n.post("/v1/chat/completions", chatBody, "X-Tutti-Timeout", text); g.status != http.StatusOK {
			t.Errorf("%q: %d %s", text, g.status, g.body)
		}
	}
}

// A client's time that is over ends the request for all hops as if the client left, and the client gets the reason.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	never := func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
		<-ctx.Done()
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), "do", ctx.Err())
	}
	var delivered inference.Delivery
	stops := func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
		a := reply("text/event-stream", untilDone{ctx, strings.NewReader(event1)})
		a.Delivered = func(d inference.Delivery) { delivered = d }
		return a, nil
	}
	for name, tt := range map[string]struct {
		answer  func(context.Context, *inference.Job) (*broker.Answer, error)
		timeout string
		body    string
		status  int
		text    string
	}{
		"no beginning":      {never, "first=20ms", chatBody, 504, "the answer did not begin within 20ms"},
		"no end, not begun": {never, "first=1h,total=20ms", chatBody, 504, "the answer did not end within 20ms"},
		"a stream that began in time": {stops, "first=10s,total=1s", streamBody, 200,
			`"code":"RequestTimedOut","status":504`},
	} {
		n := start(t, nil).serve()
		n.broker.answer = tt.answer
		g := n.post("/v1/chat/completions", tt.body, "X-Tutti-Timeout", tt.timeout)
		if g.status != tt.status || !strings.Contains(g.body, tt.text) {
			t.Errorf("%s: %d %s", name, g.status, g.body)
		}
		if tt.status == 504 && g.header.Get("Tutti-Code") != "RequestTimedOut" {
			t.Errorf("%s: %v", name, g.header)
		}
		if f := n.figures.only(t); f.Code != fault.RequestTimedOut {
			t.Errorf("%s: counted as %s", name, f.Code)
		}
	}
	if delivered.How != inference.ClientLeft {
		t.Errorf("the orchestrator's answer counts as %v, which is not its fault", delivered.How)
	}
	n := startFaced(t, nil)
	n.broker.answer = never
	g := n.post("/v1/messages", question("hi", ""), "X-Tutti-Timeout", "first=20ms")
	if g.status != 504 || !strings.Contains(g.body, "did not begin within 20ms") ||
		!strings.Contains(g.body, `"type":"error"`) {
		t.Errorf("Messages: %d %s", g.status, g.body)
	}
}

// untilDone is a body that says something and then waits for the end of its context.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if n, err := u.Reader.Read(b); err == nil {
		return n, nil
	}
	<-u.ctx.Done()
	return 0, fault.Wrap(fault.CodeOf(u.ctx.Err()), "read answer", u.ctx.Err())
}

func (u untilDone) Close() error { return nil }
