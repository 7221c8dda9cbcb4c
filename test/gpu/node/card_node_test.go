package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/harness"
)

// TestCardNode is the whole program on the GPU, from its start over several streams to
// workers that die and a drain.
func TestCardNode(t *testing.T) {
	c := card.Open(t)
	parallel(t, c)
	r := startOn(t, c, formOf(c))
	deadline := card.Deadline(t, time.Minute)
	for _, part := range []struct {
		name string
		run  func(*rig)
	}{
		{"start", (*rig).started},
		{"streams", (*rig).streams},
		{"tools", (*rig).tools},
		{"killed worker", (*rig).killed},
		{"halted worker", (*rig).halted},
		{"drain", (*rig).drained},
	} {
		t.Run(part.name, func(t *testing.T) {
			if time.Now().After(deadline) {
				card.SkipCheck(t, part.name, "no time left")
				return
			}
			part.run(r.in(t))
		})
	}
}

// in is the rig for a part of its test.
func (r *rig) in(t *testing.T) *rig {
	own, n := *r, *r.node
	n.T = t
	own.node = &n
	return &own
}

// logLag is how far behind the node the reader of its log may be.
const logLag = 10 * time.Second

// started looks at what the start-up test found and what the node offers.
func (r *rig) started() {
	card.CheckThat(r, true, "the GPU gets sessions after the node's start", "within "+readyIn.String(), "ready",
		seconds(r.took))
	found := r.tested()
	for end := time.After(logLag); found == nil; { // what reads the node's log may be behind
		select {
		case <-time.After(logLag / 100):
			found = r.tested()
			continue
		case <-end:
		}
		break
	}
	card.CheckThat(r, found != nil, "the log says what the start-up test found", "a line `a GPU was tested`",
		cut(fmt.Sprint(found)), "")
	if found != nil {
		session, rendition := found["session MB"], found["rendition MB"]
		card.CheckThat(r, session > 0 && rendition > 0 && session<<20 < r.card.Memory,
			"the start-up test measured what a session takes of the memory",
			"more than nothing, less than the GPU has", fmt.Sprintf("a session %d MiB, each further rendition %d MiB",
				session, rendition), "")
		limit := "the driver permits any number of encoders"
		if n := found["encoders"]; n > 0 {
			limit = fmt.Sprintf("the driver permits %d encoders", n)
		}
		if !r.card.Encodes {
			limit = "the GPU has no encoder"
		}
		card.RecordCheck(r, "encoder sessions", limit, "")
		card.CheckThat(r, r.card.Encodes || found["encoders"] == 0, "encoders are counted only where there are some",
			"0 without an encoder", strconv.FormatInt(found["encoders"], 10), "")
	}
	w := r.look()
	card.CheckThat(r, w != nil && w.State == "ready" && w.Kind == "transcoder" && !w.Remote && w.Failed == 0,
		"the admin API shows the GPU's worker",
		"ready, a transcoder of this machine, nothing failed", fmt.Sprintf("%+v", w), "")
	left := r.explain()
	for limit := time.Now().Add(10 * time.Second); left != "the worker is ready" && time.Now().Before(limit); {
		left = r.explain() // a condition of the start may pass a moment after the worker is ready
	}
	if w != nil {
		card.CheckThat(r, left == "the worker is ready", "conditions after the start", "none", left, "")
	}
	r.offered()
}

// testedLine is what the log says of a GPU's start-up test.
var testedLine = regexp.MustCompile(`a GPU was tested .*`)

// tested are the numbers of the last start-up test's line in the log, nil without one.
func (r *rig) tested() map[string]int64 {
	lines := testedLine.FindAllString(r.proc.Log(), -1)
	if len(lines) == 0 {
		return nil
	}
	out := map[string]int64{}
	for _, key := range []string{"encoders", "session MB", "rendition MB"} {
		at := regexp.MustCompile(`"?` + key + `"?=(\d+)`).FindStringSubmatch(lines[len(lines)-1])
		if at == nil {
			return nil
		}
		n, err := strconv.ParseInt(at[1], 10, 64)
		if err != nil {
			return nil
		}
		out[key] = n
	}
	return out
}

// offered looks at the capabilities that gateways are offered.
func (r *rig) offered() {
	resp, err := harness.Client().Get("https://" + r.service + "/status")
	var page struct {
		State        string
		Capabilities []string
	}
	if err == nil {
		defer resp.Body.Close()
		err = json.NewDecoder(resp.Body).Decode(&page)
	}
	if !card.NoError(r, err, "the public status page", "") {
		return
	}
	card.CheckThat(r, page.State == "serving", "the public status page", "serving", page.State, "")
	has := func(name string) bool { return slices.Contains(page.Capabilities, name) }
	// Maxwell GPUs, the compute capabilities 5, do not all decode HEVC.
	card.CheckThat(r, has("H.264") && (has("HEVC decode") || strings.HasPrefix(r.card.Compute, "5.")),
		"capabilities that every GPU since Pascal has", "H.264, HEVC decode", strings.Join(page.Capabilities, ", "),
		fmt.Sprintf("%d capabilities", len(page.Capabilities)))
	if !r.card.Encodes {
		card.CheckThat(r, !has("HEVC encode"), "a GPU without encoder does not offer to encode HEVC", "no HEVC encode",
			strings.Join(page.Capabilities, ", "), "")
	}
	for _, name := range []string{"HEVC encode", "VP8 decode", "VP9 decode", "H264 Decode YUV420 10-bit"} {
		card.RecordCheck(r, "offered: "+name, fmt.Sprint(has(name)), "")
	}
}

// streams pushes several at once and looks at the node's own figures meanwhile.
func (r *rig) streams() {
	names := r.admitted(r.form.streams)
	before := r.look()
	all := r.films(names, r.form.segments)
	for _, f := range all {
		f.answered(2)
	}
	r.figures(len(all))
	var done outcomes
	for _, f := range all {
		done = append(done, f.wait()...)
	}
	r.whole(fmt.Sprintf("%d streams at once", len(all)), done)
	_, slowest := done.times()
	limit := r.form.source.Segment
	if !r.card.Real() {
		// The simulated driver is no measure of speed, only of what does not end.
		limit = core.WorkDeadline(limit)
	}
	card.CheckThat(r, slowest > 0 && slowest < limit, "the slowest answer",
		"less than "+limit.String()+" for a segment of "+r.form.source.Segment.String(),
		milliseconds(slowest), fmt.Sprintf("%.1f times real time", float64(r.form.source.Segment)/float64(max(slowest,
			1))))
	after := r.look()
	if before == nil || after == nil {
		card.CheckThat(r, false, "the worker's counters", "a worker", "none", "")
		return
	}
	counted, failed := after.Done-before.Done, after.Failed-before.Failed
	card.CheckThat(r, counted >= int64(len(done)) && failed == 0, "the worker counts what it did",
		fmt.Sprintf("%d done, 0 failed", len(done)),
		fmt.Sprintf("%d done, %d failed", counted, failed), fmt.Sprintf("%.2f of real time per segment", after.Ratio))
}

// tools are the programs that operators run alongside the node.
func (r *rig) tools() {
	text, err := r.cli("workers")
	if card.NoError(r, err, "tutti_cli workers", "") {
		var row string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimSpace(line), r.device) {
				row = strings.Join(strings.Fields(line), " ")
			}
		}
		card.CheckThat(r, strings.Contains(row, "transcoder ready"), "tutti_cli workers shows the GPU",
			r.device+" transcoder ready …", row, "")
	}
	text, err = r.cli("--json", "conditions")
	var all adminapi.Conditions
	if err == nil {
		err = json.Unmarshal([]byte(text), &all)
	}
	if card.NoError(r, err, "tutti_cli conditions", "") {
		others := slices.DeleteFunc(all.Conditions,
			func(c adminapi.Condition) bool { return c.Code == "OrchestratorCapped" })
		card.CheckThat(r, len(others) == 0, "conditions alongside streams", "none but that there is no room for more",
			cut(fmt.Sprintf("%+v", others)), "")
	}
	r.doctor()
}

// doctor runs `tutti doctor` alongside the node, with the node's own flags.
func (r *rig) doctor() {
	text, err := r.output(binary, r.card.Env(), append([]string{"doctor", "-json"}, r.args...)...)
	var report struct {
		Status  string
		Running bool
		Results []struct {
			Name, Status, Code string
			Evidence           []string
		}
	}
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		err = nil // the report says more than the status
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &report)
	}
	if !card.NoError(r, err, "tutti doctor alongside the node", "") {
		return
	}
	card.CheckThat(r, report.Running, "tutti doctor finds the running node", "true", fmt.Sprint(report.Running), "")
	var failed []string
	cards := 0
	for _, c := range report.Results {
		says := strings.TrimSpace(fmt.Sprintf("%s %s: %s", c.Name, c.Code, strings.Join(c.Evidence, "; ")))
		switch {
		case c.Status == "fail":
			failed = append(failed, says)
		case c.Status == "warn":
			card.RecordCheck(r, "tutti doctor warns", cut(says), "")
		case c.Status == "pass" && strings.HasPrefix(c.Name, "gpu."):
			cards++
		}
	}
	card.CheckThat(r, len(failed) == 0, "tutti doctor alongside the node", "no check fails",
		cut(strings.Join(failed, " | ")), fmt.Sprintf("%d checks", len(report.Results)))
	card.CheckThat(r, cards > 0, "tutti doctor looks at the GPU", "at least one check of the GPU passes",
		fmt.Sprintf("%d pass", cards), "")
}
