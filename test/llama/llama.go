// Package llama starts a real llama.cpp server with a tiny model, for the demo
// and for tests. The server's files come from deploy/deps (deps.sh llama), which
// unpacks them into the cache; nothing is installed.
package llama

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/test/tinymodel"
)

// ModelID is what the server calls its model where nothing else is requested.
const ModelID = "tutti/tiny-counting"

// Options start a server. Zero fields get defaults.
type Options struct {
	// Tree is where the server's files are; "" gets them (see Tree).
	Tree string
	// Dir takes the model's file; "" is a temporary directory of the server's own.
	Dir string
	// Addr is where to listen; default a free loopback port.
	Addr string
	// Alias is the model's name; default ModelID.
	Alias string
	// Slots is how many requests it works on at once; default 4.
	Slots int
	// Model are the model's measures.
	Model tinymodel.Options
	// Args are more arguments for the server.
	Args []string
}

// Server is a running server.
type Server struct {
	// URL is its base address.
	URL string
	// Alias is the model's name at the server.
	Alias string

	cmd  *exec.Cmd
	done chan struct{}
	log  *tail
	dir  string // removed at the end; "" when it is the caller's
}

// startTime is what a server may take until it is healthy.
const startTime = 30 * time.Second

// Start starts a server and returns when it is healthy. Stop ends it; it also
// ends with this process.
func Start(ctx context.Context, opt Options) (*Server, error) {
	if opt.Tree == "" {
		tree, err := Tree(ctx)
		if err != nil {
			return nil, err
		}
		opt.Tree = tree
	}
	s := &Server{Alias: opt.Alias, log: &tail{}, done: make(chan struct{})}
	if s.Alias == "" {
		s.Alias = ModelID
	}
	addr := opt.Addr
	if addr == "" {
		var err error
		if addr, err = freeAddr(); err != nil {
			return nil, err
		}
	}
	s.URL = "http://" + addr
	if err := s.start(opt, addr); err != nil {
		return nil, errors.Join(err, s.removeDir())
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if err := s.awaitHealthy(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("llama.cpp does not get ready: %w; it said:\n%s", err, s.log), s.Stop())
	}
	return s, nil
}

func (s *Server) start(opt Options, addr string) error {
	dir := opt.Dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "tutti-llama"); err != nil {
			return err
		}
		s.dir = dir
	}
	model, err := tinymodel.Make(opt.Model)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "model.gguf")
	if err := os.WriteFile(path, model, 0o644); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	slots := opt.Slots
	if slots == 0 {
		slots = 4
	}
	args := append([]string{
		"--model", path, "--alias", s.Alias, "--host", host, "--port", port,
		"--parallel", strconv.Itoa(slots), "--threads", "1", "--metrics", "--no-webui",
		// Prompts of earlier requests are not kept: looking through them gets slow.
		"--cache-ram", "0",
	}, opt.Args...)
	s.cmd, err = Command(opt.Tree, args...)
	if err != nil {
		return err
	}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start llama.cpp: %w", err)
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.done)
	}()
	return nil
}

func (s *Server) awaitHealthy(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-s.done:
			cancel(errors.New("it ended: " + s.cmd.ProcessState.String()))
		case <-ctx.Done():
		}
	}()
	return AwaitHealthy(ctx, s.URL+"/health")
}

// AwaitHealthy waits until a URL is answered with status 200, or ctx ends.
func AwaitHealthy(ctx context.Context, url string) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Signal sends the server a signal.
func (s *Server) Signal(sig syscall.Signal) error { return s.cmd.Process.Signal(sig) }

// PID is the server's process id.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Ended is closed when the server has ended.
func (s *Server) Ended() <-chan struct{} { return s.done }

// Stop ends the server at once and removes what it left.
func (s *Server) Stop() error {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	return s.removeDir()
}

func (s *Server) removeDir() error {
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// tail keeps the end of what a process prints.
type tail struct {
	mu   sync.Mutex
	last []byte
}

// tailBytes is how much is kept.
const tailBytes = 8 << 10

// Write takes output.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if over := len(t.last) - tailBytes; over > 0 {
		t.last = append(t.last[:0:0], t.last[over:]...)
	}
	return len(p), nil
}

// String is what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(bytes.ToValidUTF8(t.last, []byte("?"))))
}
