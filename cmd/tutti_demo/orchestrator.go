package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tuttinode/tutti/cmd/tutti_demo/camera"
)

// Live video on both orchestrators: how many streams each takes, and how often it is paid.
const (
	liveSessions    = "2"
	paymentInterval = "2s"
)

// orchestrator is one that is killed and started again while the demonstration runs.
type orchestrator struct {
	name string
	// service and admin are host:port of its listeners, dir is its data directory.
	service, admin, dir string
	// launch starts its process.
	launch func() (*process, error)
	// back counts the starts after a kill.
	back sync.WaitGroup

	mu sync.Mutex
	// process is nil before the start, and from a kill until it is back; guarded by mu.
	process *process
}

// uri is its service address.
func (o *orchestrator) uri() string { return "https://" + o.service }

// open starts it with the sample pipeline of live video, and returns once it answers.
func (o *orchestrator) open(ctx context.Context, binary string, flags []string, stderr io.Writer) error {
	o.launch = func() (*process, error) {
		return startProcess(ctx, o.name, binary, o.dir, []string{o.uri() + "/healthz", "http://" + o.admin + "/healthz"},
			append([]string{"-serviceAddr", o.service, "-httpAddr", o.service, "-cliAddr", o.admin, "-liveSampleSessions",
				liveSessions, "-livePaymentInterval", paymentInterval}, flags...), stderr)
	}
	p, err := o.launch()
	o.set(p)
	return err
}

func (o *orchestrator) set(p *process) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.process = p
}

func (o *orchestrator) current() *process {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.process
}

// ended is an error once the process has ended by itself.
func (o *orchestrator) ended() error {
	if p := o.current(); p != nil {
		return p.ended()
	}
	return nil
}

// errAbsent: there is no process to kill.
var errAbsent = errors.New("it is not running")

// kill ends the process at once, and starts it again in the background.
func (o *orchestrator) kill() error {
	o.mu.Lock()
	p := o.process
	o.process = nil
	o.mu.Unlock()
	if p == nil {
		return fmt.Errorf("kill the %s: %w", o.name, errAbsent)
	}
	_ = p.cmd.Process.Kill() // it may have ended
	p.stop()
	o.back.Go(func() {
		if p, err := o.launch(); err == nil { // else it has said why, and the page shows that it is missing
			o.set(p)
		}
	})
	return nil
}

// killRunner ends the processes that the orchestrator has its media work done by.
func (o *orchestrator) killRunner() error {
	p := o.current()
	if p == nil {
		return fmt.Errorf("kill the runner of the %s: %w", o.name, errAbsent)
	}
	if err := camera.KillRunner(p.cmd.Process.Pid); err != nil {
		return fmt.Errorf("kill the runner of the %s: %w", o.name, err)
	}
	return nil
}

// stop ends it.
func (o *orchestrator) stop() {
	o.back.Wait()
	if p := o.current(); p != nil {
		p.stop()
	}
}
