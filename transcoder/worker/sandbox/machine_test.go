package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// system writes the files of a system, those of control groups below sys/fs/cgroup.
func system(t *testing.T, own string, groups map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{
		"proc/self/cgroup": own,
		"proc/meminfo":     "MemTotal:       4194304 kB\nMemAvailable:   2097152 kB\nHugePages_Total:       0\n",
	}
	for path, text := range groups {
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
	return root
}

func TestMemory(t *testing.T) {
	t.Parallel()
	const gb, mb = 1 << 30, 1 << 20
	for name, c := range map[string]struct {
		own       string
		groups    map[string]string
		all, free int64
	}{
		"no groups": {"", nil, 4 * gb, 2 * gb},
		"no limit":  {"0::/a\n", map[string]string{"a/memory.max": "max\n"}, 4 * gb, 2 * gb},
		"a container": {"0::/\n", map[string]string{"memory.max": "1073741824\n", "memory.current": "536870912\n"},
			gb, 512 * mb},
		"a service": {"0::/system.slice/tutti.service\n",
			map[string]string{"system.slice/tutti.service/memory.max": "1073741824\n"}, gb, gb},
		"one above": {"0::/a/b\n", map[string]string{"a/memory.max": "1073741824\n", "a/b/memory.max": "max\n"}, gb,
			gb},
		"the least of several": {"0::/a/b\n", map[string]string{"a/memory.max": "2147483648\n",
			"a/b/memory.max": "1073741824\n", "memory.max": "3221225472\n"}, gb, gb},
		"more than the machine has": {"0::/\n", map[string]string{"memory.max": "1099511627776\n"}, 4 * gb, 2 * gb},
		"full": {"0::/\n", map[string]string{"memory.max": "1073741824\n",
			"memory.current": "2073741824\n"}, gb, 0},
		"version 1": {"9:memory:/x\n0::/\n", map[string]string{"memory/x/memory.limit_in_bytes": "1073741824\n",
			"memory/x/memory.usage_in_bytes": "536870912\n"}, gb, 512 * mb},
		"version 1, not shown inside": {"4:memory:/docker/x\n",
			map[string]string{"memory/memory.limit_in_bytes": "1073741824\n"}, gb, gb},
		"version 1 without a limit": {"4:memory:/\n",
			map[string]string{"memory/memory.limit_in_bytes": "9223372036854771712\n"}, 4 * gb, 2 * gb},
		"both versions": {"4:pids:/\n0::/a\n", map[string]string{"unified/a/memory.max": "1073741824\n"}, gb, gb},
		"nonsense":      {"what\n0::/../..\n", map[string]string{"memory.max": "much\n"}, 4 * gb, 2 * gb},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, free := sandbox.MachineMemory(system(t, c.own, c.groups))
			if all != c.all || free != c.free {
				t.Errorf("%d and %d free, want %d and %d", all, free, c.all, c.free)
			}
		})
	}
	if all, free := sandbox.MachineMemory(t.TempDir()); all != 0 || free != 0 {
		t.Errorf("nothing is known, but %d and %d free", all, free)
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own    string
		groups map[string]string
		want   int
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
			if got := sandbox.MachineThreads(system(t, c.own, c.groups)); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
