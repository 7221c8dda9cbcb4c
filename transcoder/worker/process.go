package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// process is one child process, from its start to its end.
type process struct {
	o       Options
	cmd     *exec.Cmd
	conn    *Conn
	arena   *Arena
	stderr  *stderrLog
	missing []string
	// oomScored: it has the highest OOM score, which it must not lower.
	oomScored bool

	// gone is closed when the child is unusable, with fault set before.
	gone  chan struct{}
	fault *fault.Fault
	end   sync.Once
	// exited is closed when the system has the child's status.
	exited chan struct{}
	// received counts the frames from the child.
	received atomic.Int64
	// pings counts the heartbeats that were sent.
	pings atomic.Int64
	wg    sync.WaitGroup

	mu    sync.Mutex // covers the fields below
	calls map[uint64]*call
	// pending are the requests whose answers are not complete.
	pending map[uint64]*pendingRequest
	next    uint64
	retired bool
	// idleSince is when the last call ended.
	idleSince time.Time
}

// launch starts a child and waits until it is ready. It tries the strictest
// isolation first, from level on, and returns the one that worked.
func launch(ctx context.Context, o Options, level isolation) (*process, isolation, error) {
	for ; ; level++ {
		p, err := spawn(o, level)
		if err != nil {
			if level < shared && notPermitted(err) {
				continue
			}
			return nil, level, fault.Wrap(fault.WorkerStartFailed, "start media worker", err)
		}
		if err := p.awaitHello(ctx); err != nil {
			p.close()
			return nil, level, err
		}
		p.missing = append(p.missing, level.missing(o)...)
		p.oomScored = !sandbox.ScoreLowered(p.cmd.Process.Pid)
		p.wg.Go(p.read)
		p.wg.Go(p.sendPings)
		p.wg.Go(p.watch)
		return p, level, nil
	}
}

// spawn starts the child's process. A goroutine owns it until the system has its
// status.
func spawn(o Options, level isolation) (*process, error) {
	stderr := newStderrLog(o.Log)
	arena, err := NewArena()
	if err != nil {
		return nil, err
	}
	cmd, ours, theirs, err := command(o, level, stderr, arena.File())
	if err != nil {
		arena.Close()
		return nil, err
	}
	p := &process{
		o: o, cmd: cmd, conn: NewConn(ours), arena: arena, stderr: stderr,
		gone: make(chan struct{}), exited: make(chan struct{}),
		calls: make(map[uint64]*call), pending: make(map[uint64]*pendingRequest), idleSince: time.Now(),
	}
	stderr.onExcess = func(detail string) { p.kill(fault.New(fault.WorkerProtocol, "transcode", detail)) }
	started := make(chan error)
	p.wg.Go(func() {
		// The signal on a parent's death is sent when the starting thread ends, so
		// this thread has to last as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.exited)
		err := cmd.Start()
		theirs.Close()
		if err == nil {
			err = confine(cmd, o)
		}
		started <- err
		if err != nil {
			if cmd.Process != nil {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
			return
		}
		err = cmd.Wait()
		p.abandon(p.exitFault(err))
	})
	if err := <-started; err != nil {
		p.conn.Close()
		p.wg.Wait()
		arena.Close()
		return nil, err
	}
	return p, nil
}

// awaitHello waits for the child's first message.
func (p *process) awaitHello(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.o.times.start)
	defer cancel()
	// A read cannot watch a context: the child's end unblocks it.
	stop := context.AfterFunc(ctx, func() {
		p.kill(fault.New(fault.WorkerStartFailed, "start media worker", "the worker was not ready in time"))
	})
	defer stop()
	hello, err := p.hello()
	if err == nil {
		p.missing = hello.Missing
		return nil
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return f
	}
	p.kill(fault.Wrap(fault.WorkerProtocol, "start media worker", err))
	<-p.gone
	return fault.Wrap(fault.WorkerStartFailed, "start media worker", p.fault)
}

// errHello: the child is no worker of this version.
var errHello = errors.New("the worker's first message is invalid")

func (p *process) hello() (HelloMessage, error) {
	h, err := p.conn.Next()
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		// The child ended before its hello; its exit status has the reason.
		p.awaitStatus()
	}
	if err != nil {
		return HelloMessage{}, err
	}
	body, err := p.conn.Message(h)
	if err != nil {
		return HelloMessage{}, err
	}
	switch h.Type {
	case TypeHello:
		hello, err := DecodeHello(body)
		if err == nil && hello.Version != ProtocolVersion {
			err = fmt.Errorf("%w: protocol version %d, want %d", errHello, hello.Version, ProtocolVersion)
		}
		return hello, err
	case TypeError:
		// The engine could not be opened.
		f, err := DecodeError(body)
		if err != nil {
			return HelloMessage{}, err
		}
		return HelloMessage{}, &fault.Fault{Code: fault.WorkerStartFailed, Op: "start media worker", Detail: f.Detail, Err: f}
	}
	return HelloMessage{}, fmt.Errorf("%w: type %d", errHello, h.Type)
}

// awaitStatus gives the system a moment to report a child whose socket closed.
func (p *process) awaitStatus() {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	p.signal()
	select {
	case <-p.gone:
	case <-timer.C:
	}
}

// kill ends the child for the reason given and fails what is in it. Only the
// first reason counts.
func (p *process) kill(reason *fault.Fault) {
	p.abandon(reason)
	p.signal()
}

// abandon marks the child unusable: calls fail from now on, even if the system cannot end
// the process soon.
func (p *process) abandon(reason *fault.Fault) {
	p.end.Do(func() {
		p.fault = reason
		close(p.gone)
		// Unblock sends to the child.
		p.conn.Close()
	})
}

// usable reports whether the child is not gone.
func (p *process) usable() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// signal sends SIGKILL. The child has no children: it may not make any.
func (p *process) signal() {
	if err := p.cmd.Process.Kill(); err != nil {
		p.o.Log.Debug("media worker had ended already", "err", err)
	}
}

// close kills the child and waits until everything of it is gone, or too long.
func (p *process) close() {
	p.kill(fault.New(fault.WorkerClosed, "transcode", ""))
	timer := time.NewTimer(p.o.times.stop)
	defer timer.Stop()
	select {
	case <-p.exited:
		p.wg.Wait()
		p.arena.Close()
	case <-timer.C:
		p.o.Log.Error("a killed media worker does not end; its driver holds it", "device", p.o.Device)
	}
}
