package e2e

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// TestPushOff starts a gateway that was told to take no pushes: it says so to who
// tries, and serves players on.
func TestPushOff(t *testing.T) {
	_, gw := gateway(t, "127.0.0.1:1", "-httpIngest=false")
	_, err := harness.Push(gw, "movie", "0.ts", []byte("segment"), 0)
	if err == nil || !strings.Contains(err.Error(), "403") || !strings.Contains(err.Error(), "-httpIngest") {
		t.Errorf("a push was answered: %v", err)
	}
	if status, _ := harness.Get(t, gw+"/api/streams"); status != 200 {
		t.Errorf("the list of streams: status %d", status)
	}
}
