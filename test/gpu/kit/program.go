package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
)

const (
	// grace is how long before its end a program's own limit stops it, so that it still
	// says where it was, and how long one that was killed may take to be gone.
	grace = 10 * time.Second
	// leastRest is the least time left for which a program is started again.
	leastRest = 30 * time.Second
)

// outcome is what one run of a test program came to.
type outcome struct {
	// failed are its tests that failed, begun all of its tests that have begun, open
	// those of them that did not end.
	failed, begun, open []string
	// end is how the program ended, "" when well; crashed says that tests may be left.
	end     string
	crashed bool
}

// program runs a test program in its folder. It has the given time, and is then ended
// with everything that it started. One that crashes, as a driver may make it, is started
// again for the tests that had not begun.
func (b *bench) program(ctx context.Context, p program, checks string, left time.Duration) Program {
	name := filepath.Base(p.folder) + ".test"
	done := Program{Name: name}
	begin := time.Now()
	end := begin.Add(left)
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	var ends, begun []string
	for {
		o := b.once(ctx, p, checks, end, begun)
		done.Failed = append(done.Failed, o.failed...)
		if o.end != "" && len(o.open) > 0 {
			o.end += " in " + strings.Join(o.open, ", ")
		}
		if o.end != "" {
			ends = append(ends, o.end)
		}
		fresh := slices.ContainsFunc(o.begun, func(test string) bool { return !slices.Contains(begun, test) })
		begun = append(begun, o.begun...)
		if !o.crashed || !fresh || ctx.Err() != nil || time.Until(end) < leastRest+grace {
			break
		}
	}
	done.End = strings.Join(ends, "; then ")
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		done.End = strings.TrimSuffix(fmt.Sprintf("was stopped after %v; %s", left.Round(time.Second), done.End), "; ")
	case err != nil:
		done.End = "was interrupted"
	}
	done.Seconds = time.Since(begin).Seconds()
	return done
}

// once runs a test program without the tests that have begun before.
func (b *bench) once(ctx context.Context, p program, checks string, end time.Time, begun []string) outcome {
	folder := filepath.Join(b.home, "tests", p.folder)
	name := filepath.Base(p.folder) + ".test"
	fmt.Fprintf(b.log, "\n==== %s -test.run '%s', %s\n", name, p.run, time.Now().UTC().Format(time.RFC3339))
	args := []string{"-test.v", "-test.run", p.run,
		"-test.timeout", max(time.Until(end)-grace, time.Second).Round(time.Millisecond).String()}
	if skip := skipped(p.skip, begun); skip != "" {
		args = append(args, "-test.skip", skip)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(folder, name), args...)
	cmd.Dir, cmd.Env = folder, append(slices.Clone(b.env), card.EnvChecks+"="+checks)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = grace
	if p.loads {
		env, remove, err := b.loading()
		if err != nil {
			return outcome{end: err.Error()}
		}
		defer remove()
		cmd.Env = append(cmd.Env, env...)
	}
	o := b.follow(ctx, cmd)
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	if b.alone {
		if left := endChildren(time.Now().Add(grace)); left != "" {
			o.end = strings.TrimPrefix(o.end+"; left processes that cannot be ended: "+left, "; ")
		}
	}
	return o
}

// skipped returns the pattern of the tests to leave out.
func skipped(skip string, begun []string) string {
	var all []string
	if skip != "" {
		all = append(all, skip)
	}
	for _, test := range begun {
		all = append(all, "^"+test+"$")
	}
	return strings.Join(all, "|")
}

// loading returns the environment of a program that loads the driver.
func (b *bench) loading() (env []string, remove func(), err error) {
	if b.uuid != "" {
		env = append(env, "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES="+b.uuid)
	}
	counters := filepath.Join(b.out, ".counters")
	err = os.WriteFile(counters, make([]byte, 4096), 0o666)
	if err == nil {
		err = os.Chmod(counters, 0o666) // media workers may be another user's
	}
	if err != nil {
		return nil, nil, err
	}
	kernels := filepath.Join(b.kernels, "loaded")
	if err := os.MkdirAll(kernels, 0o700); err != nil {
		return nil, nil, err
	}
	// Without a home folder the driver would compile its kernels again for each process.
	return append(env, "LD_PRELOAD="+b.counting(), "TUTTI_GPUCOUNT="+counters, "CUDA_CACHE_DISABLE=0",
		"CUDA_CACHE_PATH="+kernels), func() { os.Remove(counters) }, nil
}

// follow runs a test program, copies what it prints into the log, and records which of
// its tests failed.
func (b *bench) follow(ctx context.Context, cmd *exec.Cmd) outcome {
	reader, writer, err := os.Pipe()
	if err != nil {
		return outcome{end: err.Error()}
	}
	defer reader.Close()
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		writer.Close()
		return outcome{end: err.Error()}
	}
	writer.Close()
	read := make(chan outcome, 1)
	go func() { read <- tests(io.TeeReader(reader, keepsOn{b.log})) }()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(grace):
			// The system ends no process that waits within a driver.
			err = errors.New("a process that cannot be killed")
		}
	}
	// A process that outlived the program may hold the pipe open.
	_ = reader.SetReadDeadline(time.Now().Add(time.Second))
	o := <-read
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case exited && len(o.failed) > 0 && exit.ExitCode() == 1:
	case err != nil:
		o.end, o.crashed = "ended with "+err.Error(), exited && exit.ExitCode() != 1
	}
	return o
}

// keepsOn takes everything, also what cannot be written: a full disk must not stop what
// is being read.
type keepsOn struct{ io.Writer }

func (w keepsOn) Write(p []byte) (int, error) {
	_, _ = w.Writer.Write(p)
	return len(p), nil
}

// tests reads the results from the output of a test program.
func tests(output io.Reader) (o outcome) {
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		o.record(strings.TrimSpace(line))
		if err != nil {
			return o
		}
	}
}

// record keeps what a line says of a test.
func (o *outcome) record(line string) {
	if test, found := strings.CutPrefix(line, "=== RUN "); found {
		if test = strings.TrimSpace(test); !strings.Contains(test, "/") {
			o.begun, o.open = append(o.begun, test), append(o.open, test)
		}
		return
	}
	for _, result := range []string{"FAIL", "PASS", "SKIP"} {
		rest, found := strings.CutPrefix(line, "--- "+result+": ")
		if !found {
			continue
		}
		test, _, _ := strings.Cut(rest, " ")
		o.open = slices.DeleteFunc(o.open, func(name string) bool { return name == test })
		if result == "FAIL" {
			o.failed = append(o.failed, test)
		}
	}
}
