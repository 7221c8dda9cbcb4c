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

// Names of restrictions in a client's list of missing ones.
const (
	restrictCalls   = "seccomp"
	restrictFiles   = "Landlock"
	restrictRights  = "dropping capabilities"
	restrictNetwork = "network namespace"
	restrictUser    = "user"
)

// attempt is something that a restriction refuses.
type attempt struct{ what, restriction string }

func attempts(address, secret string) []attempt {
	parent := strconv.Itoa(os.Getpid())
	return []attempt{
		{"dial " + address, restrictCalls}, {"listen", restrictCalls}, {"unix", restrictCalls},
		{"exec", restrictCalls}, {"kill " + parent, restrictCalls}, {"signal-thread " + parent, restrictCalls},
		{"trace " + parent, restrictCalls}, {"mount", restrictCalls},
		{"read " + secret, restrictFiles}, {"read /etc/shadow", restrictFiles}, {"read /etc/passwd", restrictFiles},
		{"list /", restrictFiles}, {"list /proc", restrictFiles}, {"list " + filepath.Dir(secret), restrictFiles},
		{"read /proc/" + parent + "/environ", restrictFiles}, {"read /proc/" + parent + "/cmdline", restrictFiles},
		{"write " + secret, restrictFiles}, {"write /tmp/tutti-worker-test", restrictFiles},
		{"write /dev/shm/tutti-worker-test", restrictFiles},
	}
}

// TestCardSandbox asks a worker that has the driver loaded, and has used it, to break
// out. What the system does not provide has to be named.
func TestCardSandbox(t *testing.T) {
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
	card.CheckThat(t, named, "condition of the sandbox", "names every missing restriction", fmt.Sprint(degraded), "")
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
		if strings.Contains(missing, a.restriction) {
			expected = "refused, or the restriction is named as missing"
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
	card.CheckThat(t, r.Read(t).PicturesDecoded > before, "its frames were decoded on the GPU", "more than before",
		fmt.Sprint(r.Read(t).PicturesDecoded-before), "")
}

// fromOutside looks at a worker's process as the system shows it: every thread has to
// be in the sandbox, also those that the driver started before.
func fromOutside(t *testing.T, c *worker.Client, missing string) {
	t.Helper()
	process := "/proc/" + strconv.Itoa(c.Status().PID)
	threads, err := filepath.Glob(process + "/task/*/status")
	if err != nil || len(threads) == 0 {
		card.CheckThat(t, false, "threads of the worker", "can be read", fmt.Sprint(err), "")
		return
	}
	for _, field := range []struct{ name, want, restriction string }{
		{"Seccomp:", "2", restrictCalls}, {"NoNewPrivs:", "1", restrictRights},
		{"CapEff:", "0000000000000000", restrictRights}, {"CapPrm:", "0000000000000000", restrictRights},
	} {
		if strings.Contains(missing, field.restriction) {
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
	for _, space := range []struct{ name, restriction string }{
		{"net", restrictNetwork}, {"ipc", restrictNetwork}, {"user", restrictUser},
	} {
		ours, err := os.Readlink("/proc/self/ns/" + space.name)
		theirs, other := os.Readlink(process + "/ns/" + space.name)
		switch {
		case err != nil || other != nil:
			card.SkipCheck(t, "namespace "+space.name, fmt.Sprint("cannot be read: ", err, " ", other))
		case strings.Contains(missing, space.restriction):
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
