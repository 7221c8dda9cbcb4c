package migrate

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// SQLite locks these bytes of a database.
const (
	lockBytes  = 0x40000000
	lockLength = 512
)

// Holder names the process that uses the database of a data directory: the one that has it open
// for writing, as far as this process may see that, or that holds one of its locks. Both are
// checked without reading the file's content. "" means that none was found; a process of
// another user, or in a container, may still use it.
func Holder(dir string) string {
	path, err := filepath.EvalSymlinks(filepath.Join(dir, DatabaseName))
	if err != nil {
		return ""
	}
	if pid := locker(path); pid > 0 {
		return "process " + strconv.Itoa(pid)
	}
	return opener(path)
}

// locker returns the process that holds a lock.
func locker(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: lockBytes, Len: lockLength}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err != nil || lock.Type == syscall.F_UNLCK {
		return 0
	}
	return int(lock.Pid)
}

// opener returns the process that has the file open for writing.
func opener(path string) string {
	wanted, err := os.Stat(path)
	if err != nil {
		return ""
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return ""
	}
	for _, link := range links {
		at, err := os.Readlink(link)
		if err != nil || filepath.Base(at) != filepath.Base(path) {
			continue
		}
		found, err := os.Stat(link)
		if err == nil && os.SameFile(wanted, found) && writes(link) {
			return describe(strings.Split(link, "/")[2])
		}
	}
	return ""
}

// writes reports whether a descriptor was opened for writing.
func writes(link string) bool {
	info, err := os.ReadFile(strings.Replace(link, "/fd/", "/fdinfo/", 1))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(info)) {
		if rest, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(rest), 8, 64)
			return err == nil && flags&uint64(syscall.O_ACCMODE) != syscall.O_RDONLY
		}
	}
	return false
}

func describe(pid string) string {
	name, err := os.ReadFile("/proc/" + pid + "/comm")
	if err != nil {
		return "process " + pid
	}
	return "process " + pid + " (" + strings.TrimSpace(string(name)) + ")"
}
