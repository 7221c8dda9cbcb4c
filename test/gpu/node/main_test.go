package node

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// binary is the tutti under test and tool its tutti_cli, built once.
var binary, tool string

// atOnce is how many tests run concurrently on the simulated driver: most of them
// wait for streams in real time.
const atOnce = "5"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == runnerArg {
		os.Exit(playRunner(os.Stdin, os.Stdout))
	}
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(harness.Main(build, m.Run))
}

func build(dir string) (err error) {
	if binary, err = harness.Build(dir); err == nil {
		tool, err = harness.BuildTool(dir)
	}
	return err
}

// node is an orchestrator with GPUs and a gateway, off-chain.
type node struct {
	*testing.T
	proc                    *harness.Process
	admin, gateway, service string
	data                    string   // the data directory
	args                    []string // the command line without the program
	segments                []clip.Segment
}

// ladder is what a gateway asks for in these tests.
const ladder = "P144p30fps16x9,P240p30fps16x9"

// start runs orchestrator, transcoder and gateway in one process.
func start(t *testing.T, env []string, args ...string) *node {
	t.Helper()
	n := begin(t, env, ladder, args...)
	n.segments = segments(t)
	return n
}

// begin is start for another ladder, without segments to push.
func begin(t *testing.T, env []string, ladder string, args ...string) *node {
	t.Helper()
	n := &node{T: t, admin: harness.Address(t), gateway: harness.Address(t), service: harness.Address(t),
		data: t.TempDir()}
	return n.run(env, append([]string{"-gateway", "-gatewayAddr", n.gateway, "-transcodingOptions", ladder},
		args...)...)
}

// beginApart is begin with the gateway in a process of its own.
func beginApart(t *testing.T, env []string, ladder string, args ...string) *node {
	t.Helper()
	n := &node{T: t, admin: harness.Address(t), gateway: harness.Address(t), service: harness.Address(t),
		data: t.TempDir()}
	n.run(env, args...)
	gateway := harness.Start(t, binary, "-gateway", "-orchAddr", n.service, "-httpAddr", n.gateway, "-cliAddr",
		harness.Address(t),
		"-dataDir", t.TempDir(), "-transcodingOptions", ladder, "-v", "6")
	gateway.WaitHTTP("http://" + n.gateway + "/healthz")
	return n
}

// run starts the process with the GPU.
func (n *node) run(env []string, args ...string) *node {
	n.Helper()
	n.args = append([]string{"-orchestrator", "-transcoder", "-serviceAddr", n.service, "-cliAddr", n.admin, "-dataDir",
		n.data, "-v", "6", "-monitor"}, args...)
	n.proc = harness.StartIn(n.T, binary, env, n.args...)
	n.proc.WaitHTTP("http://" + n.admin + "/healthz")
	return n
}

// worker is a device as the admin API shows it, nil when there is none of the name.
func (n *node) worker(name string) *adminapi.Worker {
	_, body := harness.Get(n.T, "http://"+n.admin+adminapi.PathWorkers)
	var all adminapi.Workers
	if err := json.Unmarshal(body, &all); err != nil {
		n.Fatal(err)
	}
	for i := range all.Workers {
		if all.Workers[i].Name == name {
			return &all.Workers[i]
		}
	}
	return nil
}

// ready waits until a device gets sessions.
func (n *node) ready(name string) *adminapi.Worker {
	n.Helper()
	n.proc.Wait(name+" to be ready", 3*time.Minute, func() bool {
		w := n.worker(name)
		return w != nil && w.State == "ready"
	})
	return n.worker(name)
}

// push sends a segment and looks at what came back.
func (n *node) push(stream string, number int) error {
	n.Helper()
	s := n.segments[number%len(n.segments)]
	got, err := harness.Push("http://"+n.gateway, stream, fmt.Sprintf("%d.ts", number), s.Data, s.Duration)
	if err != nil {
		return err
	}
	if len(got) != 2 {
		return fmt.Errorf("%d renditions", len(got))
	}
	for i, size := range [][2]int{{256, 144}, {426, 240}} {
		report, err := libav.Inspect(n.Context(), got[i].Data)
		if err != nil {
			return err
		}
		v := report.Video
		if v == nil || len(v.Frames) != 30 || v.Frames[0].Width != size[0] || v.Frames[0].Height != size[1] ||
			!v.Frames[0].Key {
			return fmt.Errorf("rendition %d is not %v: %+v", i, size, v)
		}
	}
	return nil
}

// condition waits until the operator sees a code.
func (n *node) condition(code string) adminapi.Condition {
	n.Helper()
	var found adminapi.Condition
	n.proc.Wait("the condition "+code, 2*time.Minute, func() bool {
		_, body := harness.Get(n.T, "http://"+n.admin+adminapi.PathConditions)
		var all adminapi.Conditions
		if err := json.Unmarshal(body, &all); err != nil {
			n.Fatal(err)
		}
		for _, c := range all.Conditions {
			if strings.EqualFold(string(c.Code), code) {
				found = c
				return true
			}
		}
		return false
	})
	return found
}

// segments is one second pieces of a test pattern, 30 frames each.
func segments(t *testing.T) []clip.Segment {
	t.Helper()
	return generated(t, clip.Options{Width: 640, Height: 360, Segments: 4, Bitrate: 600_000, Segment: time.Second})
}

func generated(t *testing.T, o clip.Options) []clip.Segment {
	t.Helper()
	out, err := clip.GenerateAll(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
