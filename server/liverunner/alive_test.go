package liverunner_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/liverunner"
)

// A runner that is killed loses its sessions within a second, a registered one as one of the file, with what
// they have open; the slot is free once.
func TestAKilledRunnersSessionsEnd(t *testing.T) {
	t.Parallel()
	n := start(t, "topsecret")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx, func() {}) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	listed, dynamic := echo(t), echo(t)
	id := n.register(t, static("a", listed.URL, ""))[0]
	res := n.request(t, "POST",
		"/runners/heartbeat", fmt.Sprintf(`{"runner_url":%q,"app":"x","runner_id":"d"}`, dynamic.URL),
		"Authorization", "topsecret")
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	of := map[string]string{id: n.session(t, id), "d": n.session(t, "d")}
	if used, slots := n.Use(); used != 2 || slots != 2 {
		t.Error(used, slots)
	}
	held := n.request(t, "GET", of["d"]+"/app/hold", "")
	// Their processes are gone; a connection of the second one is left, as of a child of it.
	listed.Listener.Close()
	listed.CloseClientConnections()
	dynamic.Listener.Close()
	killed := time.Now()
	until(t, "the sessions are ended", func() bool { used, _ := n.Use(); return used == 0 })
	// The checks of health, every 5 s, would be later.
	if took := time.Since(killed); took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
	if _, err := held.Body.Read(make([]byte, 1)); err == nil {
		t.Error("a request goes on")
	}
	for route, session := range of {
		if status, text := n.text(t, "GET", session+"/app/echo"); status != http.StatusNotFound {
			t.Error(route, status, text)
		}
	}
	until(t, "both have their problem", func() bool {
		return !slices.ContainsFunc(n.Statuses(), func(s liverunner.Status) bool { return s.Serves || s.Problem == nil })
	})
}
