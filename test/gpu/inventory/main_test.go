package inventory_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/nvml"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == gpus.Command {
		if err := nvml.Watch(context.Background(), os.Stdout, time.Tick(20*time.Millisecond)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// rig is a watcher of a fake driver.
type rig struct {
	*gpus.Watcher
	board *health.Board
}

// options are those for a driver on a machine without a PCI bus.
func options(t *testing.T, d *fakegpu.Driver) gpus.Options {
	t.Helper()
	return gpus.Options{
		Selection: device.Selection{All: true}, Env: d.Env(), Root: t.TempDir(),
		First: 20 * time.Second, Silence: 20 * time.Second, Ready: 20 * time.Second, Retry: 100 * time.Millisecond,
	}
}

// watch runs a watcher until the test ends, and waits until it is ready.
func watch(t *testing.T, o gpus.Options) *rig {
	t.Helper()
	r := &rig{board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
	o.Board = r.board
	r.Watcher = gpus.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- r.Run(ctx, func() { close(ready) }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	<-ready
	return r
}

// shows is the detail of a condition and a full stop, "" when it is not set.
func (r *rig) shows(code fault.Code, about string) string {
	for _, c := range r.board.Snapshot() {
		if c.Code == code && c.About == about {
			return c.Detail + "."
		}
	}
	return ""
}

// until waits for a condition.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !cond(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}
