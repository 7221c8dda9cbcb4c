//go:build linux

package migrate

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// screen is `tutti init` on a terminal of its own.
type screen struct {
	t    *testing.T
	tty  *os.File
	cmd  *exec.Cmd
	done chan error

	mu   sync.Mutex
	text string // guarded by mu
	at   int
	more chan struct{}
}

func begin(t *testing.T, home string, args ...string) *screen {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"init", "--publicIPLookup", "none"}, args...)...)
	cmd.Env = []string{"HOME=" + home, "TERM=dumb", "PATH=/usr/bin:/bin"}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, tty: tty, cmd: cmd, done: make(chan error, 1), more: make(chan struct{}, 1)}
	go func() {
		s.read()
		s.done <- cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = tty.Close()
	})
	return s
}

func (s *screen) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := s.tty.Read(buffer)
		s.mu.Lock()
		s.text += strings.ReplaceAll(string(buffer[:n]), "\r", "")
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *screen) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// say types a line once its question is shown.
func (s *screen) say(question, line string) {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		if i := strings.Index(s.shown()[s.at:], question); i >= 0 {
			s.at += i + len(question)
			break
		}
		select {
		case <-s.more:
		case <-deadline:
			s.t.Fatalf("%q did not come; shown is\n%s", question, s.shown()[s.at:])
		}
	}
	if _, err := s.tty.WriteString(line + "\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) status() int {
	s.t.Helper()
	select {
	case err := <-s.done:
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return exit.ExitCode()
		}
		return 0
	case <-time.After(patience):
		s.t.Fatalf("it goes on; shown is\n%s", s.shown())
	}
	return -1
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A transcoder's operator answers four questions; the secret is never shown, wrong
// answers are asked again, and a second run replaces nothing unasked.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, "conf")
	s := begin(t, home, "--dir", dir, "--skipChecks")
	s.say("What is this node to do? (default: 1) > ", "9")
	s.say("Please type a number from 1 to 5", "?")
	s.say("An orchestrator earns", "3")
	s.say("Address of your orchestrator, host:port > ", "orch.example.org:notaport")
	s.say("Address of your orchestrator", "x")
	s.say("The orchestrator's secret", "marked-secret-word")
	s.say("GPUs to transcode on", "cpu")
	if status := s.status(); status != 0 {
		t.Fatalf("status %d\n%s", status, s.shown())
	}
	if strings.Contains(s.shown(), "marked-secret-word") {
		t.Error("the secret was shown")
	}
	conf := filepath.Join(dir, "tutti.conf")
	for _, want := range []string{"\ntranscoder\n", "\norchAddr x\n", "\norchSecret " + dir + "/orchSecret\n"} {
		if !strings.Contains(read(t, conf), want) {
			t.Errorf("%q is not in\n%s", want, read(t, conf))
		}
	}
	if got := read(t, filepath.Join(dir, "orchSecret")); got != "marked-secret-word\n" {
		t.Error(got)
	}
	for _, name := range []string{"tutti.conf", "orchSecret", "tutti.service"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(info, err)
		}
	}
	before := read(t, conf)
	for _, one := range []struct {
		answer string
		status int
	}{{"n", 1}, {"y", 0}} {
		s = begin(t, home, "--dir", dir, "--skipChecks", "--role", "transcoder", "--orchAddr", "other.example.org",
			"--orchSecret", filepath.Join(dir, "orchSecret"), "--gpu", "cpu")
		s.say("Replace it?", one.answer)
		if got := s.status(); got != one.status {
			t.Errorf("%s: status %d\n%s", one.answer, got, s.shown())
		}
	}
	kept, err := filepath.Glob(conf + ".old-*")
	if err != nil || len(kept) != 1 || read(t, kept[0]) != before {
		t.Error(kept, err)
	}
	if !strings.Contains(read(t, conf), "other.example.org") {
		t.Error(read(t, conf))
	}
}

// Without a terminal there are no questions: what is missing is named, and nothing written.
func TestInitWithoutATerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, "conf")
	run := func(args ...string) (string, int) {
		cmd := exec.Command(binary,
			append([]string{"init", "--publicIPLookup", "none", "--skipChecks", "--dir", dir}, args...)...)
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if _, ok := errors.AsType[*exec.ExitError](err); !ok && err != nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	for want, args := range map[string][]string{
		"--ethUrl is not given":      {"--role", "gateway"},
		"--orchSecret is not given":  {"--role", "transcoder", "--orchAddr", "h.example.org"},
		`"foo" is no role`:           {"--role", "foo"},
		"not defined: -nonsense":     {"--nonsense"},
		"there is no such answer":    {"--answers", "testdata/answers.bad"},
		"--serviceAddr is not given": {"--role", "orchestrator", "--ethUrl", "https://x.example.org"},
	} {
		if out, status := run(args...); status != 2 || !strings.Contains(out, want) {
			t.Errorf("%v: status %d\n%s", args, status, out)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("something was written", err)
	}
	if out, status := run("--yes", "--answers", "testdata/answers.good"); status != 0 {
		t.Errorf("status %d\n%s", status, out)
	}
	// The node takes what was written.
	out, err := exec.Command(binary, "config", "check", "-config", filepath.Join(dir, "tutti.conf")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Enter takes the likely answer, ? explains, and the end is a few lines: what was written,
// what came of the checks, what is next.
func TestInitTakesTheLikelyAnswer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, "conf")
	s := begin(t, home, "--dir", dir, "--network", "offchain")
	s.say("What is this node to do? (default: 1) > ", "")
	s.say("Address at which gateways reach this node, host:port (default: 127.0.0.1:8935) > ", "?")
	s.say("A name lets the machine change its address", "127.0.0.1:18935")
	s.say("GPUs to transcode on: all, numbers such as 0,1, or cpu (default: cpu) > ", "")
	if status := s.status(); status != 0 {
		t.Errorf("status %d", status)
	}
	conf := read(t, filepath.Join(dir, "tutti.conf"))
	if !strings.Contains(conf, "\norchestrator\ntranscoder\n") || !strings.Contains(conf, "\nmaxSessions auto\n") {
		t.Error(conf)
	}
	_, end, _ := strings.Cut(s.shown(), "GPUs to transcode on")
	if lines := strings.Count(end, "\n"); lines > 10 || !strings.Contains(end, "Written: ") ||
		!strings.Contains(end, "Checked: ") || !strings.Contains(end, "tutti_cli status") {
		t.Errorf("%d lines at the end", lines)
	}
	if t.Failed() {
		t.Log(s.shown())
	}
}

// A check that fails is status 1, and is what to fix first.
func TestInitWithAFailingCheck(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cmd := exec.Command(binary, "init", "--yes", "--publicIPLookup", "none", "--dir", filepath.Join(home, "conf"),
		"--role", "orchestrator", "--network", "offchain", "--serviceAddr", taken.Addr().String(), "--gpu", "cpu")
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
	out, _ := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != 1 || !strings.Contains(string(out), "Fix first:\n  ListenFailed") {
		t.Errorf("status %d\n%s", status, out)
	}
}
