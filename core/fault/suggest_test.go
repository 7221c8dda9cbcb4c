package fault

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	t.Parallel()
	names := []string{"maxSessions", "serviceAddr", "gateway", "orchestrator", "ethUrl", "nvidia", "v", "text-to-image"}
	for written, want := range map[string]struct {
		name     string
		mistakes int
	}{
		"maxsessions": {"maxSessions", 0}, "max_sessions": {"maxSessions", 0}, "servceAddr": {"serviceAddr", 1},
		"gateWay":      {"gateway", 0},
		"orhcestrator": {"orchestrator", 1}, "ethURL": {"ethUrl", 0}, "nvida": {"nvidia", 1},
		"text_to_imgae": {"text-to-image", 1},
		"V":             {"v", 0}, "x": {}, "zzzzzzzz": {}, "": {}, "--": {}, strings.Repeat("gateway", 20): {},
	} {
		if name, mistakes := SuggestName(written, names); name != want.name || mistakes != want.mistakes {
			t.Errorf("%q: %q with %d mistakes, want %+v", written, name, mistakes, want)
		}
	}
}
