package worker_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// A worker stays the kernel's first choice when there is no memory left; one that does not
// is ended.
func TestALoweredScoreEndsTheChild(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	path := fmt.Sprintf("/proc/%d/oom_score_adj", c.Status().PID)
	if b, err := os.ReadFile(path); err != nil || strings.TrimSpace(string(b)) != "800" {
		t.Fatalf("%s: %q, %v", path, b, err)
	}
	await(t, func() bool { return c.Status().Active == 1 }, func() { _ = os.WriteFile(path, []byte("700"), 0) })
	_, err := c.Transcode(t.Context(), job("s", "do:hang"))
	if fault.CodeOf(err) != fault.WorkerProtocol || !strings.Contains(err.Error(), "oom_score_adj") {
		t.Errorf("got %v", err)
	}
}
