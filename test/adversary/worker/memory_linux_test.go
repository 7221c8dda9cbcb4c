package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// container is a script that starts the program as in a container that may use 1 GiB: it
// has mounts of its own, and there a control group with that limit, of one version of
// control groups or the other.
const container = `#!/bin/sh
exec unshare %s --mount sh -c 'mount -t tmpfs groups /sys/fs/cgroup && %s && mount --bind %s /proc/$$/cgroup && exec ` +
	`%s "$@"' sh "$@"
`

// TestMemoryOfAContainer: media that exhausts its worker's memory reaches the worker's
// bound before it reaches the container's, where the kernel would end the node as well.
func TestMemoryOfAContainer(t *testing.T) {
	const limit = 1 << 30
	for name, c := range map[string]struct{ own, make string }{
		"version 2": {"0::/", fmt.Sprintf("echo %d >/sys/fs/cgroup/memory.max", limit)},
		"version 2, the limit of the pod": {"0::/pod/node",
			fmt.Sprintf("mkdir -p /sys/fs/cgroup/pod/node && echo max >/sys/fs/cgroup/pod/node/memory.max && "+
				"echo %d >/sys/fs/cgroup/pod/memory.max", limit)},
		"version 1": {"5:memory:/docker/x",
			fmt.Sprintf("mkdir /sys/fs/cgroup/memory && echo %d >/sys/fs/cgroup/memory/memory.limit_in_bytes", limit)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			own, script := filepath.Join(dir, "cgroup"), filepath.Join(dir, "tutti")
			user := "--user --map-root-user"
			if os.Getuid() == 0 {
				user = ""
			}
			text := fmt.Sprintf(container, user, c.make, own, program)
			if err := os.WriteFile(own, []byte(c.own+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
			addr := harness.Address(t)
			node := harness.Start(t, script, "-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr,
				"-cliAddr", harness.Address(t), "-dataDir", t.TempDir())
			pid := 0
			node.Wait("a media worker", 30*time.Second, func() bool { pid = workerOf(t, node.PID()); return pid != 0 })
			env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("TUTTI_WORKER_MEMORY=%d", limit/4*3)
			if all := strings.Split(string(env), "\x00"); !slices.Contains(all, want) {
				t.Errorf("not %s: %q", want, all)
			}
		})
	}
}
