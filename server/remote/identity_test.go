package remote_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/remote"
)

func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		node, worker, instance, addr string
		name                         string
		own, named                   bool
	}{
		{"", "", "", "10.0.0.7:4711", "10.0.0.7", false, false},
		{"", "rig7", "i", "10.0.0.7:4711", "10.0.0.7", false, false},
		{"tutti/0.1", "rig7", "i", "10.0.0.7:4711", "rig7", true, true},
		{"tutti/0.1", "", "i", "[::1]:9", "::1", true, false},
		{"other/1", "rig7", "i", "pipe", "pipe", false, false},
		{"tutti/0.1", "a\nb\x1b[31m é", "i", "x:1", "a-b-[31m--", true, true},
		{"", "", "", "", "worker", false, false},
	} {
		id := remote.NewIdentity(row.node, row.worker, row.instance, row.addr)
		if id.Name != row.name || id.IsTutti() != row.own || id.Named != row.named {
			t.Errorf("%+v: %+v", row, id)
		}
		if id.IsTutti() != (id.Instance != "") {
			t.Errorf("%+v: instance %q", row, id.Instance)
		}
	}
	long := strings.Repeat("x", 1000)
	id := remote.NewIdentity("tutti/"+long, long, long, long)
	if len(id.Name) > 64 || len(id.Node) > 64 || len(id.Addr) > 64 || id.Instance != "" {
		t.Errorf("not bounded: %+v", id)
	}
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	var n remote.Names
	for _, want := range []string{"rig7", "rig7-2", "rig7-3"} {
		if got := n.Take("rig7"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	n.Release("rig7-2")
	if got := n.Take("rig7"); got != "rig7-2" {
		t.Errorf("a name that is free again was not used: %q", got)
	}
}
