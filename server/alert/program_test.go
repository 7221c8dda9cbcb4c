//go:build unix

package alert_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

func withCancel(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tell")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProgramGetsTheAlertAndNothingElse(t *testing.T) {
	t.Setenv("TUTTI_ETH_PASSWORD", "s3cr3t")
	out := filepath.Join(t.TempDir(), "out")
	path := program(t, "{ cat; env; echo args=$#; } >"+out+"\n")
	if _, err := sender(t, "exec:"+path).Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"state":"firing"`, "TUTTI_ALERT_CODE=PortClosed\n", "TUTTI_ALERT_SEVERITY=critical\n",
		"args=0\n"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is not in\n%s", want, b)
		}
	}
	if strings.Contains(string(b), "s3cr3t") {
		t.Errorf("the node's environment is in\n%s", b)
	}
}

func TestProgramsThatFail(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"exec:" + program(t, "exit 3\n"):                        "exec tell: it ended with status 3",
		"exec:" + filepath.Join(t.TempDir(), "none"):            "exec none: it cannot be started: no such file or directory",
		"exec:" + filepath.Join(t.TempDir(), "$(touch x)", "x"): "exec x: it cannot be started: no such file or directory",
	} {
		_, err := sender(t, list).Send(t.Context(), message())
		if fault.CodeOf(err) != fault.AlertUndelivered || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A program that hangs, with children of its own, is stopped when its time is over.
func TestProgramThatHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(t.TempDir(), "started")
	path := program(t, "sleep 600 & : >"+started+"; wait\n")
	ended := make(chan error, 1)
	go func() {
		_, err := sender(t, "exec:"+path).Send(ctx, message())
		ended <- err
	}()
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
	}
	cancel()
	if err := <-ended; fault.CodeOf(err) != fault.AlertUndelivered {
		t.Error(err)
	}
}
