package ledgercrash

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/postgres"
)

// perLife is how far apart the payments of two lives are.
const perLife = 100_000

// life is one process, from its start to its kill.
type life struct {
	epoch       int
	clean       bool
	problems    []string
	has         map[int64][2]int64
	asked, done map[int64]bool
}

// TestKills kills a real process with real files, again and again. Each next one
// reports what it finds.
func TestKills(t *testing.T) {
	t.Parallel()
	killing(t, t.TempDir(), setting(t, "TUTTI_LEDGERCRASH_KILLS", 30), func(int) {})
}

// TestKillsOnPostgres does the same on PostgreSQL, and after every third kill the
// server is killed too.
func TestKillsOnPostgres(t *testing.T) {
	t.Parallel()
	dir, err := postgres.Directory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := postgres.New(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(true) })
	killing(t, server.Database(t)+"&book=crash", setting(t, "TUTTI_LEDGERCRASH_KILLS", 30)/2, func(n int) {
		if n%3 != 2 {
			return
		}
		server.Stop(true)
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	})
}

// killing kills a process that writes the books of a directory, or of a database.
func killing(t *testing.T, dir string, kills int, between func(n int)) {
	t.Helper()
	seed := uint64(setting(t, "TUTTI_LEDGERCRASH_SEED", 1))
	r := rand.New(rand.NewPCG(seed, 1))
	program := filepath.Join(t.TempDir(), "appender")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program,
		"./appender").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	asked, done := make(map[int64]bool), make(map[int64]bool)
	for n := range kills + 1 {
		l := live(t, program, dir, int64(n)*perLife, n%4, time.Duration(r.Int64N(int64(30*time.Millisecond))))
		if l.epoch != n+1 || l.clean != (n == 0) {
			t.Fatalf("life %d: epoch %d, clean %v", n, l.epoch, l.clean)
		}
		for _, p := range l.problems {
			t.Errorf("life %d: %s", n, p)
		}
		compare(t, n, l.has, asked, done)
		between(n)
		if t.Failed() {
			return
		}
		for p := range l.asked {
			asked[p] = true
		}
		for p := range l.done {
			done[p] = true
		}
	}
	if len(done) < kills {
		t.Errorf("%d kills, and only %d payments were answered", kills, len(done))
	}
	t.Logf("%d kills, %d payments answered, %d more asked", kills, len(done), len(asked)-len(done))
}

// compare checks what a process found against what those before it had said.
func compare(t *testing.T, n int, has map[int64][2]int64, asked, done map[int64]bool) {
	t.Helper()
	for p := range asked {
		want := [2]int64{p%5 + 1, 0}
		if p%3 == 0 {
			want[1] = 1
		}
		got, ok := has[p]
		if done[p] && got != want || ok && got != want {
			t.Errorf("life %d: payment %d (answered: %v) has %v tickets and winners, not %v", n, p, done[p], got, want)
		}
	}
	for p := range has {
		if !asked[p] {
			t.Errorf("life %d: payment %d is there without a sender", n, p)
		}
	}
}

// live starts a process and kills it some time after as many payments were answered.
func live(t *testing.T, program, dir string, first int64, answers int, after time.Duration) life {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, dir, fmt.Sprint(first))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := life{has: make(map[int64][2]int64), asked: make(map[int64]bool), done: make(map[int64]bool)}
	ready := l.read(t, out, answers, func() {
		time.AfterFunc(after, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	})
	_ = cmd.Wait() // it was killed
	if !ready || stderr.Len() > 0 {
		t.Fatalf("the process ended by itself: %s", stderr.String())
	}
	return l
}

// read takes what a process says, until it is dead, and calls paid once the process is
// ready and as many payments were answered. A line that was cut off counts as not said.
func (l *life) read(t *testing.T, out io.Reader, answers int, paid func()) (ready bool) {
	t.Helper()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return ready
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var n int64
		var has [2]int64
		switch word {
		case "epoch":
			_, err = fmt.Sscan(rest, &l.epoch, &l.clean)
		case "problem":
			l.problems = append(l.problems, rest)
		case "has":
			_, err = fmt.Sscan(rest, &n, &has[0], &has[1])
			l.has[n] = has
		case "ready":
			ready = true
			if answers == 0 {
				paid()
			}
		case "ask":
			_, err = fmt.Sscan(rest, &n)
			l.asked[n] = true
		case "done":
			_, err = fmt.Sscan(rest, &n)
			l.done[n] = true
			if len(l.done) == answers {
				paid()
			}
		default:
			t.Errorf("unknown line %q", line)
		}
		if err != nil {
			t.Errorf("line %q: %v", line, err)
		}
	}
}
