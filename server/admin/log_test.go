package admin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
)

// logTail is a log of three lines.
type logTail struct{}

func (logTail) Lines(n int) (out []adminapi.LogEntry) {
	for i := range min(n, 3) {
		out = append(out, adminapi.LogEntry{Seq: uint64(i + 1), Time: time.Unix(1e9, 0).UTC(), Level: "info",
			Source: "a.go:1", Text: "line"})
	}
	return out
}

func TestLogLines(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	for query, want := range map[string]int{"": 3, "?lines=2": 2, "?lines=500": 3} {
		if got := st.get(adminapi.PathLog + query); got.Code != 200 ||
			strings.Count(got.Body.String(), `"text":"line"`) != want {
			t.Errorf("%q: %d %s", query, got.Code, got.Body)
		}
	}
	for _, query := range []string{"?lines=0", "?lines=-1", "?lines=x", "?lines=10001"} {
		if got := st.get(adminapi.PathLog + query); got.Code != 400 || !strings.Contains(got.Body.String(), "AdminBadParam") {
			t.Errorf("%q: %d %s", query, got.Code, got.Body)
		}
	}
}
