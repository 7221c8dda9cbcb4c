package metrics_test

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/metrics"
)

// promise is a series with its labels, besides the base labels, by roles.
type promise struct {
	kind   string
	labels []string
	roles  []string
}

// roles are the letters of docs/monitoring.md.
var roles = map[string]string{"O": metrics.Orchestrator, "T": metrics.Transcoder, "W": metrics.AIWorker,
	"B": metrics.Gateway}

var guideRow = regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| (counter|gauge|histogram) \\| ([^|]*) \\| ([^|]*) \\|$")

// guide reads what docs/monitoring.md promises, and its whole text.
func guide(t *testing.T) (map[string]promise, string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]promise)
	for _, row := range guideRow.FindAllStringSubmatch(string(text), -1) {
		p := promise{kind: row[2], roles: strings.Split(row[4], ", ")}
		for _, label := range strings.Split(row[3], ", ") {
			if label != "–" {
				p.labels = append(p.labels, strings.Trim(label, "`*"))
			}
		}
		slices.Sort(p.labels)
		out[row[1]] = p
	}
	return out, string(text)
}

// network reads the series of the existing network; some have other labels in one role.
func network(t *testing.T) map[string]map[string]promise {
	t.Helper()
	text, err := os.ReadFile("testdata/network.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]map[string]promise)
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) != 4 || f[0] == "#" {
			continue
		}
		p := promise{kind: f[1]}
		if f[2] != "-" {
			p.labels = strings.Split(f[2], ",")
		}
		if out[f[0]] == nil {
			out[f[0]] = make(map[string]promise)
		}
		for _, role := range strings.Split(f[3], ",") {
			out[f[0]][role] = p
		}
	}
	return out
}

// everything makes all series of all roles appear.
func everything(t *testing.T, perStream bool) *metrics.Metrics {
	t.Helper()
	m := metrics.New(metrics.Options{NodeID: "id", Version: "1", PerStream: perStream})
	models := func() []inference.ModelState {
		return []inference.ModelState{{Model: llama, State: inference.Ready, Capacity: 1}}
	}
	chain := func() metrics.ChainState { return metrics.ChainState{View: protocol.View{Known: true}} }
	prices := func() []pricing.ListedPrice {
		return []pricing.ListedPrice{{Wei: big.NewRat(1, 1)}, {Model: inference.Model{Capability: capability.LLM},
			Wei: big.NewRat(1, 1)}}
	}
	for _, role := range slices.Sorted(maps.Values(roles)) {
		exercise(m.Recorder(role), "stream")
	}
	live, err := m.LiveVideo(func() int { return 1 })
	errs := []error{err, m.WatchLiveCapacity(func() []metrics.LiveCapacity {
		return []metrics.LiveCapacity{{Model: llama, Orchestrator: "https://o:8935", Capacity: 2, InUse: 1}}
	})}
	live.FirstSegment(time.Second)
	for _, role := range []string{metrics.Orchestrator, metrics.Gateway} {
		ok, bad := figures(), figures()
		bad.Code = "ModelBusy"
		if role == metrics.Orchestrator {
			bad.Sender = gatewayAddress
		}
		r := m.Inference(role)
		r.JobDone(ok)
		r.JobDone(bad)
		r.ResultReceived(llama, time.Second, true)
		r.ResultReceived(llama, 0, false)
		errs = append(errs, m.WatchGas(role, chain), m.WatchPrices(role, prices))
	}
	pay(m.Tickets(metrics.Orchestrator, metrics.Gateway))
	errs = append(errs, m.WatchModels(metrics.Orchestrator,
		"https://o:8935", models), m.WatchModels(metrics.AIWorker, "o:8935", models),
		m.WatchOrchestrators(func() int { return 2 }), m.WatchGuards(guardChecks, answerCache), m.WatchBatches(batches),
		m.WatchRewards(func() protocol.RewardStatus { return protocol.RewardStatus{} }),
		m.WatchFunds(gatewayAddress, func(context.Context) (protocol.SenderFunds, error) {
			return protocol.SenderFunds{},
				nil
		}))
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return m
}

var (
	sample = regexp.MustCompile(`^livepeer_([a-z0-9_]+)\{(.*)\} `)
	label  = regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`)
)

// shown are the labels of the network's series in an exposition, by name and node type. Empty
// ones are as if they were not there.
func shown(text string, kinds map[string]promise) map[string]map[string][]string {
	out := make(map[string]map[string][]string)
	for line := range strings.Lines(text) {
		found := sample.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		name, role, labels := found[1], "", []string{}
		for _, one := range label.FindAllStringSubmatch(found[2], -1) {
			switch {
			case one[1] == "node_type":
				role = one[2]
			case one[1] != "node_id" && one[1] != "le" && one[2] != "":
				labels = append(labels, one[1])
			}
		}
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base := strings.TrimSuffix(name, suffix); kinds[base].kind == "histogram" {
				name = base
			}
		}
		slices.Sort(labels)
		if out[name] == nil {
			out[name] = make(map[string][]string)
		}
		if len(labels) >= len(out[name][role]) {
			out[name][role] = labels
		}
	}
	return out
}

// TestTheGuideIsKept compares what docs/monitoring.md promises with an exposition, and with
// the existing network's series.
func TestTheGuideIsKept(t *testing.T) {
	t.Parallel()
	promised, text := guide(t)
	for _, perStream := range []bool{false, true} {
		exposed := scrape(t, everything(t, perStream))
		have := shown(exposed, promised)
		for name, p := range promised {
			if name == "success_rate_per_stream" && !perStream {
				continue
			}
			if !strings.Contains(exposed, "# TYPE livepeer_"+name+" "+p.kind+"\n") {
				t.Errorf("%s is not there as a %s", name, p.kind)
				continue
			}
			for _, letter := range p.roles {
				p.check(t, name, letter, have[name], perStream)
			}
		}
		for name := range have {
			if _, ok := promised[name]; !ok {
				t.Errorf("livepeer_%s is not in docs/monitoring.md", name)
			}
		}
	}
	for name, byRole := range network(t) {
		p, ok := promised[name]
		if !ok {
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("%s of the network is not in docs/monitoring.md", name)
			}
			continue
		}
		for letter, want := range byRole {
			if p.kind != want.kind || !slices.Contains(p.roles, letter) {
				t.Errorf("%s is a %s of %q, in the network a %s of %s", name, p.kind, p.roles, want.kind, letter)
			}
			for _, l := range want.labels {
				if !slices.Contains(p.labels, l) {
					t.Errorf("%s has no label %s", name, l)
				}
			}
		}
	}
	if len(promised) < 60 {
		t.Errorf("%d series are promised", len(promised))
	}
}

// check compares a role's labels with what is promised.
func (p *promise) check(t *testing.T, name, letter string, have map[string][]string, perStream bool) {
	t.Helper()
	got, ok := have[roles[letter]]
	if !ok {
		t.Errorf("%s has no %s", letter, name)
		return
	}
	want := slices.DeleteFunc(slices.Clone(p.labels), func(l string) bool {
		return l == "manifest_id" && !perStream || l == "sender" && name == "ai_request_errors" && letter == "B"
	})
	if !slices.Equal(got, want) {
		t.Errorf("%s of %s has the labels %q, promised are %q", name, letter, got, want)
	}
}
