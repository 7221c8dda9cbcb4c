package world

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
)

func (l *look) ports(ctx context.Context) ([]doctor.Port, error) {
	var out []doctor.Port
	up := l.up(ctx)
	for _, w := range l.listeners() {
		p := doctor.Port{Purpose: w.purpose, Address: w.at.Addr()}
		if w.at.Port != 0 {
			tryListen(ctx, &p, w.at, up)
		}
		out = append(out, p)
	}
	return out, nil
}

type listener struct {
	purpose string
	at      config.ListenAddr
}

// listeners are those that the configuration opens.
func (l *look) listeners() (out []listener) {
	a, r := l.cfg.Addresses, l.cfg.Roles
	add := func(on bool, purpose string, at config.ListenAddr) {
		if on && (at.Port != 0 || at.Host != "") {
			out = append(out, listener{purpose, at})
		}
	}
	add(r.Orchestrator && !a.Service.None, "public", a.OrchestratorListen)
	add(r.Gateway, "gateway", a.GatewayListen)
	add(r.Gateway, "rtmp", a.RTMPListen)
	add(r.Redeemer, "redeemer", a.RedeemerListen)
	add(a.AdminSocket == "", "admin", a.AdminListen)
	return out
}

// tryListen finds out whether an address is free. It binds to it for a moment and does
// not listen, so that a node which starts in that moment gets it all the same. up: a node
// of this configuration runs, so that what tutti holds is its.
func tryListen(ctx context.Context, p *doctor.Port, at config.ListenAddr, up bool) {
	err := bindable(ctx, at.Addr())
	if err == nil {
		return
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		p.Denied = reason(err)
		return
	}
	name, pid := listening(at.Port)
	switch {
	case pid != 0:
		p.Taken = fmt.Sprintf("%s (process %d)", name, pid)
	default:
		p.Taken = "another process"
	}
	p.Ours = up && (pid == 0 || name == "tutti" || name == program())
	// A socket unit opens the port for the node, before the node as well as beside it.
	p.Socket = (pid == 0 || pid == 1 && name == "systemd") && len(socketUnits("/")) > 0
}

// program is this one's name, as the kernel has it.
func program() string {
	text, _ := os.ReadFile("/proc/self/comm")
	return strings.TrimSpace(string(text))
}

// reason is the system's own word for why.
func reason(err error) string {
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		return no.Error()
	}
	return err.Error()
}

// listening is the process that listens on a port, as far as this user may see.
func listening(port int) (name string, pid int) {
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
