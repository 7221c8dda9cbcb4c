package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/test/harness"
)

// withholdArg makes the test program one that withholds system calls from another.
const withholdArg = "withhold"

// withhold becomes a program for which the named system calls, separated by commas, are
// those of a kernel that does not have them.
func withhold(calls string, args []string) int {
	err := seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionAllow,
			Syscalls: []seccomp.SyscallGroup{{
				Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: strings.Split(calls, ","),
			}},
		},
	})
	if err == nil {
		err = unix.Exec(args[0], args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// TestMissingRestrictionsAreNamed refuses system calls that restrictions need, as older kernels and
// containers do. The node works, and reports which restrictions are missing and what that exposes.
func TestMissingRestrictionsAreNamed(t *testing.T) {
	processor, gpu := devices[0], devices[1]
	for _, row := range []struct {
		without string
		device  device
		code    string
		says    []string
	}{
		{"mount", processor, "SandboxDegraded", []string{"own root: keep mounts to itself"}},
		{"landlock_create_ruleset", processor, "SandboxDegraded",
			[]string{"Landlock (files, signals): the kernel has none"}},
		{"landlock_create_ruleset", gpu, "SandboxDegraded", []string{"Landlock (files, signals): the kernel has none"}},
		{"landlock_create_ruleset,mount", processor, "SandboxDegraded", []string{"own root", "Landlock"}},
		{"landlock_create_ruleset,mount", gpu, "SandboxOpen", []string{"could get at the files of the node's user"}},
		{"seccomp", processor, "SandboxOpen",
			[]string{"could get at all of the kernel's system calls", "seccomp (system calls): the kernel has none"}},
		// Linux before 5.12 has another call for the same.
		{"mount_setattr", gpu, "", nil},
	} {
		t.Run(row.device.name+" without "+row.without, func(t *testing.T) {
			addr := harness.Address(t)
			var env []string
			if row.device.env != nil {
				env = row.device.env(t)
			}
			args := append([]string{withholdArg, row.without, program, "-orchestrator", "-transcoder", "-serviceAddr",
				addr,
				"-httpAddr", addr, "-cliAddr", harness.Address(t), "-dataDir", t.TempDir()}, row.device.args...)
			node := harness.StartIn(t, "/proc/self/exe", env, args...)
			if row.code == "" {
				node.Wait("a media worker that serves", 30*time.Second, func() bool {
					pid := workerOf(t, node.PID())
					return pid != 0 && serves(pid)
				})
				node.WaitHTTP("https://" + addr + "/healthz")
				if got := condition(node, "Sandbox"); got != "" {
					t.Errorf("a restriction is missing: %s", got)
				}
				return
			}
			node.Wait("the condition "+row.code, 30*time.Second, func() bool { return condition(node, row.code) != "" })
			for _, want := range row.says {
				if got := condition(node, row.code); !strings.Contains(got, want) {
					t.Errorf("the condition does not say %q: %s", want, got)
				}
			}
			node.WaitHTTP("https://" + addr + "/healthz")
		})
	}
}

// condition is the line of a node's log that says that a condition holds.
func condition(node *harness.Process, code string) string {
	for line := range strings.Lines(node.Log()) {
		if strings.Contains(line, "condition set") && strings.Contains(line, code) {
			return line
		}
	}
	return ""
}
