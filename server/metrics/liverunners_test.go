package metrics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/metrics"
)

func TestLiveRunners(t *testing.T) {
	t.Parallel()
	var s metrics.LiveState
	m := metrics.New(metrics.Options{NodeID: "id"})
	if err := m.WatchLiveRunners(func() metrics.LiveState { return s }); err != nil {
		t.Fatal(err)
	}
	s = metrics.LiveState{
		Apps: []metrics.LiveApp{{App: "demo/echo", Ready: 1, Sessions: 2, Slots: 4},
			{App: "demo/echo", NotReady: 1}, {App: "b\xff", Ready: 1, Slots: 1}},
		Requests: map[string]int64{"ok": 7, "LiveRunnerFull": 3}, Channels: 5, ChannelBytes: 4096,
	}
	text := scrape(t, m)
	for series, want := range map[string]string{
		`tutti_live_runners{app="demo/echo",N,state="ready"}`:        "1",
		`tutti_live_runners{app="demo/echo",N,state="not ready"}`:    "1",
		`tutti_live_sessions{app="demo/echo",N}`:                     "2",
		`tutti_live_slots{app="demo/echo",N}`:                        "4",
		`tutti_live_slots{app="b",N}`:                                "1",
		`tutti_live_session_requests_total{code="LiveRunnerFull",N}`: "3",
		`tutti_live_session_requests_total{code="ok",N}`:             "7",
		`tutti_live_channels{N}`:                                     "5",
		`tutti_live_channel_bytes{N}`:                                "4096",
	} {
		series = strings.Replace(series, ",N", `,node_id="id",node_type="orch"`, 1)
		series = strings.Replace(series, "{N", `{node_id="id",node_type="orch"`, 1)
		if !strings.Contains(text, series+" "+want+"\n") {
			t.Errorf("%s is not %s", series, want)
		}
	}
	for i := range 300 {
		s.Apps = append(s.Apps, metrics.LiveApp{App: fmt.Sprint("app ", i), Ready: 1})
	}
	if n := strings.Count(scrape(t, m), "tutti_live_sessions{"); n != 101 {
		t.Errorf("%d apps have series", n)
	}
}
