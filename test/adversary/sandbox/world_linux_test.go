package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTheWorkersWorld looks at what a media worker has around it, from outside: nothing
// of the machine, no user that owns anything, no privileges, no network.
func TestTheWorkersWorld(t *testing.T) {
	for _, device := range devices {
		t.Run(device.name, func(t *testing.T) {
			node, pid := device.node(t, t.TempDir())
			for _, space := range []string{"net", "ipc", "mnt", "user"} {
				ours, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", node.PID(), space))
				if err != nil {
					t.Fatal(err)
				}
				theirs, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, space))
				if err != nil || ours == theirs {
					t.Errorf("the %s namespace is the node's: %s, %v", space, theirs, err)
				}
			}
			threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
			if err != nil || len(threads) == 0 {
				t.Fatal(err)
			}
			for _, thread := range threads {
				lookAt(t, thread)
			}
			root := fmt.Sprintf("/proc/%d/root", pid)
			for _, path := range []string{"/home", "/root", "/tmp", "/etc/passwd", "/etc/shadow", "/var", "/usr/bin",
				"/bin",
				"/run/docker.sock", "/proc/1", "/proc/" + strconv.Itoa(node.PID()), "/sys/fs", "/dev/mem"} {
				if _, err := os.Lstat(root + path); err == nil && !made(t, root+path) {
					t.Errorf("%s of the machine is in the worker's root", path)
				}
			}
			if device.name == "processor" {
				if got := tree(t, root, 2); !slices.Equal(got, []string{"proc", "proc/" + strconv.Itoa(pid)}) {
					t.Errorf("in the root are %v", got)
				}
			}
			if err := os.WriteFile(root+"/x", nil, 0o600); err == nil {
				t.Error("the root can be written")
			}
		})
	}
}

// lookAt checks that every restriction applies to a thread.
func lookAt(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		return // it has ended
	}
	fields := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.Join(strings.Fields(value), " ")
	}
	const nothing = "0000000000000000"
	for name, want := range map[string]string{
		"Seccomp": "2", "NoNewPrivs": "1", "CapEff": nothing, "CapPrm": nothing, "CapInh": nothing, "CapAmb": nothing,
	} {
		if fields[name] != want {
			t.Errorf("thread %s: %s is %s, not %s", fields["Name"], name, fields[name], want)
		}
	}
	if os.Getuid() != 0 {
		return
	}
	for _, name := range []string{"Uid", "Gid"} {
		if slices.Contains(strings.Fields(fields[name]), "0") {
			t.Errorf("thread %s: %s is the node's: %s", fields["Name"], name, fields[name])
		}
	}
	if fields["Groups"] != "" {
		t.Errorf("thread %s is in groups %s", fields["Name"], fields["Groups"])
	}
}

// made reports whether a path is a folder that the worker made for what lies below.
func made(t *testing.T, path string) bool {
	t.Helper()
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) <= 2
}

// tree lists what is in a folder, so many levels deep.
func tree(t *testing.T, folder string, levels int) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
		if levels > 1 && e.IsDir() {
			for _, below := range tree(t, filepath.Join(folder, e.Name()), levels-1) {
				out = append(out, e.Name()+"/"+below)
			}
		}
	}
	return out
}
