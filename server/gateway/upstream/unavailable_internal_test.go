package upstream

import (
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/core/fault"
)

// TestModelCode: what an orchestrator says of a model is a code of the table, or none.
func TestModelCode(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]fault.Code{
		"RunnerUnreachable": fault.RunnerUnreachable, "ModelLoadTimeout": fault.ModelLoadTimeout,
		strings.Repeat("x", 1<<12): fault.ModelNotReady, "Of another release": fault.ModelNotReady,
	} {
		if got := modelCode(metadata.Pairs(modelHeader, said)); got != want {
			t.Errorf("%.40q: %s, want %s", said, got, want)
		}
	}
	if got := modelCode(nil); got != "" {
		t.Errorf("nothing was said: %s", got)
	}
	_, text := fault.Public(unavailable("https://"+strings.Repeat("o", 1<<12), fault.RunnerUnreachable, nil))
	if len(text) > 256 || !strings.HasSuffix(text, "cannot reach its model server (RunnerUnreachable)") {
		t.Error(text)
	}
}
