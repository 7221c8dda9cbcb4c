package liverunner_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

// A node that drains lists no runner and takes no session. One that there is may end; when the time is
// over it is ended, and with it what it has open.
func TestDrainEndsWhatIsLeft(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	id := n.register(t, static("a", runner.URL, `,"capacity":2`))[0]
	session := n.session(t, id)
	held := n.request(t, "GET", session+"/app/hold", "")
	ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	drained := make(chan error, 1)
	n.Pause()
	go func() { drained <- n.Work().Drain(ctx) }()
	until(t, "new sessions are refused", func() bool {
		status, text := n.text(t, "POST", "/apps/"+id+"/session")
		return status == http.StatusServiceUnavailable && text == "Draining: the orchestrator takes no new sessions\n"
	})
	if _, text := n.text(t, "GET", "/discovery"); text != `[{"address":"`+service+`"}]` {
		t.Error(text)
	}
	if err := <-drained; err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := held.Body.Read(make([]byte, 1)); err == nil {
		t.Error("a request goes on after the drain")
	}
	if used, _ := n.Use(); used != 0 {
		t.Error(used, "slots are taken")
	}
}
