package liverunner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"time"
)

const (
	// firstRestart is before the first new start; it doubles up to lastRestart, and starts over when the program
	// has run for steadyRun.
	firstRestart = time.Second
	lastRestart  = time.Minute
	steadyRun    = 10 * time.Minute
	// programStopTime is between the polite and the hard end of a program.
	programStopTime = 5 * time.Second
	// brokenInterval is the interval between calls of Broken.
	brokenInterval = time.Second
)

// Program is a program that runs alongside the node, and what is reported of it.
type Program struct {
	// Name is for the log. Command is the program and its arguments, Env its whole environment.
	Name    string
	Command []string
	Env     []string
	// Once runs the program in another way, until it ends, is broken or ctx ends, and says why it ended; nil
	// runs Command alongside the node. It calls Started itself.
	Once func(ctx context.Context) error
	// Started is called when it runs, Ended when it has ended or could not be started, with the reason
	// and its last lines. They alternate, and must not block for long.
	Started func()
	Ended   func(error)
	// Broken returns why a program that runs has to be started again, nil for no reason.
	Broken func() error
	Log    *slog.Logger
	// Random gives numbers in [0, 1) to spread the starts.
	Random func() float64
}

// RunProgram runs the program until ctx ends, and stops it then.
func RunProgram(ctx context.Context, o Program) {
	wait := firstRestart
	for {
		begun := time.Now()
		once := o.Once
		if once == nil {
			once = func(ctx context.Context) error { return runProgramOnce(ctx, &o) }
		}
		err := once(ctx)
		o.Ended(err)
		if ctx.Err() != nil {
			return
		}
		if time.Since(begun) >= steadyRun {
			wait = firstRestart
		}
		o.Log.Warn("a program ended and is started again", "program", o.Name, "err", err, "wait", wait)
		timer := time.NewTimer(time.Duration(float64(wait) * (0.8 + 0.4*o.Random())))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		wait = min(2*wait, lastRestart)
	}
}

// runProgramOnce starts the program and returns why it ended.
func runProgramOnce(ctx context.Context, o *Program) error {
	ours, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ours.Close()
	lines := &lastLines{}
	copied := make(chan struct{})
	cmd := &exec.Cmd{Path: o.Command[0], Args: o.Command, Env: o.Env, Stdout: theirs, Stderr: theirs,
		SysProcAttr: programGroup()}
	if cmd.Path, err = exec.LookPath(o.Command[0]); err == nil {
		err = cmd.Start()
	}
	theirs.Close()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	go func() {
		defer close(copied)
		lines.follow(ours)
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	o.Started()
	err = watchProgram(ctx, o, cmd, ended)
	killGroup(cmd) // its children, whose pipe is closed then
	select {
	case <-copied:
	case <-time.After(time.Second):
	}
	return lines.explain(err)
}

// watchProgram waits for the program's end, and ends it when ctx does or it is broken.
func watchProgram(ctx context.Context, o *Program, cmd *exec.Cmd, ended <-chan error) error {
	tick := time.NewTicker(brokenInterval)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err == nil {
				err = errors.New("exit status 0")
			}
			return err
		case <-tick.C:
			if why := o.Broken(); why != nil {
				stopProgram(cmd, ended)
				return why
			}
		case <-ctx.Done():
			stopProgram(cmd, ended)
			return errors.New("the node stops it")
		}
	}
}

// stopProgram asks the program to end, and ends it after some time.
func stopProgram(cmd *exec.Cmd, ended <-chan error) {
	terminateGroup(cmd)
	timer := time.NewTimer(programStopTime)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		killGroup(cmd)
		<-ended
	}
}
