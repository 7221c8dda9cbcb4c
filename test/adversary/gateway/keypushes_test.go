package gateway

import (
	"fmt"
	"net/http"
	"testing"
)

// startKeyed starts a gateway where every push needs one of two keys.
func startKeyed(t *testing.T) *target {
	t.Helper()
	return start(t, "-streamAccess", "keys", "-apiKeys", twoKeys(t))
}

// pushSegment pushes a segment with a key and wants an answer.
func (g *target) pushSegment(key, path string, segment []byte, want int) {
	g.Helper()
	status, answer := g.ask("PUT", path, segment, "Authorization", "Bearer "+key)
	if status != want {
		g.Errorf("%s: %d %.200q, expected %d", path, status, answer, want)
	}
}

// TestAKeysPushesLeaveOthersTheirs: a key whose segments never arrive whole, however many it begins, keeps no
// segment of another key out.
func TestAKeysPushesLeaveOthersTheirs(t *testing.T) {
	t.Parallel()
	g, segment := startKeyed(t), oneSegment(t)
	for n := range 300 {
		g.drip(attacker, fmt.Sprintf("PUT /live/a%d/0.ts HTTP/1.1\r\nAuthorization: Bearer %s\r\nContent-Length: 1000", n,
			keyA), []byte("x"))
	}
	g.pushSegment(keyB, "/live/b/0.ts", segment.Data, http.StatusOK)
}

// TestAKeysStreamsLeaveOthersTheirs: a key that begins streams without end keeps another key from beginning none.
func TestAKeysStreamsLeaveOthersTheirs(t *testing.T) {
	t.Parallel()
	g, segment := startKeyed(t), oneSegment(t)
	full := false
	for n := 0; n < 2000 && !full; n++ {
		status, _ := g.ask("PUT", fmt.Sprintf("/live/a%d/0.ts", n), []byte("no media"), "Authorization", "Bearer "+keyA)
		full = status == http.StatusServiceUnavailable
	}
	if !full {
		t.Error("a key may begin 2000 streams")
	}
	g.pushSegment(keyB, "/live/b/0.ts", segment.Data, http.StatusOK)
}
