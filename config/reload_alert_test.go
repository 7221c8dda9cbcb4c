package config_test

import (
	"testing"

	"github.com/tuttinode/tutti/config"
)

// The alert sinks change with a restart, also where only the file's content is
// another: a reload has to say so.
func TestAlertsTakeARestart(t *testing.T) {
	t.Parallel()
	args := []string{"-orchestrator", "-transcoder", "-serviceAddr", "127.0.0.1:8935", "-alert", "/a"}
	old := load(t, map[string]string{"/a": "https://one.example/x"}, args...)
	next := load(t, map[string]string{"/a": "https://two.example/x"}, append(args, "-alertAfter", "1m")...)
	seen := map[string]bool{}
	for _, d := range config.Compare(old, next) {
		seen[d.Option] = !d.Live
	}
	if !seen["alert"] || !seen["alertAfter"] || len(seen) != 2 {
		t.Errorf("said: %v", seen)
	}
}
