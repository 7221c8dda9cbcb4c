package trace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// none is an argument that a call does not have.
const none = -1

// pathCall says which arguments of a call are a path, its directory and its flags.
type pathCall struct{ path, directory, flags int }

var pathCalls = map[string]pathCall{
	"open": {0, none, 1}, "openat": {1, 0, 2}, "openat2": {1, 0, none}, "creat": {0, none, none},
	"stat": {0, none, none}, "lstat": {0, none, none}, "newfstatat": {1, 0, none}, "statx": {1, 0, none},
	"access": {0, none, none}, "faccessat": {1, 0, none}, "faccessat2": {1, 0, none},
	"readlink": {0, none, none}, "readlinkat": {1, 0, none}, "statfs": {0, none, none},
	"unlink": {0, none, none}, "unlinkat": {1, 0, none}, "rename": {0, none, none},
	"renameat": {1, 0, none}, "renameat2": {1, 0, none},
	"mkdir": {0, none, none}, "mkdirat": {1, 0, none}, "rmdir": {0, none, none},
	"mknod": {0, none, none}, "mknodat": {1, 0, none},
	"chmod": {0, none, none}, "fchmodat": {1, 0, none}, "chown": {0, none, none}, "truncate": {0, none, none},
	"chdir": {0, none, none}, "inotify_add_watch": {1, none, none}, "mount": {1, none, none},
	"symlink": {1, none, none}, "link": {1, none, none},
}

// selecting are the arguments that select what a call does.
var selecting = map[string][]int{
	"prctl": {0}, "fcntl": {1}, "arch_prctl": {0}, "prlimit64": {1}, "madvise": {2}, "mmap": {2}, "mprotect": {2},
	"seccomp": {0}, "socket": {0, 1}, "memfd_create": {1}, "setsockopt": {1, 2},
	"shmget": {2}, "mremap": {3}, "eventfd2": {1},
}

// operation writes the arguments that select what a call does, "" where none does.
func operation(name string, args [6]uint64) string {
	if name == "clone" {
		return fmt.Sprintf("%#x", args[0])
	}
	var words []string
	for _, i := range selecting[name] {
		words = append(words, fmt.Sprintf("%#x", uint32(args[i])))
	}
	return strings.Join(words, " ")
}

// subjects are what a call that begins is about.
func subjects(tid int, name string, args [6]uint64) []subject {
	if c, ok := pathCalls[name]; ok {
		s := subject{kind: file, path: fullPath(tid, text(tid, args[c.path]), c, args)}
		if c.flags != none {
			s.detail = openFlags(int(args[c.flags]))
		}
		return []subject{s}
	}
	switch name {
	case "ioctl":
		return []subject{{kind: request, path: opened(tid, int(int32(args[0]))),
			detail: fmt.Sprintf("%#x", uint32(args[1]))}}
	case "execve":
		path := text(tid, args[0])
		return []subject{{kind: file, path: path}, {kind: start, path: path}}
	case "execveat":
		return []subject{{kind: start, path: text(tid, args[1])}}
	case "clone":
		return []subject{{kind: start, detail: fmt.Sprintf("%#x", args[0])}}
	case "clone3":
		return []subject{{kind: start, detail: fmt.Sprintf("%#x", number(tid, args[0]))}}
	case "fork", "vfork":
		return []subject{{kind: start}}
	case "socket", "socketpair":
		return []subject{{kind: network, detail: fmt.Sprintf("family %d type %#x", args[0], args[1])}}
	case "connect", "bind":
		return []subject{{kind: network, path: address(bytesAt(tid, args[1], min(int(args[2]), 128)))}}
	case "listen", "accept", "accept4":
		return []subject{{kind: network, path: opened(tid, int(int32(args[0])))}}
	}
	return nil
}

// numbered are the parts of a path that differ from run to run.
var numbered = regexp.MustCompile(`^/proc/(self|thread-self|\d+)((?:/task|/fd|/fdinfo)?)(?:/\d+)?`)

// fullPath is a path as seen from the root, without the numbers of processes,
// threads and descriptors.
func fullPath(tid int, path string, c pathCall, args [6]uint64) string {
	if c.directory != none && !filepath.IsAbs(path) {
		// An empty path is the descriptor itself.
		if fd := int(int32(args[c.directory])); fd != unix.AT_FDCWD {
			path = filepath.Join(opened(tid, fd), path)
		}
	}
	m := numbered.FindStringSubmatch(path)
	if m == nil {
		return path
	}
	process := m[1]
	if process != "self" && process != "thread-self" {
		process = "PID"
	}
	short := "/proc/" + process + m[2]
	if m[2] != "" && len(m[0]) > len("/proc/"+m[1]+m[2]) {
		short += "/N"
	}
	return short + path[len(m[0]):]
}

var flagNames = []struct {
	bit  int
	name string
}{
	{unix.O_CREAT, "create"}, {unix.O_EXCL, "exclusive"}, {unix.O_TRUNC, "truncate"}, {unix.O_APPEND, "append"},
	{unix.O_NONBLOCK, "nonblock"}, {unix.O_DIRECTORY, "directory"}, {unix.O_NOFOLLOW, "nofollow"}, {unix.O_PATH,
		"path"}, {unix.O_SYNC, "sync"},
}

// openFlags writes the flags of open; whether exec closes the file is left out.
func openFlags(flags int) string {
	words := []string{[]string{"read", "write", "read and write", "invalid"}[flags&unix.O_ACCMODE]}
	for _, f := range flagNames {
		if flags&f.bit == f.bit {
			words = append(words, f.name)
		}
	}
	return strings.Join(words, " ")
}

// opened names what a descriptor is of: a path, or a kind such as "socket".
func opened(tid, fd int) string {
	target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, fd))
	if err != nil {
		return "unknown"
	}
	if filepath.IsAbs(target) {
		return target
	}
	kind, _, _ := strings.Cut(target, ":[")
	return kind
}

// text reads a string of the program's memory.
func text(tid int, at uint64) string {
	const step = 64
	var out []byte
	for at != 0 && len(out) < unix.PathMax {
		b := bytesAt(tid, at, step)
		before, _, ended := bytes.Cut(b, []byte{0})
		out = append(out, before...)
		if ended || len(b) < step {
			break
		}
		at += step
	}
	return string(out)
}

// bytesAt reads the program's memory, as far as there is any.
func bytesAt(tid int, at uint64, n int) []byte {
	if at == 0 || n <= 0 {
		return nil
	}
	b := make([]byte, n)
	got, err := unix.PtracePeekData(tid, uintptr(at), b)
	if err != nil && got <= 0 {
		return nil
	}
	return b[:min(got, n)]
}

func number(tid int, at uint64) uint64 {
	b := bytesAt(tid, at, 8)
	if len(b) < 8 {
		return 0
	}
	return binary.NativeEndian.Uint64(b)
}

// address writes a socket's address.
func address(b []byte) string {
	if len(b) < 2 {
		return ""
	}
	port := func() uint16 { return binary.BigEndian.Uint16(b[2:]) }
	switch family := binary.NativeEndian.Uint16(b); {
	case family == unix.AF_UNIX:
		name := strings.TrimRight(string(b[2:]), "\x00")
		return "unix " + strings.ReplaceAll(name, "\x00", "@")
	case family == unix.AF_INET && len(b) >= 8:
		ip, _ := netip.AddrFromSlice(b[4:8])
		return netip.AddrPortFrom(ip, port()).String()
	case family == unix.AF_INET6 && len(b) >= 24:
		ip, _ := netip.AddrFromSlice(b[8:24])
		return netip.AddrPortFrom(ip, port()).String()
	default:
		return fmt.Sprintf("family %d", family)
	}
}
