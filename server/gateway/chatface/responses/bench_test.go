package responses_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
)

// BenchmarkEvent is what one event of a stream costs to map.
func BenchmarkEvent(b *testing.B) {
	f, _ := newFace()
	data := []byte(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m",` +
		`"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}`)
	var s chatface.Stream
	var out []byte
	b.ReportAllocs()
	for i := range b.N {
		if i%10_000 == 0 {
			s = mustAsk(b, f, "a", streamRequest).Stream()
		}
		var err error
		if out, err = s.Event(out[:0], data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStream is a streamed answer of 200 events through the handler; /op is one event.
func BenchmarkStream(b *testing.B) {
	const events = 200
	piece := []byte("data: " + delta(`{"content":" word"}`) + "\n\n")
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for range events {
			_, _ = w.Write(piece)
		}
		_, _ = w.Write([]byte("data: " + finish("stop") + "\n\ndata: [DONE]\n\n"))
	})
	f, _ := newFace()
	h := chatface.Handler(next, f, 1<<20)
	b.ReportAllocs()
	for n := 0; n < b.N; n += events {
		r := httptest.NewRequest(http.MethodPost, responses.Path, strings.NewReader(streamRequest))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), "response.completed") {
			b.Fatal(w.Body)
		}
	}
}
