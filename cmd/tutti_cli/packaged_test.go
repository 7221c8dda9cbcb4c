package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// On a machine with the packages' service its keys are meant, unless something is named.
func TestAccountsOfTheService(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.home, o.service = "/home/somebody", filepath.FromSlash("/var/lib/tutti/devnet")
	for args, want := range map[string]string{
		"account list":                  "/var/lib/tutti/devnet/keystore",
		"account list --network devnet": "/home/somebody/.tutti/devnet/keystore",
		"account list --dataDir /x":     "/x/keystore",
		"account list --keystore /y":    "/y",
	} {
		if out := o.ok(strings.Fields(args)...); !strings.Contains(filepath.ToSlash(out), "in "+want+"\n") {
			t.Errorf("%s: %s", args, out)
		}
	}
}

// A request after an upgrade reaches the new process, although there is no answer while it
// takes the place.
func TestUpgradeWaitsForTheNewProcess(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	started := o.node.node.Started
	if status, out, errs := o.run("upgrade", "--yes"); status != exitOK || !strings.Contains(out, "process 4711") ||
		!strings.Contains(errs, "waiting until it serves") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	o.node.with(func() {
		if o.node.leaving != 0 || o.node.node.Started.Equal(started) {
			t.Errorf("it did not wait: %d", o.node.leaving)
		}
	})
}
