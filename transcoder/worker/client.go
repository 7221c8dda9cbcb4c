package worker

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// Client is the engine of one device in a child process. It keeps a child running until
// Close: a child that ends is replaced, at once the first time and with growing pauses when
// it repeats. Callers only see failed attempts, with faults such as WorkerCrashed.
type Client struct {
	o    Options
	stop context.CancelFunc
	wg   sync.WaitGroup
	// uncache removes the driver's compiled kernels, unless they are kept.
	uncache func()

	mu      sync.Mutex // covers the fields below
	proc    *process   // nil while there is none
	changed chan struct{}
	closed  bool
	level   isolation
	exits   exitCount
	// lastFault is why there is no process.
	lastFault *fault.Fault
	restarts  int
	missing   []string
}

var (
	_ transcoder.Engine = (*Client)(nil)
	_ transcoder.Prober = (*Client)(nil)
)

// Start starts a child and waits until it is ready; ctx bounds the wait alone.
// Close ends it. The error is a *fault.Fault with code WorkerStartFailed.
func Start(ctx context.Context, o Options) (*Client, error) {
	c := &Client{o: o.withDefaults(), changed: make(chan struct{})}
	var err error
	if c.o.compiled, c.uncache, err = openCache(c.o); err != nil {
		c.o.Log.Warn("what the driver of a GPU compiles is not kept", "device", o.Device, "err", err)
	}
	p, level, err := launch(ctx, c.o, strictest())
	if err != nil {
		c.uncache()
		return nil, err
	}
	c.level = level
	c.setProcess(p)
	if len(c.missing) > 0 {
		c.o.Log.Warn("a media worker runs with fewer restrictions",
			"device", o.Device, fault.Attr(c.Degraded()))
	}
	var run context.Context
	run, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.wg.Go(func() { c.supervise(run, p) })
	return c, nil
}

// Device names the device.
func (c *Client) Device() string { return c.o.Device }

// Parallel returns how many segments the child works on at once; others wait in it.
func (c *Client) Parallel() int { return transcoder.Parallel(c.o.cores()) }

// Transcode gives the job to the child, waiting for one while it is replaced.
func (c *Client) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	for {
		p, err := c.awaitProcess(ctx)
		if err != nil {
			return nil, err
		}
		res, err := p.transcode(ctx, job)
		if errors.Is(err, errRetired) {
			continue
		}
		return res, err
	}
}

// Probe lets the child look at media. The segment stays the caller's, as a job's
// input does.
func (c *Client) Probe(ctx context.Context, segment []byte) (transcoder.MediaInfo, error) {
	for {
		p, err := c.awaitProcess(ctx)
		if err != nil {
			return transcoder.MediaInfo{Status: transcoder.ProbeFailed}, err
		}
		info, err := p.probe(ctx, segment)
		if !errors.Is(err, errRetired) {
			return info, err
		}
	}
}

// EndSession tells the child, if there is one. A fresh one knows no sessions.
func (c *Client) EndSession(id core.SessionID) {
	c.mu.Lock()
	p := c.proc
	c.mu.Unlock()
	if p != nil {
		p.endSession(id)
	}
}

// Replace kills the child for the reason given and starts another. What else is
// in the child fails with WorkerReplaced and may be tried again. It is for a
// caller that knows better than the heartbeat that the child is stuck.
func (c *Client) Replace(reason fault.Code) {
	c.mu.Lock()
	p := c.proc
	c.mu.Unlock()
	if p != nil {
		c.o.Log.Warn("replacing a media worker", "device", c.o.Device, "code", string(reason))
		p.kill(fault.New(fault.WorkerReplaced, "transcode", "because of another segment: "+string(reason)))
	}
}

// Alone starts a child that serves only the caller and is never replaced, for a segment that
// may have crashed a worker and must not fail others. The caller closes it.
func (c *Client) Alone(ctx context.Context) (transcoder.Engine, error) {
	c.mu.Lock()
	level, closed := c.level, c.closed
	c.mu.Unlock()
	if closed {
		return nil, fault.New(fault.WorkerClosed, "transcode", "")
	}
	if ctx.Err() != nil {
		return nil, notStarted(ctx) // launch may or may not notice
	}
	o := c.o
	o.Memory = isolatedMemory(o.Memory)
	p, _, err := launch(ctx, o, level)
	switch {
	case err == nil:
		return &isolatedEngine{p}, nil
	case ctx.Err() != nil:
		return nil, notStarted(ctx)
	}
	return nil, err
}

// notStarted is the fault of a caller whose time ended before there was a child for it: it says nothing
// about the device, since hostile streams can take the time of others. The segment never was in work, so
// the gateway does not pay.
func notStarted(ctx context.Context) error {
	code := fault.CodeOf(ctx.Err())
	if code == fault.DeadlineExceeded {
		code = fault.TranscoderBusy
	}
	return fault.Wrap(code, "wait for a media worker", ctx.Err())
}

// fairWait is how long a caller waits for a child before its absence counts against the device.
const fairWait = 2 * time.Second

// Close ends the child and waits for it. Jobs in it fail.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.notifyLocked()
	c.mu.Unlock()
	c.stop()
	c.wg.Wait()
	c.uncache()
	return nil
}

// awaitProcess returns the running child, waiting for it.
func (c *Client) awaitProcess(ctx context.Context) (*process, error) {
	began := time.Now()
	for {
		c.mu.Lock()
		p, closed, last, change := c.proc, c.closed, c.lastFault, c.changed
		quarantined := c.exits.quarantined()
		c.mu.Unlock()
		switch {
		case closed:
			return nil, fault.New(fault.WorkerClosed, "transcode", "")
		case p != nil && p.usable():
			return p, nil
		case quarantined:
			return nil, fault.Wrap(fault.WorkerQuarantined, "transcode", last)
		}
		select {
		case <-ctx.Done():
			if fault.CodeOf(ctx.Err()) == fault.DeadlineExceeded && time.Since(began) >= fairWait {
				return nil, fault.Wrap(fault.WorkerStartFailed, "wait for a media worker", ctx.Err())
			}
			return nil, notStarted(ctx)
		case <-change:
		}
	}
}

// setProcess makes p the current child; nil for none.
func (c *Client) setProcess(p *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proc = p
	if p != nil {
		c.missing = p.missing
	}
	c.notifyLocked()
}

// notifyLocked wakes the callers of awaitProcess.
func (c *Client) notifyLocked() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Status is the state of a device's worker, for the operator.
type Status struct {
	Device string
	// PID is 0 while there is no child.
	PID int
	// Memory is what the child uses, in bytes.
	Memory int64
	// Active is how many jobs are in the child.
	Active int
	// Restarts counts replacements since the start.
	Restarts int
	// Quarantined: the children ended so often that the device refuses calls.
	Quarantined bool
	// Missing names the restrictions of the child that the system does not provide.
	Missing []string
	// Fault is why there is no child, nil when there is one.
	Fault error
}

// Status returns the state of this moment.
func (c *Client) Status() Status {
	c.mu.Lock()
	p := c.proc
	s := Status{Device: c.o.Device, Restarts: c.restarts, Quarantined: p == nil && c.exits.quarantined(),
		Missing: c.missing}
	if p == nil && c.lastFault != nil {
		s.Fault = c.lastFault
	}
	c.mu.Unlock()
	if p != nil {
		s.PID = p.cmd.Process.Pid
		s.Memory = usedBytes(s.PID)
		s.Active = p.active()
	}
	return s
}

// Degraded is the health condition of missing restrictions: SandboxOpen where hostile media
// could get at something, SandboxDegraded where other restrictions prevent that, nil when
// every restriction is in force.
func (c *Client) Degraded() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.missing) == 0 {
		return nil
	}
	missing := "missing: " + strings.Join(c.missing, "; ")
	if exposed := sandbox.Exposed(c.o.GPU, c.missing); len(exposed) > 0 {
		return fault.New(fault.SandboxOpen, "start media worker",
			"hostile media could get at "+strings.Join(exposed, ", ")+"; "+missing)
	}
	return fault.New(fault.SandboxDegraded, "start media worker", missing)
}
