package command

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// mostProcesses bounds the look at /proc.
const mostProcesses = 100_000

// runningNodes returns the nodes of this program on this machine that this user may look at,
// those in containers left out: their paths are others.
func runningNodes() (nodes []nodeProcess) {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(mostProcesses) // what cannot be read is not looked at
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		if p, ok := nodeOf(pid, filepath.Base(self)); ok {
			nodes = append(nodes, p)
		}
	}
	slices.SortFunc(nodes, func(a, b nodeProcess) int { return a.pid - b.pid })
	return nodes
}

// nodeOf reads how a process was started. It is a node when it runs a program of that name
// with options, or with nothing but its environment, in the same process namespace.
func nodeOf(pid int, program string) (nodeProcess, bool) {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	before := sameUser(proc)
	exe, err := os.Readlink(filepath.Join(proc, "exe"))
	if err != nil || filepath.Base(strings.TrimSuffix(exe, " (deleted)")) != program || !sameNamespace(proc) {
		return nodeProcess{}, false
	}
	words, err := strings0(filepath.Join(proc, "cmdline"))
	if err != nil || len(words) == 0 || len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		return nodeProcess{}, false
	}
	environ, err := strings0(filepath.Join(proc, "environ"))
	// Asked for twice: the process may have begun another program meanwhile.
	return nodeProcess{pid: pid, args: words[1:], environ: environ, owned: before && sameUser(proc)}, err == nil
}

// sameUser reports whether a process has this one's user in every respect. The owner of its
// folder in /proc says less: that is root where a process does not let itself be traced.
func sameUser(proc string) bool {
	text, err := os.ReadFile(filepath.Join(proc, "status"))
	if err != nil {
		return false
	}
	us := strconv.Itoa(os.Geteuid())
	for line := range strings.Lines(string(text)) {
		if ids, ok := strings.CutPrefix(line, "Uid:"); ok {
			all := strings.Fields(ids)
			return len(all) == 4 && !slices.ContainsFunc(all, func(id string) bool { return id != us })
		}
	}
	return false
}

// onlyRootWrites reports whether only root can add, replace or remove files in a directory.
func onlyRootWrites(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && owner.Uid == 0 && info.Mode().Perm()&0o022 == 0
}

func sameNamespace(proc string) bool {
	theirs, err := os.Readlink(filepath.Join(proc, "ns/pid"))
	if err != nil {
		return false
	}
	ours, err := os.Readlink("/proc/self/ns/pid")
	return err == nil && ours == theirs
}

// strings0 reads a file of texts that end with a zero byte.
func strings0(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"), nil
}
