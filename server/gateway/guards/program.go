package guards

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
)

var (
	errTooLong = errors.New("the verdict is too long")
	errMore    = errors.New("the program wrote more than one line")
	errClosed  = errors.New("the gateway stops")
)

// program is a guard that is a program: it reads one question a line and writes one verdict a line. A process
// has one question at a time. The processes start when they are needed and stay.
type program struct {
	args []string

	mu     sync.Mutex
	idle   []*process // guarded by mu
	closed bool       // guarded by mu
}

// process is one run of the program.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	// kill ends it, once.
	kill func()
}

// environment are the variables that a program gets of the node's own, which has secrets among them. Read-only.
var environment = []string{"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT"}

// start starts a process.
func (p *program) start() (*process, error) {
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Env = []string{}
	for _, name := range environment {
		if text, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+text)
		}
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &process{cmd: cmd, in: in, out: bufio.NewReader(out)}
	c.kill = sync.OnceFunc(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = out.Close()
	})
	return c, nil
}

// end kills the process and waits for it.
func (c *process) end() {
	c.kill()
	_ = c.cmd.Wait() // that it was killed is known
}

// ask asks a process of the program. One that ended while it was idle is replaced, and so is one that wrote something
// else than a verdict: its next line could be the verdict of this question. A client that leaves ends none, because
// they may take long to start.
func (p *program) ask(ctx context.Context, question []byte, limit int64) ([]byte, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(context.WithoutCancel(ctx), end, errSlow)
		defer cancel()
	}
	line := append(question[:len(question):len(question)], '\n')
	for {
		c, used, err := p.take()
		if err != nil {
			return nil, err
		}
		text, err := c.ask(ctx, line, limit)
		if err == nil && json.Valid(text) {
			p.keep(c)
			return text, nil
		}
		c.end()
		switch {
		case err == nil:
			return text, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !used, errors.Is(err, errTooLong), errors.Is(err, errMore):
			return nil, err
		}
	}
}

// take returns an idle process, or a new one; used reports which.
func (p *program) take() (c *process, used bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, errClosed
	}
	if n := len(p.idle); n > 0 {
		c, p.idle = p.idle[n-1], p.idle[:n-1]
		return c, true, nil
	}
	c, err = p.start()
	return c, false, err
}

// keep returns a process for the next question.
func (p *program) keep(c *process) {
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if closed {
		c.end()
	}
}

// ask writes a line and reads one. When ctx ends the process is killed, which ends both.
func (c *process) ask(ctx context.Context, line []byte, limit int64) ([]byte, error) {
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	if _, err := c.in.Write(line); err != nil {
		return nil, errors.New("the program ended")
	}
	text, err := readLine(c.out, limit)
	switch {
	case err == nil && !stop():
		return nil, ctx.Err()
	case err == nil && c.out.Buffered() > 0:
		return nil, errMore
	}
	return text, err
}

// readLine reads one line of at most limit bytes.
func readLine(r *bufio.Reader, limit int64) ([]byte, error) {
	var out []byte
	for {
		part, err := r.ReadSlice('\n')
		out = append(out, part...)
		switch {
		case int64(len(out)) > limit:
			return nil, errTooLong
		case err == nil:
			return out, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, errors.New("the program ended")
		}
	}
}

func (p *program) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.end()
	}
}
