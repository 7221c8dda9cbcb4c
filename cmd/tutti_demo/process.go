package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is one tutti that the demonstration runs.
type process struct {
	name   string
	cmd    *exec.Cmd
	exited chan error
	log    *os.File
}

// readyTime is what a node may take to answer, on a machine that does other things.
const readyTime = 20 * time.Second

// startProcess starts a tutti with a data directory and returns once it answers at
// the ready addresses. What it printed last goes to stderr when it does not.
func startProcess(ctx context.Context, name, binary, dir string, ready, args []string, stderr io.Writer) (*process,
	error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a data directory: %w", err)
	}
	logPath := filepath.Join(dir, "tutti.log")
	logFile, err := os.OpenFile(logPath, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of the %s: %w", name, err)
	}
	cmd := exec.Command(binary, append([]string{"-dataDir", dir, "-monitor"}, args...)...)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		logFile.Close()
		return nil, fmt.Errorf("start %s: %w (make build puts it there)", binary, err)
	}
	p := &process{name: name, cmd: cmd, exited: make(chan error, 1), log: logFile}
	go func() { p.exited <- cmd.Wait() }()
	for _, url := range ready {
		if err := p.waitReady(ctx, url); err != nil {
			p.stop()
			text, _ := os.ReadFile(logPath)
			fmt.Fprintf(stderr, "last lines of the %s:\n%s\n", name, lastLines(text, 20))
			return nil, err
		}
	}
	return p, nil
}

func (p *process) waitReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	// The node's certificate is its own.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
	for {
		if resp, err := client.Get(url); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case err := <-p.exited:
			p.exited <- err
			return fmt.Errorf("the %s ended before it was ready: %w", p.name, err)
		case <-ctx.Done():
			return fmt.Errorf("the %s was not ready within %s", p.name, readyTime)
		}
	}
}

// ended is an error once the process has ended.
func (p *process) ended() error {
	select {
	case err := <-p.exited:
		p.exited <- err
		return fmt.Errorf("the %s ended: %w", p.name, err)
	default:
		return nil
	}
}

// stop asks the process to drain and ends it when it does not.
func (p *process) stop() {
	defer p.log.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(40 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}

func lastLines(text []byte, count int) string {
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}
