package liverunner_test

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/liverunner"
)

// runScript runs a shell's script and returns its ends.
func runScript(t *testing.T, script string, broken func() error) (ends <-chan error, stop func()) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	ctx, cancel := context.WithCancel(t.Context())
	all, done := make(chan error, 16), make(chan struct{})
	go func() {
		defer close(done)
		liverunner.RunProgram(ctx, liverunner.Program{
			Name: "x", Command: []string{"/bin/sh", "-c", script}, Env: []string{"A=b"}, Started: func() {},
			Ended: func(err error) { all <- err }, Broken: broken, Log: slog.New(slog.DiscardHandler),
			Random: func() float64 { return 0 },
		})
	}()
	return all, func() {
		cancel()
		<-done
	}
}

func well() error { return nil }

// A program that ends is started again, and the reason has its last lines.
func TestItIsStartedAgain(t *testing.T) {
	t.Parallel()
	ends, stop := runScript(t, "echo a; echo $A$HOME >&2; exit 3", well)
	defer stop()
	for range 2 {
		if err := <-ends; err == nil || err.Error() != "exit status 3; last lines: a | b" {
			t.Error(err)
		}
	}
}

// Its children end with it, at once when it is killed and when the node stops.
func TestChildrenEnd(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"sleep 600 & kill -9 $$", "sleep 600 & sleep 600"} {
		begun := time.Now()
		ends, stop := runScript(t, script, well)
		if strings.Contains(script, "kill") {
			if err := <-ends; err == nil || !strings.Contains(err.Error(), "killed") {
				t.Error(err)
			}
		}
		stop()
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("%s: it took %s", script, took)
		}
	}
}

// One that is broken is ended and started again; one that cannot be started says so.
func TestBroken(t *testing.T) {
	t.Parallel()
	ends, stop := runScript(t, "trap '' TERM; exec sleep 600", func() error { return context.DeadlineExceeded })
	defer stop()
	if err := <-ends; err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Error(err)
	}
	var got error
	ctx, cancel := context.WithCancel(t.Context())
	liverunner.RunProgram(ctx, liverunner.Program{
		Command: []string{"no such program"}, Ended: func(err error) { got = err; cancel() },
		Log: slog.New(slog.DiscardHandler),
	})
	if got == nil || !strings.HasPrefix(got.Error(), "start: ") {
		t.Error(got)
	}
}
