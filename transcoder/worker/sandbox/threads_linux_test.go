package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

func TestThreadsOfTheControlGroup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own   string
		files map[string]string
		want  int
	}{
		"none":          {"0::/\n", nil, 0},
		"no limit":      {"0::/a\n", map[string]string{"a/pids.max": "max\n"}, 0},
		"a container's": {"0::/\n", map[string]string{"pids.max": "2048\n"}, 2048},
		"a service's": {"0::/system.slice/tutti.service\n",
			map[string]string{"system.slice/tutti.service/pids.max": "512\n"}, 512},
		"one above":        {"0::/a/b\n", map[string]string{"a/pids.max": "100\n", "a/b/pids.max": "max\n"}, 100},
		"the older kind":   {"9:memory:/x\n8:pids:/a\n0::/\n", map[string]string{"pids/a/pids.max": "300\n"}, 300},
		"not shown inside": {"8:pids:/docker/x\n", map[string]string{"pids/pids.max": "400\n"}, 400},
		"not to be read":   {"what\n0::/../..\n", map[string]string{"pids.max": "many\n"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			files := map[string]string{"proc/self/cgroup": c.own}
			for path, text := range c.files {
				files["sys/fs/cgroup/"+path] = text
			}
			for path, text := range files {
				path = filepath.Join(root, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := groupLimit(root); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
