package main

import (
	"net"
	"os"
	"strings"
	"testing"
)

// TestTakenPort names the program that holds a port which the demonstration would use.
func TestTakenPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	own, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Skip(err)
	}
	if user := userOf(l.Addr().String()); !strings.HasPrefix(user, strings.TrimSpace(string(own))+", process ") {
		t.Error(user)
	}
}

// TestPagesComeFirst: what can be opened is said before anything is started.
func TestPagesComeFirst(t *testing.T) {
	t.Parallel()
	n, err := newNode(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n.moved = []string{"127.0.0.1:8935 is taken by x, process 1: the orchestrator is at 127.0.0.1:2"}
	var out strings.Builder
	pages(&out, options{mode: "run"}, n)
	for _, want := range []string{n.gateway + "/?stream=demo", "http://" + n.admin + "/", "http://" + n.page + "/",
		n.moved[0]} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
}
