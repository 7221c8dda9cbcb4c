package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// life is one run of a node, from its start until it is stopped or killed.
type life interface {
	// stop ends it as a service manager does.
	stop() error
	// kill ends it without a word; a life in this process can only be stopped.
	kill() error
	// ended is closed when it has ended, asked or not.
	ended() <-chan struct{}
}

// inside is a life in this process, which shows what the node knows.
type inside struct {
	*node
	cancel context.CancelFunc
	done   chan struct{}
	err    error // written before done is closed
}

// liveInside starts a node in this process.
func liveInside(s settings, log io.Writer) (*inside, error) {
	ctx, cancel := context.WithCancel(context.Background())
	n, err := wire(ctx, s, logger(log))
	if err != nil {
		cancel()
		return nil, err
	}
	l := &inside{node: n, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.err = n.run(ctx)
	}()
	return l, nil
}

func logger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (l *inside) stop() error {
	l.cancel()
	<-l.done
	return l.err
}

func (l *inside) kill() error { return l.stop() }

func (l *inside) ended() <-chan struct{} { return l.done }

// outside is a life in a process of its own.
type outside struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // written before done is closed
}

// childEnv holds the settings of a node that is a process of its own.
const childEnv = "TUTTI_CHAOS_NODE"

// liveOutside starts a node in a process: this program again.
func liveOutside(s settings, log io.Writer) (*outside, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	l := &outside{cmd: exec.Command(self), done: make(chan struct{})}
	l.cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	l.cmd.Stdout, l.cmd.Stderr = log, log
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := l.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a node: %w", err)
	}
	go func() {
		defer close(l.done)
		l.err = l.cmd.Wait()
	}()
	return l, nil
}

func (l *outside) stop() error {
	_ = l.cmd.Process.Signal(syscall.SIGTERM)
	<-l.done
	return l.err
}

func (l *outside) kill() error {
	_ = l.cmd.Process.Kill()
	<-l.done
	if status, ok := l.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return nil
	}
	return l.err
}

func (l *outside) ended() <-chan struct{} { return l.done }

// runChild is the whole life of such a process; it returns the exit status.
func runChild(text string, log io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var s settings
	err := json.Unmarshal([]byte(text), &s)
	var n *node
	if err == nil {
		n, err = wire(ctx, s, logger(log))
	}
	if err == nil {
		err = n.run(ctx)
	}
	// A node that is asked to end while it starts reports no failure.
	if err != nil && !errors.Is(err, context.Canceled) {
		_, _ = fmt.Fprintln(log, "the node failed:", err)
		return 1
	}
	return 0
}
