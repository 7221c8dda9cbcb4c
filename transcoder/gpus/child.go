package gpus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// child is one process that watches the driver.
type child struct {
	cmd  *exec.Cmd
	says *lastLine
	// lines carries reports until the process has nothing more to say; bad is why it
	// was not understood.
	lines chan ReportLine
	bad   error // read after lines is closed
	// gone is closed when the process has ended and was waited for; err is how.
	gone chan struct{}
	err  error
	// deaf ends the reader when its lines are no longer read.
	deaf context.CancelFunc
}

// spawn starts one.
func spawn(o Options) (*child, error) {
	c := &child{says: &lastLine{}, lines: make(chan ReportLine), gone: make(chan struct{})}
	c.cmd = &exec.Cmd{
		Path: o.Path, Args: append([]string{"tutti"}, o.Args...), Env: environment(o), Dir: "/", Stderr: c.says,
		// A terminal's interrupt is for the node, which ends the child itself.
		SysProcAttr: apart(),
		WaitDelay:   time.Second,
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.cmd.Stdout = out
	err = c.cmd.Start()
	out.Close()
	if err != nil {
		in.Close()
		return nil, err
	}
	var ctx context.Context
	ctx, c.deaf = context.WithCancel(context.Background())
	var reader sync.WaitGroup
	reader.Go(func() {
		defer in.Close()
		c.read(ctx, in)
	})
	go func() {
		defer close(c.gone)
		c.err = c.cmd.Wait()
		// What it wrote before it died counts; a grandchild that holds the pipe open
		// does not.
		_ = in.SetReadDeadline(time.Now().Add(time.Second))
		reader.Wait()
	}()
	return c, nil
}

// environment returns what drivers read, and nothing else that the node was given.
func environment(o Options) []string {
	env := []string{"MALLOC_ARENA_MAX=2"}
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name == "LD_LIBRARY_PATH" || name == "GOCOVERDIR" || strings.HasPrefix(name, "NVIDIA_") {
			env = append(env, e)
		}
	}
	return append(env, o.Env...)
}

// read passes reports on until the process has ended or writes what no watcher
// writes.
func (c *child) read(ctx context.Context, in io.Reader) {
	defer close(c.lines)
	r := bufio.NewReaderSize(in, MaxBytes)
	for {
		b, err := r.ReadSlice('\n')
		if err != nil {
			if errors.Is(err, bufio.ErrBufferFull) {
				c.bad = fmt.Errorf("%w: a line of more than %d bytes", ErrInvalidReport, MaxBytes)
			}
			return
		}
		l, err := ParseReport(b)
		if err != nil {
			c.bad = err
			return
		}
		select {
		case c.lines <- l:
		case <-ctx.Done():
			return
		}
	}
}

// end kills the process and waits for it, though not forever: one that a driver
// holds in the kernel dies when that lets go. It reports whether it is gone.
func (c *child) end() bool {
	c.deaf()
	select {
	case <-c.gone:
		return true
	default:
	}
	endAll(c.cmd.Process)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.gone:
		return true
	case <-timer.C:
		return false
	}
}

// lastLine keeps the end of what a process says on standard error.
type lastLine struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

// maxSaid bounds what is kept.
const maxSaid = 2048

// Write never fails: the process must not stop because of its words.
func (l *lastLine) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b[max(0, len(b)-maxSaid):]...)
	l.text = l.text[max(0, len(l.text)-maxSaid):]
	return len(b), nil
}

// String returns the last line that says anything: of a Go program that dies, the reason.
func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := ""
	for line := range strings.Lines(string(l.text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") ||
			strings.Contains(line, "symbol lookup error") {
			return Plain(line)
		}
		if line != "" {
			last = line
		}
	}
	return Plain(last)
}
