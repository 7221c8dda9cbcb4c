package layout

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLibavIsLinkedStrictly: go-nvml makes the linker accept functions of C that do
// not exist, in the whole binary that it is in. A function of libav that is missing
// shows only where go-nvml is not: in the tests of the packages that call libav,
// which therefore must not pull it in.
func TestLibavIsLinkedStrictly(t *testing.T) {
	t.Parallel()
	const library = "github.com/NVIDIA/go-nvml"
	for _, strict := range []string{"./transcoder/libav/...", "./transcoder/worker/...", "./cmd/tutti_demo"} {
		for _, path := range pulled(t, strict) {
			if within(path, library) || path == module+"transcoder/nvml" {
				t.Errorf("%s or its tests pull in %s, and so their linking proves nothing about libav", strict, path)
			}
		}
	}
	// The rule is about something: the node has it.
	if all := strings.Join(pulled(t, "./cmd/tutti"), "\n"); !strings.Contains(all, library) ||
		!strings.Contains(all, module+"transcoder/libav") {
		t.Error("cmd/tutti has not both go-nvml and libav: the rule above is out of date")
	}
}

// pulled lists what packages and their tests pull in.
func pulled(t *testing.T, pattern string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-test", "-deps", "-f", "{{.ImportPath}}", pattern)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		path, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		paths = append(paths, path)
	}
	if len(paths) < 20 {
		t.Fatalf("%s pulls in only %d packages", pattern, len(paths))
	}
	return paths
}
