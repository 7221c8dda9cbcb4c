//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience is how long an expected text may take on a busy machine.
const patience = 30 * time.Second

// screen is the tool on a terminal of its own.
type screen struct {
	t      *testing.T
	tty    *os.File
	cmd    *exec.Cmd
	exited chan error

	mu   sync.Mutex
	text string
	at   int
	more chan struct{}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]")

// start runs the tool on a terminal of some columns.
func start(t *testing.T, f *fakeNode, columns int, env []string, args ...string) *screen {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return begin(t, columns, env, program, append([]string{"--url", f.url}, args...)...)
}

// startShell runs a script that finds the tool in $TOOL.
func startShell(t *testing.T, script string, env ...string) *screen {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return begin(t, 200, append(env, "TOOL="+program), "/bin/sh", "-ic", script)
}

func begin(t *testing.T, columns int, env []string, program string, args ...string) *screen {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append([]string{asTool + "=1", "TUTTI_ADMIN_TOKEN=" + fakeToken, "TERM=xterm", "HOME=" + t.TempDir(),
		"GOCOVERDIR=" + t.TempDir(),
		// The race detector waits a second at the end of a process unless this variable forbids it.
		"GORACE=atexit_sleep_ms=0"}, env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: uint16(columns)})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, tty: tty, cmd: cmd, exited: make(chan error, 1), more: make(chan struct{}, 1)}
	var reading sync.WaitGroup
	reading.Go(s.read)
	go func() {
		reading.Wait()
		s.exited <- cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		reading.Wait()
		_ = tty.Close()
	})
	return s
}

// read takes in what is shown until the program's end closes the terminal.
func (s *screen) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := s.tty.Read(buffer)
		s.mu.Lock()
		s.text += string(buffer[:n])
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

// seen is what is shown after the last match, without colors.
func (s *screen) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(escapes.ReplaceAllString(s.text, ""), "\r", "")[s.at:]
}

// expect waits until a text is shown, and goes behind it.
func (s *screen) expect(text string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	for {
		seen := s.seen()
		if i := strings.Index(seen, text); i >= 0 {
			s.mu.Lock()
			s.at += i + len(text)
			s.mu.Unlock()
			return
		}
		select {
		case <-s.more:
		case <-ctx.Done():
			s.t.Fatalf("%q did not come; shown is\n%s", text, seen)
		}
	}
}

// say types a line once its question is shown.
func (s *screen) say(question, line string) {
	s.t.Helper()
	s.expect(question)
	s.write(line + "\n")
}

func (s *screen) write(text string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// status waits for the end.
func (s *screen) status() int {
	s.t.Helper()
	select {
	case err := <-s.exited:
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return exit.ExitCode()
		}
		if err != nil {
			s.t.Fatal(err)
		}
		return 0
	case <-time.After(patience):
		s.t.Fatalf("it goes on; shown is\n%s", s.seen())
	}
	return -1
}

// choose types the number that stands before an entry of the menu.
func (s *screen) choose(entry string) {
	s.t.Helper()
	s.expect("What would you like to do?")
	s.mu.Lock()
	from := s.at
	s.mu.Unlock()
	s.expect("Choose a number > ")
	s.mu.Lock()
	menu := strings.ReplaceAll(escapes.ReplaceAllString(s.text, ""), "\r", "")[from:]
	s.mu.Unlock()
	for _, line := range strings.Split(menu, "\n") {
		if number, name, ok := strings.Cut(strings.TrimSpace(line), ". "); ok && name == entry {
			s.write(number + "\n")
			return
		}
	}
	s.t.Fatalf("there is no entry %q in\n%s", entry, menu)
}

// sane reports whether the terminal shows what is typed and reads lines.
func (s *screen) sane() bool {
	s.t.Helper()
	flags, err := unix.IoctlGetTermios(int(s.tty.Fd()), ioctlGetTermios)
	if err != nil {
		s.t.Fatal(err)
	}
	return flags.Lflag&unix.ECHO != 0 && flags.Lflag&unix.ICANON != 0
}
