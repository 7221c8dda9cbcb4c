package liverunner_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	core "github.com/tuttinode/tutti/core/liverunner"
)

// A registered runner whose last word was that it takes no work, or that was killed, leaves no channel when it stays
// away.
func TestARunnerThatStaysAwayLeavesNoChannel(t *testing.T) {
	t.Parallel()
	n := start(t, "topsecret")
	for _, id := range []string{"killed", "busy", "silent"} {
		status := map[string]string{"busy": "busy"}[id]
		res := n.request(t, "POST", "/runners/heartbeat",
			fmt.Sprintf(`{"runner_url":"http://127.0.0.1:1","app":"x","runner_id":%q,"status":%q}`, id, status),
			"Authorization", "topsecret")
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status)
		}
	}
	n.session(t, "killed")
	n.CheckAlive(t.Context()) // nothing listens
	if used, _ := n.Use(); used != 0 {
		t.Fatal("a killed runner has a session")
	}
	n.later(core.HeartbeatTTL)
	n.Sweep()
	if all, _ := n.Channels(); all != 0 {
		t.Errorf("%d channels of runners that are gone", all)
	}
	n.later(time.Minute)
	n.Sweep()
	if left := n.Runners(); len(left) != 0 {
		t.Error(left)
	}
}
