package node

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// readyIn is how long a GPU may take from the node's start until it gets sessions: its
// start-up test, and the driver's compiling before it.
const readyIn = 90 * time.Second

// form is how much a test does.
type form struct {
	source  clip.Options
	ladder  string
	streams int
	// segments is how many each stream has.
	segments int
}

// formOf is small on the simulated driver and in the short form; on a GPU the streams
// are of the size that gateways send. A GPU without encoder leaves encoding to the
// CPU, so that there the number of streams follows its cores.
func formOf(c *card.Card) form {
	f := form{
		source: clip.Options{Width: 640, Height: 360, Segments: 4, Bitrate: 600_000, Segment: time.Second / 2},
		ladder: ladder, streams: 3, segments: 3,
	}
	if !card.Full() {
		return f
	}
	f.source.Segment = time.Second
	if f.segments = 10; !c.Real() {
		return f
	}
	f.source = clip.Options{Width: 1920, Height: 1080, Segments: 4, Bitrate: 6_000_000, Segment: 2 * time.Second}
	f.ladder = "P720p30fps16x9,P360p30fps16x9,P240p30fps16x9,P144p30fps16x9"
	f.streams = 4
	if !c.Encodes {
		f.streams = max(1, min(f.streams, runtime.NumCPU()/4))
	}
	return f
}

// parallel lets tests run concurrently where nothing is measured: on a GPU they
// share its memory, and figures are wanted.
func parallel(t *testing.T, c *card.Card) {
	if !c.Real() && !card.Full() {
		t.Parallel()
	}
}

// leastTime is what a test of the node needs at the least on a GPU.
const leastTime = time.Minute

// late reports whether the time that the program has does not suffice for a test.
func late(t *testing.T) bool {
	if time.Until(card.Deadline(t, time.Hour)) > leastTime {
		return false
	}
	card.SkipCheck(t, t.Name(), "no time left")
	return true
}

// rig is a node on the GPU under test.
type rig struct {
	*node
	card     *card.Card
	form     form
	profiles []core.Profile
	// device is the GPU's worker by the name that the node gives it.
	device string
	// pid is the process that serves.
	pid     int
	numbers *numbers
	// took is the time from the start until the worker was ready.
	took time.Duration
}

// unusable is set once the GPU got no sessions: the tests that follow would all wait for
// that in vain.
var unusable atomic.Bool

// startOn starts a node on the GPU and waits until it gets sessions.
func startOn(t *testing.T, c *card.Card, f form, args ...string) *rig {
	t.Helper()
	return startBy(t, c, f, begin, args...)
}

// startBy is startOn with what begins the node.
func startBy(t *testing.T, c *card.Card, f form, begin func(t *testing.T, env []string, ladder string,
	args ...string) *node, args ...string) *rig {
	t.Helper()
	if unusable.Load() {
		card.SkipCheck(t, t.Name(), "the GPU got no sessions in an earlier test")
		t.SkipNow()
	}
	profiles, err := core.ParsePresets(f.ladder)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{card: c, form: f, profiles: profiles, device: "gpu " + strconv.Itoa(c.Index),
		numbers: &numbers{next: map[string]int{}}}
	pictures := generated(t, f.source)
	begun := time.Now()
	r.node = begin(t, c.Env(), f.ladder, append([]string{"-gpu", strconv.Itoa(c.Index)}, args...)...)
	r.segments, r.pid = pictures, r.proc.PID()
	_, ok := r.within(readyIn, r.ready)
	r.took = time.Since(begun)
	if !ok {
		unusable.Store(true)
		card.CheckThat(t, false, "the GPU gets sessions after the node's start", "within "+readyIn.String(), r.explain(),
			seconds(r.took))
		t.FailNow()
	}
	r.form.streams = r.bounded(f.streams)
	return r
}

// bounded is a number of streams that leaves the GPU an encoder and memory for one
// more.
func (r *rig) bounded(streams int) int {
	found := r.tested()
	if limit := int(found["encoders"]); limit > 0 {
		streams = min(streams, limit/len(r.profiles)-1)
	}
	if one := found["session MB"] + int64(len(r.profiles)-1)*found["rendition MB"]; one > 0 {
		streams = min(streams, int(r.card.Memory>>20*3/4/one)-1)
	}
	return max(1, streams)
}

// ready reports whether the GPU's worker gets sessions.
func (r *rig) ready() bool {
	w := r.look()
	return w != nil && w.State == "ready"
}

// look is the GPU's worker as the admin API shows it, nil when there is none.
func (r *rig) look() *adminapi.Worker {
	var all adminapi.Workers
	if r.read(adminapi.PathWorkers, &all) != nil {
		return nil
	}
	for i := range all.Workers {
		if all.Workers[i].Name == r.device {
			return &all.Workers[i]
		}
	}
	return nil
}

// explain is what the node says of a GPU that gets no sessions.
func (r *rig) explain() string {
	var all adminapi.Conditions
	if err := r.read(adminapi.PathConditions, &all); err != nil {
		return err.Error()
	}
	var says []string
	if w := r.look(); w != nil {
		says = append(says, strings.TrimSpace("the worker is "+w.State+" "+w.Code+" "+w.Reason))
	}
	for _, c := range all.Conditions {
		says = append(says, fmt.Sprintf("%s (%s): %s", c.Code, c.About, c.Detail))
	}
	if len(says) == 0 {
		return "no worker and no condition"
	}
	return strings.Join(says, "; ")
}

// condition is what the operator sees under a code, nil for nothing.
func (r *rig) conditionOf(code string) *adminapi.Condition {
	var all adminapi.Conditions
	if r.read(adminapi.PathConditions, &all) != nil {
		return nil
	}
	for i := range all.Conditions {
		if all.Conditions[i].Code == code {
			return &all.Conditions[i]
		}
	}
	return nil
}

// apiTime bounds a question to the admin API.
const apiTime = 10 * time.Second

// read reads a document of the admin API.
func (n *node) read(path string, into any) error {
	text, err := n.page(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// page is what the admin port answers.
func (n *node) page(path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(n.Context(), apiTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.admin+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := harness.Client().Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, resp.Status)
	}
	return text, err
}

// metric is the sum of a metric's series, and whether there are any.
func metric(page []byte, name string) (sum float64, found bool) {
	for line := range bytes.Lines(page) {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		if !ok || len(rest) == 0 || rest[0] != ' ' && rest[0] != '{' {
			continue
		}
		text := bytes.TrimSpace(rest[bytes.LastIndexByte(rest, ' ')+1:])
		if v, err := strconv.ParseFloat(string(text), 64); err == nil {
			sum, found = sum+v, true
		}
	}
	return sum, found
}

// logTime is how long what has happened may take until it is in the log.
const logTime = 3 * time.Second

// toolTime bounds a run of one of the programs.
const toolTime = 90 * time.Second

// cli runs tutti_cli on the node.
func (n *node) cli(args ...string) (text string, err error) {
	// Tables, whatever terminal the kit was started from.
	return n.output(tool, []string{"TERM=xterm"}, append([]string{"--url", "http://" + n.admin, "--token-file",
		filepath.Join(n.data, adminapi.TokenFile), "--no-color"}, args...)...)
}

// output runs a program to its end; the error has what it printed.
func (n *node) output(program string, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(n.Context(), toolTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(append(os.Environ(), "HOME="+n.TempDir()), env...)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args[max(0, len(args)-2):], " "), err,
			strings.TrimSpace(errs.String()))
	}
	return out.String(), err
}

// within waits until something holds, and reports how long that took.
func (n *node) within(limit time.Duration, holds func() bool) (time.Duration, bool) {
	begun := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Since(begun) > limit {
			return time.Since(begun), false
		}
		select {
		case <-tick.C:
		case <-n.Context().Done():
			return time.Since(begun), false
		}
	}
	return time.Since(begun), true
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func milliseconds(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
