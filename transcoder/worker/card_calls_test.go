package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/gpu/trace"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// envOut names the folder for files that the GPU kit brings home.
const envOut = "TUTTI_GPUKIT_OUT"

// TestCardSystemCalls records what a media worker asks of the system with the driver
// in it: what the sandbox refuses, and what a list of allowed calls would need.
func TestCardSystemCalls(t *testing.T) {
	r := openRig(t)
	gpu, refused := r.traced(t, true)
	if refused != "" {
		card.SkipCheck(t, "system calls of a GPU's worker", refused)
		return
	}
	examine(t, gpu)
	cpu, refused := r.traced(t, false)
	if refused != "" {
		card.SkipCheck(t, "system calls of the CPU's worker", refused)
		return
	}
	for _, phase := range []string{trace.Opening, trace.Entering, trace.Serving} {
		common := cpu.Phase(phase).Names()
		var own []string
		for _, name := range gpu.Phase(phase).Names() {
			if !slices.Contains(common, name) {
				own = append(own, name)
			}
		}
		card.RecordCheck(t, phase+": system calls that only a GPU's worker makes", strings.Join(own, " "),
			fmt.Sprintf("%d calls", len(own)))
	}
	keep(t, map[string]any{"card": r.Facts, "real": r.Real(), "gpu": gpu, "cpu": cpu})
}

// keep writes the whole record where the kit wants it.
func keep(t *testing.T, record any) {
	t.Helper()
	folder := os.Getenv(envOut)
	if folder == "" {
		return
	}
	b, err := json.MarshalIndent(record, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "walls-trace.json"), b, 0o644)
	}
	card.NoError(t, err, "writing walls-trace.json", fmt.Sprintf("%d kB", len(b)>>10))
}

// traced lets a worker do all kinds of work and returns its record, or why there is
// none.
func (r rig) traced(t *testing.T, gpu bool) (record trace.Trace, refused string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "trace.json")
	o := r.options(gpu)
	o.Cache = "" // what compiling kernels asks of the system belongs to it
	o.Args = []string{traceArg, out, "/proc/self/exe", "tutti", cardArg}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	begin := time.Now()
	c, err := worker.Start(ctx, o)
	if err != nil {
		if record, _ := trace.Read(out); record.Refused != "" {
			return record, record.Refused
		}
	}
	if !card.NoError(t, err, "starting a traced worker for "+o.Device, seconds(time.Since(begin))) {
		return record, "the worker did not start"
	}
	defer c.Close()
	missing := withheld(t, c)
	if gpu {
		r.workOnCard(t, c)
	} else {
		workOf(t, c, false, nil)
	}
	ask := func() trace.Trace {
		record, err := trace.Ask(ctx, c.Status().PID, out)
		if err != nil {
			card.NoError(t, err, "asking for the record of "+o.Device, "")
		}
		return record
	}
	// The driver has threads of its own: they get some time without work.
	heartbeats := func(t trace.Trace) int { return t.Phase(trace.Serving).Total("write", "writev", "sendmsg") }
	before := heartbeats(ask())
	if !strings.Contains(missing, "seccomp") {
		idle := eventually(t, 20*time.Second, func() bool {
			record = ask()
			return heartbeats(record) >= before+3
		})
		card.CheckThat(t, idle, "heartbeats of the idle worker for "+o.Device, "at least 3",
			fmt.Sprint(heartbeats(record)-before), "")
	}
	record = ask()
	status := c.Status()
	card.CheckThat(t, status.Restarts == 0, "worker for "+o.Device+" under the tracer", "never replaced",
		fmt.Sprintf("%d times replaced", status.Restarts), "")
	return record, ""
}

// workOnCard does the work and checks that the GPU did its part in the sandbox.
func (r rig) workOnCard(t *testing.T, c *worker.Client) {
	t.Helper()
	before := r.Read(t)
	least := workOf(t, c, r.Encodes, func() int64 { return r.Read(t).PicturesDecoded })
	now := r.Read(t).Since(before)
	card.CheckThat(t, now.PicturesDecoded >= least && now.DecodersCreated > 0,
		"frames decoded on the GPU in the sandbox",
		fmt.Sprintf("at least %d", least), fmt.Sprintf("%d by %d decoders", now.PicturesDecoded, now.DecodersCreated),
		fmt.Sprintf("%d frames", now.PicturesDecoded))
	card.CheckThat(t, now.Kernels > 0, "scaling on the GPU in the sandbox", "kernels started", fmt.Sprint(now.Kernels),
		fmt.Sprintf("%d kernels", now.Kernels))
	if r.Encodes {
		card.CheckThat(t, now.PicturesEncoded > 0 && now.EncodersOpened > 0,
			"frames encoded on the GPU in the sandbox",
			"some", fmt.Sprintf("%d by %d encoders", now.PicturesEncoded, now.EncodersOpened),
			fmt.Sprintf("%d frames", now.PicturesEncoded))
	} else {
		card.SkipCheck(t, "frames encoded on the GPU in the sandbox", "this GPU has no encoder")
	}
}

// workOf gives a worker segments of two sessions, and one that is broken. It returns
// how many frames of H.264 it had to decode. decoded counts those of the GPU, nil
// without one.
func workOf(t *testing.T, c *worker.Client, encodes bool, decoded func() int64) (pictures int64) {
	t.Helper()
	segments := []segment{{clip: smallClip, profiles: toSmall}, {clip: smallClip, profiles: toSmall}}
	if card.Full() {
		segments = append(segments, segment{clip: ordinaryClip, profiles: []core.Profile{ordinary, small}},
			segment{clip: "hevc.ts", profiles: toSmall}, segment{clip: "vp9.webm", profiles: toSmall},
			segment{clip: "vp8.webm", profiles: toSmall}, segment{clip: "h264_yuv420p10le.ts", profiles: toSmall},
			segment{clip: smallClip, profiles: toSmall})
		if encodes {
			segments = append(segments, segment{clip: smallClip, profiles: []core.Profile{smallHEVC}})
		}
	}
	for i, s := range segments {
		for _, session := range []string{"a", "b"} {
			var before int64
			if decoded != nil {
				before = decoded()
			}
			res, err := transcode(t, c, session, i, s)
			what := fmt.Sprintf("segment %d (%s to %s) of session %s in the worker for %s",
				i, s.clip, s.profiles[0].Name, session, c.Device())
			figure := ""
			if decoded != nil {
				figure = fmt.Sprintf("%d frames decoded on the GPU", decoded()-before)
			}
			if card.NoError(t, err, what, figure) && (s.clip == smallClip || s.clip == ordinaryClip) {
				pictures += int64(res.DecodedFrames)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), jobTime)
	defer cancel()
	broken := clip(t, ordinaryClip)
	for i := len(broken) / 4; i < len(broken)/2; i++ {
		broken[i] ^= byte(i)
	}
	_, err := c.Transcode(ctx, &core.TranscodeJob{Session: "a", Number: 90, Input: broken, Duration: time.Second,
		Profiles: toSmall})
	outcome := "transcoded as far as it goes"
	if err != nil {
		outcome = err.Error()
	}
	card.RecordCheck(t, "a broken segment in the worker for "+c.Device(), outcome, "")
	_, err = transcode(t, c, "a", 91, segments[0])
	card.NoError(t, err, "the segment after a broken one in the worker for "+c.Device(), "")
	c.EndSession("a")
	c.EndSession("b")
	return pictures
}

// forbidden are calls with which a worker could reach out.
var forbidden = []string{
	"socket", "socketpair", "connect", "bind", "listen", "accept4",
	"execve", "execveat", "fork", "vfork", "ptrace", "clone3", "kill", "mount",
}

// examine notes what a GPU's worker asked for, and checks that nothing got through
// that must not and nothing was refused that the driver needs.
func examine(t *testing.T, record trace.Trace) {
	t.Helper()
	// The driver is opened behind the first list of system calls, before the second.
	opening, serving := record.Phase(trace.Entering), record.Phase(trace.Serving)
	for _, p := range []trace.Phase{record.Phase(trace.Opening), opening, serving} {
		recordPhase(t, p)
	}
	if len(serving.Calls) == 0 {
		card.SkipCheck(t, "system calls in the sandbox", "no filter of system calls was loaded")
		return
	}
	var through []string
	for _, name := range forbidden {
		if n := serving.Succeeded(name); n > 0 {
			through = append(through, fmt.Sprintf("%s %d times", name, n))
		}
	}
	card.CheckThat(t, len(through) == 0, "serving: successes of "+strings.Join(forbidden, ", "), "none",
		strings.Join(through, ", "), "")
	processes := 0
	for _, e := range serving.Starts {
		var flags uint64
		if _, err := fmt.Sscanf(e.Detail, "0x%x", &flags); e.Call == "clone" && e.Result == trace.OK &&
			(err != nil || flags&unix.CLONE_THREAD == 0) {
			processes += e.Count
		}
	}
	card.CheckThat(t, processes == 0, "serving: processes made by clone", "none", fmt.Sprint(processes), "")
	for _, e := range refusedDevices(serving.Requests) {
		card.CheckThat(t, slices.ContainsFunc(opening.Requests, same(e)), "serving: request "+e.Detail+" to "+e.Path,
			"not refused, or refused before the sandbox was entered as well", e.Result, fmt.Sprintf("%d times", e.Count))
	}
	lost := refusedDevices(serving.Files)
	card.CheckThat(t, len(lost) == 0, "serving: files of the driver that were refused", "none", paths(lost),
		fmt.Sprintf("%d files", len(lost)))
}

// same finds an event that ended like another.
func same(as trace.Event) func(trace.Event) bool {
	return func(e trace.Event) bool { e.Count = as.Count; return e == as }
}

// refusedDevices are the events of the driver's nodes and libraries that ended with a
// lack of permission.
func refusedDevices(events []trace.Event) (out []trace.Event) {
	for _, e := range events {
		base := filepath.Base(e.Path)
		ofDriver := strings.HasPrefix(e.Path, "/dev/nvidia") || strings.HasPrefix(e.Path, "/dev/dri") ||
			strings.HasPrefix(base, "libcuda.so") || strings.HasPrefix(base, "libnv")
		if ofDriver && (e.Result == "EACCES" || e.Result == "EPERM") {
			out = append(out, e)
		}
	}
	return out
}

func paths(events []trace.Event) string {
	var out []string
	for _, e := range events {
		out = append(out, e.Path)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// recordPhase writes down what a phase consists of.
func recordPhase(t *testing.T, p trace.Phase) {
	t.Helper()
	names := p.Names()
	card.RecordCheck(t, p.Name+": system calls", strings.Join(names, " "),
		fmt.Sprintf("%d names, %d calls", len(names), p.Total()))
	refusals := p.Refusals("EPERM", "EACCES", "ENOSYS")
	for _, what := range slices.Sorted(maps.Keys(refusals)) {
		card.RecordCheck(t, p.Name+": refused", what, fmt.Sprintf("%d times", refusals[what]))
	}
	folders, system := make(map[string]int), make(map[string]int)
	requests, starts := make(map[string]int), make(map[string]int)
	for _, e := range p.Files {
		top, _, _ := strings.Cut(strings.TrimPrefix(e.Path, "/"), "/")
		folders["/"+top] += e.Count
		if top == "dev" || top == "proc" || top == "sys" {
			system[e.Path+" "+e.Result] += e.Count
		}
	}
	for _, e := range p.Requests {
		requests[e.Path+" "+e.Result] += e.Count
	}
	for _, e := range slices.Concat(p.Starts, p.Network) {
		starts[strings.Join(strings.Fields(e.Call+" "+e.Path+" "+e.Detail+" "+e.Result), " ")] += e.Count
	}
	card.RecordCheck(t, p.Name+": files by folder", counted(folders), fmt.Sprintf("%d folders", len(folders)))
	card.RecordCheck(t, p.Name+": files of the system", counted(system), fmt.Sprintf("%d files", len(system)))
	card.RecordCheck(t, p.Name+": ioctl requests by file", counted(requests), fmt.Sprintf("%d files", len(requests)))
	card.RecordCheck(t, p.Name+": threads, processes, programs, sockets", counted(starts),
		fmt.Sprintf("%d kinds", len(starts)))
}

// counted lists what happened how often.
func counted(times map[string]int) string {
	var out []string
	for _, what := range slices.Sorted(maps.Keys(times)) {
		out = append(out, fmt.Sprintf("%s (%d)", what, times[what]))
	}
	return strings.Join(out, ", ")
}
