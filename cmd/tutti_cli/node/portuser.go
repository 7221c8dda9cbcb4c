package node

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// PortUser returns the process that listens on a TCP port, as far as this user may see: its name and
// number, 0 where it is not known.
func PortUser(port int) (name string, pid int) {
	inodes := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		socketsOf(table, port, inodes)
	}
	if len(inodes) == 0 {
		return "", 0
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		to, err := os.Readlink(link)
		if err != nil || !inodes[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] {
			continue
		}
		id := strings.Split(link, "/")[2]
		comm, _ := os.ReadFile(filepath.Join("/proc", id, "comm"))
		pid, _ = strconv.Atoi(id)
		return strings.TrimSpace(string(comm)), pid
	}
	return "", 0
}

// socketsOf finds the inodes of listening sockets in one of the kernel's tables.
func socketsOf(table string, port int, inodes map[string]bool) {
	f, err := os.Open(table)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	want := fmt.Sprintf(":%04X", port)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		// The fourth column is the state; 0A listens.
		if len(fields) > 9 && fields[3] == "0A" && strings.HasSuffix(fields[1], want) {
			inodes[fields[9]] = true
		}
	}
}
