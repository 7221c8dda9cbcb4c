package gateway_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/test/coretest"
)

// TestWhyAStreamMoved reads the log, the recorder, the stream's figures and the operator's
// list for the reason of a move, within a segment and from one segment to the next.
func TestWhyAStreamMoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		attempts int
	}{
		{"within a segment", 3},
		{"after a segment that failed", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, b, log := newFake(t), newFake(t), &coretest.Log{}
			n := start(t, []string{a.uri, b.uri}, func(o *gateway.Options) {
				o.Log, o.Routing.MaxAttempts = slog.New(slog.NewTextHandler(log, nil)), c.attempts
			})
			n.push("/live/show/0.ts", media).want(t, media)
			first, second := a, b
			if len(a.seen()) == 0 {
				first, second = b, a
			}
			wait(t, "the other's offer", func() bool { return second.count(&second.tokens) > 0 })
			first.set(behavior{err: "no memory left"})
			if c.attempts == 1 {
				n.push("/live/show/1.ts", media)
			}
			n.push("/live/show/2.ts", media).want(t, media)
			const code = "OrchestratorFailed"
			lines := log.Lines("stream moved")
			if len(lines) != 1 || !strings.Contains(lines[0], "code="+code) || !strings.Contains(lines[0], "from="+first.uri) {
				t.Errorf("log: %q", lines)
			}
			if !slices.Contains(n.events.list(), "swapped "+code) {
				t.Errorf("events: %q", n.events.list())
			}
			n.movedInFigures(code)
		})
	}
}

// movedInFigures wants the reason in the stream's last segment, and in the operator's list.
func (n *node) movedInFigures(code string) {
	n.t.Helper()
	_, text, _ := n.get("/api/streams")
	var answer struct {
		Streams []struct {
			Segments []struct {
				Moved string `json:"moved"`
			} `json:"segments"`
		} `json:"streams"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Streams) != 1 {
		n.t.Fatalf("%v: %s", err, text)
	}
	all := answer.Streams[0].Segments
	if len(all) == 0 || all[len(all)-1].Moved != code {
		n.t.Errorf("the stream's last segment does not say %s: %s", code, text)
	}
	live, err := json.Marshal(n.g.Live())
	if err != nil || !strings.Contains(string(live), `"MovedCode":"`+code+`"`) {
		n.t.Errorf("the operator's list does not say %s: %v %s", code, err, live)
	}
}
