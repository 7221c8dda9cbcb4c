package machine

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// stranger is a user of the machine that is neither root nor the node's user.
const stranger = 65533

// TestTokenIsNotForWhoHasThePort: another user takes the admin port of a node that does not
// run, or that of another role, and waits for a change that is requested there. The token,
// which spends the account's money once the node runs again, does not come.
func TestTokenIsNotForWhoHasThePort(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can listen as another user")
	}
	dir := filepath.Join(t.TempDir(), "data")
	addr, admin := harness.Address(t), harness.Address(t)
	start := func() *harness.Process {
		node := harness.Start(t, binary, "-orchestrator", "-transcoder", "-dataDir", dir, "-serviceAddr", addr,
			"-cliAddr", admin)
		node.WaitHTTP("http://" + admin + "/healthz")
		return node
	}
	node := start()
	node.Signal(syscall.SIGTERM)
	node.Exit(30 * time.Second)
	trap := listenAs(t, stranger, admin)
	text, status := change(t, admin, dir)
	if status == 0 || !strings.Contains(text, "AdminPortTaken") {
		t.Errorf("status %d: %s", status, text)
	}
	trap.close()
	if token := trap.token(); token != "" {
		t.Errorf("the stranger was given %q", token)
	}
	start()
	if text, status := change(t, admin, dir); status != 0 {
		t.Errorf("the node itself: status %d: %s", status, text)
	}
}

// TestTokenIsForTheNodesOwner: root asks a node for a change that runs as a user of its own,
// and the token that was named by itself goes where it was said.
func TestTokenIsForTheNodesOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can listen as another user")
	}
	dir, admin := t.TempDir(), harness.Address(t)
	file := filepath.Join(dir, "admin.token")
	if err := os.WriteFile(file, []byte("token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	node := listenAs(t, stranger, admin)
	_, _ = change(t, admin, dir, "--token-file", file)
	if got := node.token(); got != "Bearer token" {
		t.Errorf("a token that was named: %q", got)
	}
	if err := os.Chown(file, stranger, stranger); err != nil {
		t.Fatal(err)
	}
	_, _ = change(t, admin, dir)
	if got := node.token(); got != "Bearer token" {
		t.Errorf("the owner's node got %q", got)
	}
}

// TestTokenIsNotForWhoHasTheSocket: the same at a socket in a directory that others write to.
func TestTokenIsNotForWhoHasTheSocket(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can listen as another user")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "admin.token"), []byte("token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s")
	p := listenAs(t, os.Getuid(), path)
	if err := os.Chown(path, stranger, stranger); err != nil {
		t.Fatal(err)
	}
	text, status := change(t, "unix:"+path, dir)
	if token := p.token(); token != "" || status == 0 || !strings.Contains(text, "AdminPortTaken") {
		t.Errorf("the stranger was given %q, status %d: %s", token, status, text)
	}
	if err := os.Chown(path, 0, 0); err != nil {
		t.Fatal(err)
	}
	_, _ = change(t, "unix:"+path, dir)
	if token := p.token(); token != "Bearer token" {
		t.Errorf("the node got %q", token)
	}
}

// TestTokenOfABundleIsNotForWhoHasThePort: the same where other machines reach the port, so
// that the node gets a request for its state with the token.
func TestTokenOfABundleIsNotForWhoHasThePort(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can listen as another user")
	}
	dir, admin, addr := t.TempDir(), harness.Address(t), harness.Address(t)
	if err := os.WriteFile(filepath.Join(dir, "admin.token"), []byte("token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(admin, ":")
	bundle := func() string {
		text, status := harness.Output(t, binary, "doctor", "bundle", "-o", filepath.Join(t.TempDir(), "b.tar.gz"),
			"-orchestrator", "-transcoder", "-serviceAddr", addr, "-dataDir", dir, "-cliAddr", "0.0.0.0:"+port)
		if status != 0 {
			t.Errorf("status %d: %s", status, text)
		}
		return text
	}
	trap := listenAs(t, stranger, admin)
	text := bundle()
	if token := trap.token(); token != "" {
		t.Errorf("the stranger was given %q: %s", token, text)
	}
	trap.close()
	trap = listenAs(t, os.Getuid(), admin)
	if bundle(); trap.token() != "Bearer token" {
		t.Error("the node was not asked with its token")
	}
}

// change asks for one with the real tool.
func change(t *testing.T, admin, dir string, more ...string) (string, int) {
	t.Helper()
	url := admin
	if !strings.HasPrefix(admin, "unix:") {
		url = "http://" + admin
	}
	return harness.Output(t, tool, append([]string{"sessions", "set", "3", "--url", url, "--dataDir", dir,
		"--yes"}, more...)...)
}

// trap is a program that waits for tokens.
type trap struct {
	close func()

	mu  sync.Mutex
	got string // guarded by mu
}

// token is what came since the last call.
func (p *trap) token() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.got
	p.got = ""
	return got
}

// listenAs listens as another user and records every token. Files and sockets belong to the
// user of the thread that makes them.
func listenAs(t *testing.T, user int, addr string) *trap {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, uintptr(user), 0, 0)
	network := "tcp"
	if strings.HasPrefix(addr, "/") {
		network = "unix"
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), network, addr)
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &trap{}
	s := &http.Server{ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if token := r.Header.Get("Authorization"); token != "" {
				p.got = token
			}
			_, _ = w.Write([]byte(`{"network":"offchain"}`))
		})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(l)
	}()
	p.close = sync.OnceFunc(func() {
		_ = s.Close()
		<-served
	})
	t.Cleanup(p.close)
	return p
}
