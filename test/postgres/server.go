package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Server is a server that a test may stop, kill and start again.
type Server struct {
	dir, bin string
	port     int
	how      way
	// Durable has it wait for the disk as the node demands; tests of nothing but SQL
	// need not.
	durable bool

	mu    sync.Mutex // guards the process
	cmd   *exec.Cmd
	ended chan struct{}
}

// New makes a server's files in a directory, which is its own, and starts it.
func New(dir string, durable bool) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, durable: durable}
	if err := s.make(); err != nil {
		return nil, err
	}
	if s.port, err = freePort(); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// make tries the ways in which the server may run here.
func (s *Server) make() error {
	var said []string
	for _, how := range ways() {
		data := filepath.Join(s.dir, "data")
		if err := how.own(s.dir); err != nil {
			said = append(said, err.Error())
			continue
		}
		cmd := exec.Command(filepath.Join(s.bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
			"--locale=C", "-N")
		s.prepare(cmd, how)
		out, err := cmd.CombinedOutput()
		if err == nil {
			s.how = how
			return nil
		}
		said = append(said, how.name+": "+strings.TrimSpace(string(out))+" "+err.Error())
		_ = os.RemoveAll(data)
	}
	return fmt.Errorf("initdb: %s", strings.Join(said, "; "))
}

func (s *Server) prepare(cmd *exec.Cmd, how way) {
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+libraries(s.bin), "LC_ALL=C", "TZ=UTC")
	cmd.SysProcAttr = how.attr()
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Start starts the server and waits until it answers.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	args := []string{"-D", filepath.Join(s.dir, "data"), "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=",
		"-c", "max_connections=200", "-c", "shared_buffers=32MB"}
	if !s.durable {
		args = append(args, "-c", "fsync=off")
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), args...)
	s.prepare(cmd, s.how)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	s.cmd, s.ended = cmd, ended
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	return s.answers(ended)
}

func (s *Server) answers(ended <-chan struct{}) error {
	db, err := sql.Open("pgx", s.address("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	late := time.After(30 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := db.PingContext(context.Background())
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ended:
			text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("postgres ended: %s", text)
		case <-late:
			return err
		}
	}
}

// Stop ends the server: at once and without notice if kill, else with the
// server's fast shutdown.
func (s *Server) Stop(kill bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return
	}
	how := syscall.SIGINT
	if kill {
		how = syscall.SIGQUIT // the immediate shutdown: its children die with it
	}
	_ = s.cmd.Process.Signal(how)
	<-s.ended
	s.cmd = nil
}

func (s *Server) address(name string) string {
	u := url.URL{Scheme: "postgres", User: url.User("postgres"),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)), Path: "/" + name, RawQuery: "sslmode=disable"}
	return u.String()
}

// Address is the server's, with the database of its administrator.
func (s *Server) Address() string { return s.address("postgres") }

// Database makes an empty database and returns its address.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	address, err := DatabaseAt(t.Context(), s.Address())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// DatabaseAt makes an empty database on the server of an address.
func DatabaseAt(ctx context.Context, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		return "", err
	}
	defer db.Close()
	name := fmt.Sprintf("test_%d", rand.Uint64())
	if _, err := db.ExecContext(ctx, `CREATE DATABASE `+name+` STRATEGY file_copy`); err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}
