package responses_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
)

// network answers every chat with the same stream, one event a read.
type network struct{ events int }

func (n network) Do(context.Context, *inference.Job, broker.Hint) (*broker.Answer, error) {
	return &broker.Answer{
		Reply: inference.Reply{Status: http.StatusOK, ContentType: "text/event-stream", Length: -1,
			Body: &pieces{left: n.events}},
		Orchestrator: "https://o:8935", Tries: 1, Node: "tutti/1",
	}, nil
}

func (network) Models(context.Context) ([]inference.ModelState, error) { return nil, nil }

// pieces is a stream of one word an event.
type pieces struct {
	left int
	end  bool
}

func (p *pieces) Read(b []byte) (int, error) {
	switch {
	case p.left > 0:
		p.left--
		return copy(b, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,`+
			`"delta":{"content":" word"},"finish_reason":null}]}`+"\n\n"), nil
	case !p.end:
		p.end = true
		return copy(b, "data: "+finish("stop")+"\n\ndata: "+streamUsage+"\n\ndata: [DONE]\n\n"), nil
	}
	return 0, io.EOF
}

func (*pieces) Close() error { return nil }

// client takes an answer and keeps only how long it is.
type client struct {
	header http.Header
	bytes  int
}

func (c *client) Header() http.Header                { return c.header }
func (c *client) WriteHeader(int)                    {}
func (c *client) Write(b []byte) (int, error)        { c.bytes += len(b); return len(b), nil }
func (c *client) FlushError() error                  { return nil }
func (c *client) SetReadDeadline(time.Time) error    { return nil }
func (c *client) SetWriteDeadline(t time.Time) error { return nil }

// BenchmarkGateway is an event of a streamed answer through the gateway's AI interface, as a chat and
// as a response; /op is one event.
func BenchmarkGateway(b *testing.B) {
	const events = 1000
	keys := apikeys.New(apikeys.Options{Now: time.Now, Static: []apikeys.Key{
		{ID: "k", Name: "k", Hash: apikeys.HashOf("a")},
	}})
	f, err := aiapi.New(aiapi.Options{Dispatcher: network{events}, Keys: keys})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(f.Close)
	mux := http.NewServeMux()
	f.Register(mux)
	mux.Handle(responses.Path, chatface.Handler(mux, responses.New(responses.Options{Keys: keys}), 1<<20))
	for _, row := range []struct{ path, body string }{
		{"/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`},
		{responses.Path, streamRequest},
	} {
		b.Run(row.path, func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; n < b.N; n += events {
				r := httptest.NewRequest(http.MethodPost, row.path, strings.NewReader(row.body))
				r.Header.Set("Authorization", "Bearer a")
				w := &client{header: make(http.Header)}
				mux.ServeHTTP(w, r)
				if w.bytes < events*50 {
					b.Fatalf("%d bytes", w.bytes)
				}
			}
		})
	}
}
