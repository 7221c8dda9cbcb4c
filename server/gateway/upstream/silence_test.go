package upstream_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// An answer that brings nothing more is broken off, and its orchestrator sees that; one that
// brings something now and then goes on, also by comments of a stream.
func TestAnswersThatGoSilent(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for range 40 {
			<-tick.C
			_, _ = io.WriteString(w, ": waiting\n\n")
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
		close(gone)
	})
	c := client(t, upstream.Options{Limits: inference.Limits{Silence: 400 * time.Millisecond}})
	reply, err := c.Submit(t.Context(), terms(t, c, s.URL, "tutti/1"), job())
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if b, err := io.ReadAll(reply.Body); !errors.Is(err, fault.CompletionBroken) || len(b) != 40*len(": waiting\n\n") {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	<-gone
}
