package models_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/netlab"
)

// publicAddress is one of the internet's that a network namespace of a test has to
// itself.
const publicAddress = "93.184.216.34"

const envInside = "TUTTI_TEST_INSIDE"

// apart runs the test again in a process with a network of its own, which has a public
// address, and reports whether it is that process.
func apart(t *testing.T) bool {
	t.Helper()
	if os.Getenv(envInside) != "" {
		for _, args := range []string{"link set lo up", "addr add " + publicAddress + "/32 dev lo"} {
			if text, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
				t.Fatalf("ip %s: %v: %s", args, err, text)
			}
		}
		return true
	}
	if err := netlab.Needs(); err != nil {
		t.Skip("no network of its own: ", err)
	}
	home := t.TempDir()
	err := os.Mkdir(filepath.Join(home, "bin"), 0o700)
	if err == nil {
		err = os.Symlink(binary, filepath.Join(home, "bin", "tutti"))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), envInside+"=1", harness.EnvHome+"="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if text, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(text), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, text)
	}
	return false
}

// silent is a server at the public address that takes connections and says nothing. It
// returns a channel with an element for each.
func silent(t *testing.T) <-chan struct{} {
	t.Helper()
	l, err := net.Listen("tcp", publicAddress+":80")
	if err != nil {
		t.Fatal(err)
	}
	met := make(chan struct{}, 100)
	var held []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			held = append(held, c)
			met <- struct{}{}
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
		for _, c := range held {
			_ = c.Close()
		}
	})
	return met
}

// Requests whose images do not come hold no slot of the model: others are answered.
func TestSlowPicturesHoldNoSlot(t *testing.T) {
	if !apart(t) {
		return
	}
	f := startFetching(t)
	n := start(t, nil, []entry{external(f).with(entry{"capacity": 1})})
	attacker, honest := startGateway(t, n.addr), startGateway(t, n.addr)
	awaitAnswer(t, attacker)
	awaitAnswer(t, honest)
	met := silent(t)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	for range 6 {
		wg.Go(func() { _ = complete(ctx, attacker, chat(picture("http://"+publicAddress+"/a.png"))) })
	}
	select {
	case <-met:
	case <-time.After(30 * time.Second):
		t.Fatal("no image is fetched")
	}
	for i := range 5 {
		short, end := context.WithTimeout(t.Context(), 8*time.Second)
		err := complete(short, honest, chat(picture("data:image/png;base64,AAAA")))
		end()
		if err != nil {
			t.Errorf("completion %d: %v", i, err)
		}
	}
}

// complete asks for a completion.
func complete(ctx context.Context, gateway, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, gateway+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := harness.Client().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return &badStatus{resp.Status}
	}
	return nil
}

type badStatus struct{ status string }

func (e *badStatus) Error() string { return e.status }
