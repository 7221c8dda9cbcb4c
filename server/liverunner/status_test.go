package liverunner_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/liverunner"
)

// A runner that refuses sessions for lack of slots is reported as full until a minute has passed without one;
// what became of requests for sessions is counted.
func TestAFullRunner(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	id := n.register(t, static("a", runner.URL, ""))[0]
	isFull := func() bool {
		n.Sweep()
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.full[id]
	}
	n.session(t, id)
	if isFull() {
		t.Error("full before a session was refused")
	}
	for _, path := range []string{id, "none"} {
		if status, text := n.text(t, "POST", "/apps/"+path+"/session"); status == http.StatusOK {
			t.Error(status, text)
		}
	}
	if !isFull() {
		t.Error("not full")
	}
	n.later(time.Minute)
	if isFull() {
		t.Error("full forever")
	}
	if got := n.Counts(); got != (liverunner.Counts{Reserved: 1, Full: 1, Unknown: 1}) {
		t.Errorf("%+v", got)
	}
	if !n.Check(t.Context(), "a") || n.Check(t.Context(), "b") {
		t.Error("runners are checked by their names")
	}
	if !n.SetDraining("a", true) || !n.Statuses()[0].Draining {
		t.Error("it does not drain")
	}
}
