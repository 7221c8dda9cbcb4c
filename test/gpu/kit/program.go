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
	"strings"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/test/gpu/check"
	"github.com/tuttinode/tutti/test/gpu/kit/report"
)

// grace is how long before its end a program's own limit stops it, so that it still
// says where it was.
const grace = 10 * time.Second

// program runs a test program in its folder. It has the given time, and is then ended
// with everything that it started.
func (b *bench) program(ctx context.Context, p program, checks string, left time.Duration) report.Program {
	name := filepath.Base(p.folder) + ".test"
	folder := filepath.Join(b.home, "tests", p.folder)
	done := report.Program{Name: name}
	begin := time.Now()
	fmt.Fprintf(b.log, "\n==== %s -test.run '%s', %s\n", name, p.run, begin.UTC().Format(time.RFC3339))
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	args := []string{"-test.v", "-test.run", p.run, "-test.timeout", max(left-grace, time.Second).String()}
	if p.skip != "" {
		args = append(args, "-test.skip", p.skip)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(folder, name), args...)
	cmd.Dir, cmd.Env = folder, append(b.env, check.EnvFile+"="+checks)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = grace
	if p.loads {
		if b.uuid != "" {
			cmd.Env = append(cmd.Env, "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES="+b.uuid)
		}
		counters := filepath.Join(b.out, ".counters")
		if err := os.WriteFile(counters, make([]byte, 4096), 0o666); err != nil {
			done.End = err.Error()
			return done
		}
		defer os.Remove(counters)
		cmd.Env = append(cmd.Env, "LD_PRELOAD="+filepath.Join(b.home, "lib", "libtutticount.so"), "TUTTI_GPUCOUNT="+counters)
	}
	done.Failed, done.End = b.follow(cmd)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		done.End = fmt.Sprintf("was stopped after %v", left)
	}
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind
	}
	done.Seconds = time.Since(begin).Seconds()
	return done
}

// follow runs a test program, copies what it prints into the log, and notes which of
// its tests failed.
func (b *bench) follow(cmd *exec.Cmd) (failed []string, end string) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err.Error()
	}
	defer reader.Close()
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		writer.Close()
		return nil, err.Error()
	}
	writer.Close()
	read := make(chan []string, 1)
	go func() { read <- tests(io.TeeReader(reader, b.log)) }()
	err = cmd.Wait()
	// A process that outlived the program may hold the pipe open.
	_ = reader.SetReadDeadline(time.Now().Add(time.Second))
	failed = <-read
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(failed) > 0 && exit.ExitCode() == 1 {
		return failed, ""
	}
	if err != nil {
		return failed, "ended with " + err.Error()
	}
	return failed, ""
}

// tests are the names of the tests that failed, by the output of a test program.
func tests(output io.Reader) (failed []string) {
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		if rest, found := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); found {
			name, _, _ := strings.Cut(rest, " ")
			failed = append(failed, name)
		}
		if err != nil {
			return failed
		}
	}
}
