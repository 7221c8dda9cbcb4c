package devnet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/test/devnet/control"
)

// Options start a chain. Zero values are for tests: one endpoint, and blocks and
// L1 blocks only when a transaction comes or when the test says so.
type Options struct {
	// Binary is the program; "" builds it.
	Binary string
	// Endpoints is how many there are; default 1.
	Endpoints int
	// Listen is the address of the first; default free ports.
	Listen string
	// Control is the address of the control API; default a free port.
	Control string
	// BlockTime and L1BlockTime are how often blocks come by themselves; 0 is
	// never.
	BlockTime, L1BlockTime time.Duration
	// RoundLength is in L1 blocks, PoolSize in orchestrators; 0 leaves the
	// program's default.
	RoundLength, PoolSize uint64
	// NoContracts starts a chain with nothing on it.
	NoContracts bool
	// Args are more arguments.
	Args []string
}

// Process is a running chain.
type Process struct {
	// Info tells where everything is.
	Info control.Info
	// Control is its control API.
	Control *control.Client

	cmd  *exec.Cmd
	log  *safeBuffer
	done chan struct{}
}

// readyTime is what a chain may take, on a machine that does other things too.
const readyTime = 60 * time.Second

// Launch starts a chain and returns when it is ready. dir takes its files. Stop
// ends it; it also ends with this process.
func Launch(ctx context.Context, dir string, opt Options) (*Process, error) {
	binary := opt.Binary
	if binary == "" {
		var err error
		if binary, err = Binary(); err != nil {
			return nil, err
		}
	}
	ready := filepath.Join(dir, "ready.json")
	p := &Process{log: &safeBuffer{}, done: make(chan struct{})}
	p.cmd = exec.Command(binary, append(opt.args(), "-ready", ready)...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.Env = append(os.Environ(), "TMPDIR="+dir, "GOMEMLIMIT=100MiB")
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the test chain: %w", err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	if err := p.await(ctx, ready); err != nil {
		p.Stop()
		return nil, fmt.Errorf("the test chain does not get ready: %w; it said:\n%s", err, p.Log())
	}
	p.Control = control.New(p.Info.Control)
	return p, nil
}

func (o Options) args() []string {
	listen, at := o.Listen, o.Control
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	if at == "" {
		at = "127.0.0.1:0"
	}
	args := []string{"-listen", listen, "-control", at, "-endpoints", strconv.Itoa(max(1, o.Endpoints)),
		"-l2BlockTime", o.BlockTime.String(), "-l1BlockTime", o.L1BlockTime.String(), "-contracts=" +
			strconv.FormatBool(!o.NoContracts)}
	if o.RoundLength > 0 {
		args = append(args, "-roundLength", strconv.FormatUint(o.RoundLength, 10))
	}
	if o.PoolSize > 0 {
		args = append(args, "-poolSize", strconv.FormatUint(o.PoolSize, 10))
	}
	return append(args, o.Args...)
}

// await waits for the ready file and reads it.
func (p *Process) await(ctx context.Context, path string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(path)
		if err == nil {
			return json.Unmarshal(text, &p.Info)
		}
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		select {
		case <-tick.C:
		case <-p.done:
			return errors.New("it ended: " + p.cmd.ProcessState.String())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Log is what the program has printed so far.
func (p *Process) Log() string { return p.log.String() }

// PID is the program's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop asks the program to end, and kills it when that takes long.
func (p *Process) Stop() {
	if p.Control != nil {
		p.Control.Close()
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(5 * time.Second)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// safeBuffer takes output while others read it.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write takes output.
func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String is all of it.
func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
