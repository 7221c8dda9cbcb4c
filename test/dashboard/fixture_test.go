package dashboard

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/web"
	"github.com/tuttinode/tutti/test/coretest"
)

// node is a node with all parts of a dashboard, as the test says they are.
type node struct {
	*admin.Server
	board *health.Board
	token string
	begun time.Time

	mu      sync.Mutex
	streams int                 // guarded by mu, like what follows
	lines   []adminapi.LogEntry //
	limit   int
	drain   bool
	drained map[string]bool
	reason  string // why the video door is shut
}

// newNode starts one; it ends with the test.
func newNode(t *testing.T, onChain bool) *node {
	t.Helper()
	dir := t.TempDir()
	log := slog.New(slog.DiscardHandler)
	n := &node{begun: time.Now().Add(-26 * time.Hour), streams: 12, drained: map[string]bool{}}
	n.board = health.New(log, time.Now, map[fault.Code][]fault.Code{fault.NoDevices: {fault.NoTranscoders}})
	n.say("info", "node ready")
	opt := admin.Options{
		Access: admin.Access{DataDir: dir}, Listen: "127.0.0.1:0", Log: log, Orchestrator: true, MaxSessions: 40,
		Pages: web.OperatorPages(nil),
		Node: admin.Node{
			SetMaxSessions: n.SetMaxSessions, Verbosity: n, Conditions: n.board.Snapshot, Describe: n.Node, Drains: drains{n},
			LogTail: n.Lines, Settings: n.Settings,
		},
		Work: admin.Work{
			Workers: n, Explain: n.Explain, Gate: n.Gate, Sessions: n.Live, GPUs: n.GPUs, ModelStates: n.Models,
			Series: n.Points, SeriesStep: 5 * time.Second, Refusals: n.Refusals,
			Capabilities: capabilities{n}, Keys: &apiKeys{},
		},
	}
	if onChain {
		chain := coretest.NewChain(core.Address{0xaa, 19: 1}, core.Address{})
		opt.Chain = &admin.Chain{Rounds: chain, Stakes: chain, Settings: chain, Funds: chain, Actor: chain, Views: chain,
			Endpoints: n.Endpoints}
	}
	n.Server = admin.New(opt)
	n.run(t)
	text, err := os.ReadFile(filepath.Join(dir, adminapi.TokenFile))
	if err != nil {
		t.Fatal(err)
	}
	n.token = strings.TrimSpace(string(text))
	return n
}

func (n *node) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, result := make(chan struct{}), make(chan error, 1)
	go func() { result <- n.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-result:
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := <-result; err != nil {
			t.Error(err)
		}
	})
}

func (n *node) url() string { return "http://" + n.Addr().String() }

func (n *node) say(level, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, adminapi.LogEntry{Seq: uint64(len(n.lines) + 1), Time: time.Now().UTC(), Level: level,
		Text: text})
}

func (n *node) Node() adminapi.Node {
	return adminapi.Node{Version: "0.1.0", Roles: []string{"orchestrator", "transcoder", "aiWorker"},
		Network:        "arbitrum-one-mainnet",
		NetworkVersion: "0.9.1", Started: n.begun.UTC()}
}

func (n *node) Gate() adminapi.Gate {
	n.mu.Lock()
	defer n.mu.Unlock()
	video := adminapi.WorkKind{Name: "video", Open: n.reason == "", InUse: n.streams, Limit: 40, Reason: n.reason}
	if !video.Open {
		video.Code = string(fault.OrchestratorCapped)
	}
	return adminapi.Gate{Taking: true, WorkKinds: []adminapi.WorkKind{video, {Name: "AI", Open: true, InUse: 2, Limit: 6}}}
}

func (n *node) Live(most int) adminapi.Sessions {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := adminapi.Sessions{Total: n.streams, List: []adminapi.Session{}}
	for i := range min(n.streams, most) {
		s := adminapi.Session{
			ID: "9f2c" + strconv.Itoa(1000+i), Stream: "studio-" + strconv.Itoa(i+1),
			Peer: "0xc3C7c4C8f7061B7d6A72766Eee5359fE4F36e61E", Device: "gpu " + strconv.Itoa(i%2),
			Renditions: []string{"P720p30fps16x9", "P360p30fps16x9"}, PixelsPerSecond: 34_560_000, Ratio: 0.22 +
				0.01*float64(i), Segments: int64(400 + i), Since: n.begun.UTC(), Last: time.Now().UTC(),
		}
		if i == 0 {
			s.Ratio, s.Behind, s.Failed, s.LastCode = 1.31, true, 3, string(fault.TranscodeTimeout)
			out.Behind = 1
		}
		out.List = append(out.List, s)
	}
	return out
}

func (n *node) Workers() []adminapi.Worker {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := []adminapi.Worker{
		{Name: "gpu 0", Kind: "transcoder", State: "ready", Sessions: 6, Limit: 20, Segments: 2, Ratio: 0.21, Done: 48210,
			Since: n.begun, Models: []string{}},
		{Name: "gpu 1", Kind: "transcoder", State: "quarantined", Code: "WorkerDied",
			Reason: "the worker died three times in a row", Sessions: 0, Limit: 20, Ratio: 0.4, Done: 31877, Failed: 41,
			Since: n.begun, Models: []string{}},
		{Name: "rig7", Kind: "transcoder", Remote: true, Address: "192.0.2.17", State: "ready", Sessions: 6, Limit: 8,
			Segments: 1, Ratio: 0.35, Done: 9120, Since: n.begun, Models: []string{}},
	}
	for i := range out {
		if n.drained[out[i].Name] {
			out[i].State, out[i].Code, out[i].Reason = "draining", "DeviceDrained", "the operator drains it"
		}
	}
	return out
}

func (n *node) Drain(name string) error  { return n.mark(name, true) }
func (n *node) Resume(name string) error { return n.mark(name, false) }

func (n *node) mark(name string, drained bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drained[name] = drained
	return nil
}

// drains are the node's own.
type drains struct{ n *node }

func (d drains) Drain() adminapi.Drain {
	d.n.mu.Lock()
	defer d.n.mu.Unlock()
	if d.n.drain {
		return adminapi.Drain{Work: []adminapi.DrainWork{}, State: adminapi.DrainDraining, Sessions: d.n.streams, Jobs: 2}
	}
	return adminapi.Drain{Work: []adminapi.DrainWork{}, State: adminapi.DrainServing}
}

func (d drains) Begin(time.Duration, bool) error { return d.set(true) }
func (d drains) Cancel() error                   { return d.set(false) }

func (d drains) set(on bool) error {
	d.n.mu.Lock()
	defer d.n.mu.Unlock()
	d.n.drain = on
	return nil
}

func (n *node) GPUs() []adminapi.GPU {
	const gib = 1 << 30
	return []adminapi.GPU{
		{ID: "0", UUID: "GPU-1", Name: "NVIDIA RTX A4000", Memory: 16 * gib, Used: 11 * gib, Foreign: gib, Load: 38,
			Encoder: 71, Decoder: 40, EncoderSessions: 12, Temperature: 64, Sampled: true},
		{ID: "1", UUID: "GPU-2", Name: "NVIDIA RTX A4000", Memory: 16 * gib, Used: 2 * gib, Load: 3, Temperature: 83,
			Throttled: "temperature", Sampled: true},
	}
}

func (n *node) Models() []adminapi.Model {
	return []adminapi.Model{
		{Pipeline: "llm", Model: "meta-llama/Llama-3.1-8B-Instruct", State: "ready", Warm: true, Since: n.begun, Capacity: 4,
			InUse: 2, Waiting: 1, Devices: []string{"0"}},
		{Pipeline: "text-to-image", Model: "ByteDance/SDXL-Lightning", State: "loading", Since: n.begun,
			Progress: "42 % of 6.1 GB", Capacity: 2, Devices: []string{"1"}},
	}
}

// Points are a quarter of an hour of waves.
func (n *node) Points() []adminapi.Point {
	now := time.Now().Unix() / 5 * 5
	out := make([]adminapi.Point, 0, 179)
	for i := int64(179); i > 0; i-- {
		at := now - 5*i
		wave := math.Sin(float64(at)/60) + math.Sin(float64(at)/17)/3
		out = append(out, adminapi.Point{At: at, Segments: 30, Sessions: int64(10 + 3*wave), InHand: int64(4 + 2*wave),
			Pixels:        1_900_000_000,
			SegmentMedian: 420 + 60*wave, SegmentHigh: 900 + 180*wave, Ratio: 0.45 + 0.1*wave, Jobs: 3, FirstMedian: 180 +
				20*wave, FirstHigh: 420 + 90*wave,
			WaitHigh: max(0, 60*wave), Refused: max(0, int64(2*wave-1))})
	}
	return out
}

func (n *node) Refusals(int) []adminapi.Refusal {
	return []adminapi.Refusal{{Gateway: "0xc3C7c4C8f7061B7d6A72766Eee5359fE4F36e61E", Code: "OrchestratorCapped",
		About: "video", Count: 41, Last: time.Now(), Remedy: "Raise `-maxSessions`, or add a device."}}
}

func (n *node) Lines(most int) []adminapi.LogEntry {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]adminapi.LogEntry{}, n.lines[max(0, len(n.lines)-most):]...)
}

func (n *node) Settings() []adminapi.Option {
	return []adminapi.Option{
		{Name: "orchestrator", Value: "true", Origin: "flag -orchestrator", Changed: true},
		{Name: "maxSessions", Value: "40", Origin: "tutti.conf:3", Changed: true},
		{Name: "orchSecret", Value: "***", Origin: "env LP_ORCHSECRET", Changed: true},
		{Name: "pixelsPerUnit", Value: "1", Origin: "default"},
	}
}

func (n *node) Endpoints() []adminapi.Endpoint {
	return []adminapi.Endpoint{{Name: "arb1.example.org", State: "serving", Head: 291_311_007, LatencyMs: 48.2},
		{Name: "rpc.example.net", State: "lagging", Head: 291_310_911, Lag: 96, ErrorRate: 0.02, LatencyMs: 210,
			Detail: "96 blocks behind"}}
}

func (n *node) SetMaxSessions(limit int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.limit = limit
}

func (n *node) Verbosity() int { return 3 }

func (n *node) SetVerbosity(v int) error {
	if v > 99 {
		return errors.New("too much")
	}
	return nil
}

// Explain has one reason of each weight.
func (n *node) Explain(context.Context) adminapi.Explanation {
	return adminapi.Explanation{
		Summary: "No gateway found this node in the last day.", Since: n.begun.UTC(), Until: time.Now().UTC(),
		Findings: []adminapi.Finding{
			{Weight: "blocker", Says: "The port is closed", Evidence: []string{"connection refused from outside"},
				Remedy: "Open TCP port 8935 in the firewall.", Code: "PortClosed"},
			{Weight: "likely", Says: "The price is above what gateways take",
				Evidence: []string{"31 of 40 asked for at most 900 wei per pixel; the price is 1200"},
				Remedy:   "`tutti_cli price set` lowers it."},
			{Weight: "hint", Says: "Few models", Evidence: []string{"12 requests for a model that is not here"}},
		},
	}
}
