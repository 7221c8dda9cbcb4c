package doctorcmd

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// systemFiles are facts that Linux has in files; elsewhere there are none.
func systemFiles() []string {
	return []string{
		"/etc/os-release", "/proc/version", "/proc/loadavg", "/proc/meminfo", "/proc/uptime", "/proc/self/limits",
		"/proc/self/cgroup", "/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/memory.max",
		"/sys/kernel/mm/transparent_hugepage/enabled",
		"/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/user/max_user_namespaces", "/proc/driver/nvidia/version",
	}
}

// maxFact bounds one of them, in bytes.
const maxFact = 8 << 10

// AddSystem puts facts about the machine into the bundle. Of the environment it takes
// the names alone.
func (a *Archive) AddSystem(environ []string) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "system      %s/%s, %s\nprocessors  %d\nuser        %d\n", runtime.GOOS, runtime.GOARCH,
		runtime.Version(), runtime.NumCPU(), os.Getuid())
	if host, err := os.Hostname(); err == nil {
		fmt.Fprintf(&b, "host        %s\n", host)
	}
	var names []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintf(&b, "environment %s\n", strings.Join(names, " "))
	for _, path := range systemFiles() {
		content, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "\n== %s\n%s\n", path, bytes.TrimSpace(content[:min(len(content), maxFact)]))
	}
	a.Add("system.txt", "the machine; of the environment only names", b.Bytes())
}
