package worker_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// Names of walls as a client gives them where they are missing.
const (
	wallCalls   = "seccomp"
	wallFiles   = "Landlock"
	wallRights  = "dropping capabilities"
	wallNetwork = "network namespace"
	wallUser    = "user"
)

// attempt is something that a wall refuses.
type attempt struct{ what, wall string }

func attempts(address, secret string) []attempt {
	parent := strconv.Itoa(os.Getpid())
	return []attempt{
		{"dial " + address, wallCalls}, {"listen", wallCalls}, {"unix", wallCalls},
		{"exec", wallCalls}, {"kill " + parent, wallCalls}, {"signal-thread " + parent, wallCalls},
		{"trace " + parent, wallCalls}, {"mount", wallCalls},
		{"read " + secret, wallFiles}, {"read /etc/shadow", wallFiles}, {"read /etc/passwd", wallFiles},
		{"list /", wallFiles}, {"list /proc", wallFiles}, {"list " + filepath.Dir(secret), wallFiles},
		{"read /proc/" + parent + "/environ", wallFiles}, {"read /proc/" + parent + "/cmdline", wallFiles},
		{"write " + secret, wallFiles}, {"write /tmp/tutti-worker-test", wallFiles},
		{"write /dev/shm/tutti-worker-test", wallFiles},
	}
}

// TestCardWalls asks a worker that has the driver loaded, and has used it, to break
// out. What the system does not provide has to be named.
func TestCardWalls(t *testing.T) {
	r := openRig(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("key"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := startCard(t, "starting a worker", r.options(true))
	s := segment{clip: smallClip, profiles: toSmall}
	_, err = transcode(t, c, "a", 0, s)
	card.NoError(t, err, "a segment before the attempts to break out", "")
	missing := withheld(t, c)
	degraded := c.Degraded()
	named := len(c.Status().Missing) == 0 && degraded == nil ||
		degraded != nil && strings.Contains(degraded.Error(), missing)
	card.CheckThat(t, named, "condition of the sandbox", "names every wall that is missing", fmt.Sprint(degraded), "")
	for _, a := range attempts(l.Addr().String(), secret) {
		verb, path, _ := strings.Cut(a.what, " ")
		needed := path
		if verb == "write" {
			needed = filepath.Dir(path)
		}
		if _, err := os.Stat(needed); (verb == "read" || verb == "list" || verb == "write") && err != nil {
			card.SkipCheck(t, "inside the worker: "+a.what, "not on this machine")
			continue
		}
		stderr := answer(t, c, a.what)
		stopped, expected := refused(stderr), "refused"
		if strings.Contains(missing, a.wall) {
			expected = "refused, or the wall is named as missing"
			stopped = true
		}
		card.CheckThat(t, stopped, "inside the worker: "+a.what, expected, stderr, "")
	}
	for _, what := range []string{"memfd", "name cuda-EvtHandlr", "read /proc/self/maps", "write /dev/null"} {
		stderr := answer(t, c, what)
		card.CheckThat(t, stderr == "done", "inside the worker: "+what, "possible, as drivers need it", stderr, "")
	}
	fromOutside(t, c, missing)
	before := r.Read(t).PicturesDecoded
	_, err = transcode(t, c, "a", 1, s)
	card.NoError(t, err, "a segment after the attempts to break out", "")
	card.CheckThat(t, r.Read(t).PicturesDecoded > before, "its pictures were decoded on the card", "more than before",
		fmt.Sprint(r.Read(t).PicturesDecoded-before), "")
}

// fromOutside looks at a worker's process as the system shows it: every thread has to
// be within the walls, also those of the driver that were there before them.
func fromOutside(t *testing.T, c *worker.Client, missing string) {
	t.Helper()
	process := "/proc/" + strconv.Itoa(c.Status().PID)
	threads, err := filepath.Glob(process + "/task/*/status")
	if err != nil || len(threads) == 0 {
		card.CheckThat(t, false, "threads of the worker", "can be read", fmt.Sprint(err), "")
		return
	}
	for _, field := range []struct{ name, want, wall string }{
		{"Seccomp:", "2", wallCalls}, {"NoNewPrivs:", "1", wallRights}, {"CapEff:", "0000000000000000", wallRights},
		{"CapPrm:", "0000000000000000", wallRights},
	} {
		if strings.Contains(missing, field.wall) {
			card.SkipCheck(t, field.name+" of the worker's threads", "this system withholds it: "+missing)
			continue
		}
		bad, read := 0, 0
		example := field.want
		for _, thread := range threads {
			status, err := os.ReadFile(thread)
			if err != nil {
				continue // it has ended
			}
			read++
			if got := fieldOf(string(status), field.name); got != field.want {
				bad++
				example = fieldOf(string(status), "Name:") + ": " + got
			}
		}
		card.CheckThat(t, bad == 0 && read > 0, field.name+" of the worker's threads, the driver's own included",
			field.want,
			fmt.Sprintf("%s, %d of %d otherwise", example, bad, read), fmt.Sprintf("%d threads", read))
	}
	for _, space := range []struct{ name, wall string }{{"net", wallNetwork}, {"ipc", wallNetwork},
		{"user", wallUser}} {
		ours, err := os.Readlink("/proc/self/ns/" + space.name)
		theirs, other := os.Readlink(process + "/ns/" + space.name)
		switch {
		case err != nil || other != nil:
			card.SkipCheck(t, "namespace "+space.name, fmt.Sprint("cannot be read: ", err, " ", other))
		case strings.Contains(missing, space.wall):
			card.RecordCheck(t, "namespace "+space.name, "withheld by this system, and named", "")
		default:
			card.CheckThat(t, ours != theirs, "namespace "+space.name, "not that of the node", theirs, "")
		}
	}
}

func fieldOf(status, name string) string {
	for line := range strings.Lines(status) {
		if v, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
