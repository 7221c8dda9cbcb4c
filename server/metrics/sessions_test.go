package metrics_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/metrics"
)

// The limit is there before the first session, and follows its source.
func TestSessionsAreLookedUp(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id", Version: "1"})
	inUse, limit := 0, 7
	m.WatchSessions(metrics.Transcoder, func() (int, int) { return inUse, limit })
	expect := func(lines ...string) {
		t.Helper()
		text := scrape(t, m)
		for _, line := range lines {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("no line %s", line)
			}
		}
	}
	const labels = `{node_id="id",node_type="` + metrics.Transcoder + `"}`
	expect("livepeer_max_sessions_total"+labels+" 7", "livepeer_current_sessions_total"+labels+" 0")
	inUse, limit = 2, 5
	expect("livepeer_max_sessions_total"+labels+" 5", "livepeer_current_sessions_total"+labels+" 2")
}
