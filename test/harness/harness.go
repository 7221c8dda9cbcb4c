// Package harness runs the real tutti binary for the end-to-end tests: it builds
// it once, starts processes on free loopback ports, pushes segments like a client
// and gives a failing test the node's own log.
//
// Only tests import it.
package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Ports of Address, below those that Linux gives to outgoing connections: a connection
// of another test could have the port by the time the node listens.
const firstPort, lastPort = 12000, 32000

// Address returns a loopback address whose port was free a moment ago, and that no
// other caller in this process was given.
func Address(t testing.TB) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(lastPort-firstPort)))
		if err != nil {
			continue
		}
		addr := l.Addr().String()
		l.Close()
		if _, taken := given.LoadOrStore(addr, true); !taken {
			return addr
		}
	}
	t.Fatal("no port is free that was not given away")
	return ""
}

// given are the addresses that Address returned.
var given sync.Map

// Process is one running node.
type Process struct {
	t    testing.TB
	cmd  *exec.Cmd
	log  *safeBuffer
	done chan struct{}
}

// Start runs the binary with the given arguments and kills it at the test's end.
func Start(t testing.TB, binary string, args ...string) *Process {
	t.Helper()
	return StartIn(t, binary, nil, args...)
}

// StartIn is Start with more environment variables, NAME=value.
func StartIn(t testing.TB, binary string, env []string, args ...string) *Process {
	t.Helper()
	return StartWith(t, binary, env, nil, args...)
}

// StartWith is StartIn with open files, which have the numbers from 3 on there.
func StartWith(t testing.TB, binary string, env []string, files []*os.File, args ...string) *Process {
	t.Helper()
	readSources()
	p := &Process{t: t, log: &safeBuffer{}, done: make(chan struct{})}
	p.cmd = exec.Command(binary, args...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.ExtraFiles = files
	p.cmd.Env = append(append(os.Environ(), "HOME="+t.TempDir()), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("log of %v:\n%s", args, p.log.String())
		}
	})
	return p
}

// Log is what the process has printed so far.
func (p *Process) Log() string { return p.log.String() }

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal to the process.
func (p *Process) Signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// Exit waits for the process to end and returns its exit status.
func (p *Process) Exit(limit time.Duration) int {
	p.t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(limit):
		p.t.Fatalf("the process did not end within %v", limit)
		return -1
	}
}

// WaitHTTP waits until a GET of url answers with status 200.
func (p *Process) WaitHTTP(url string) {
	p.t.Helper()
	p.Wait("an answer from "+url, 20*time.Second, func() bool {
		resp, err := Client().Get(url)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// Wait polls a condition until it holds, the process ends, or the limit passes.
func (p *Process) Wait(what string, limit time.Duration, holds func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-p.done:
			p.t.Fatalf("waiting for %s: the process ended with status %d", what, p.cmd.ProcessState.ExitCode())
		case <-ctx.Done():
			p.t.Fatalf("waiting for %s: not within %v", what, limit)
		}
	}
}

var client = sync.OnceValue(func() *http.Client {
	return &http.Client{
		Timeout: 60 * time.Second,
		Transport: &http.Transport{
			TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, // nodes sign their own certificates
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 32,
		},
	}
})

// Client is an HTTP client that, like the network's, does not verify certificates.
func Client() *http.Client { return client() }

// Get fetches a URL and returns its status and body.
func Get(t testing.TB, url string) (int, []byte) {
	t.Helper()
	resp, err := Client().Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

// Output runs the binary to its end and returns what it printed and its status.
func Output(t testing.TB, binary string, args ...string) (string, int) {
	t.Helper()
	readSources()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
