package liverunner_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
)

func TestRecordedStaticRegistration(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	p := placeholders{
		values: make(map[string]string), replaced: map[string]string{"http://runner.test:9000": runner.URL},
	}
	base := `"health_url":"` + runner.URL + `/health","runner_url":"` + runner.URL
	ids := n.register(t, `{"label":"px","app":"demo/proxied","proxy":true,`+base+`/px"},
		{"label":"s1","app":"demo/single","mode":"single-shot","routing":"label",`+base+`/one"},
		{"label":"sx","app":"demo/proxied-single","mode":"single-shot","routing":"label","proxy":true,"capacity":3,`+
		base+`/sx"},
		{"label":"sick","app":"demo/sick","health_url":"`+runner.URL+`/sick","runner_url":"`+runner.URL+`"}`)
	p.values["<runner-id-3>"] = ids[0]
	for _, e := range recorded(t, "live_static_registration.json") {
		if e.Request.Line == "GET /discovery HTTP/1.1" {
			p.replayDiscovery(t, n, &e)
			continue
		}
		p.replay(t, n.admin, &e)
	}
}

// replayDiscovery compares a list of runners, whose order is random.
func (p *placeholders) replayDiscovery(t *testing.T, n *node, e *recording) {
	t.Helper()
	res, data := p.do(t, n.public, e)
	p.compareHead(t, e, res)
	sorted := func(text string) string {
		var all []struct {
			Address string           `json:"address"`
			Runners []map[string]any `json:"runners"`
		}
		if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) != 1 {
			t.Fatal(text, err)
		}
		slices.SortFunc(all[0].Runners, func(a, b map[string]any) int {
			return strings.Compare(fmt.Sprint(a["url"]), fmt.Sprint(b["url"]))
		})
		out, _ := json.MarshalIndent(all, "", " ")
		return string(out)
	}
	if got, want := sorted(string(data)), sorted(p.fill(string(e.Response.Body))); got != want {
		t.Errorf("%s: %s, want %s", e.What, got, want)
	}
}

func TestRecordedHeartbeats(t *testing.T) {
	t.Parallel()
	n := start(t, "topsecret")
	p := placeholders{values: make(map[string]string)}
	list := recorded(t, "live_heartbeat.json")
	reads := list[slices.IndexFunc(list, func(e recording) bool { return len(e.Reads) > 0 })].Reads
	events := reader{t: t, p: &p, n: n, reads: reads}
	for _, e := range list {
		if e.Request.Line == "" {
			continue // the channel of events, which is read on the way
		}
		switch {
		case e.What == "stop the session while draining", e.What == "unregister, wrong secret":
			events.open() // before it is written
		case strings.HasPrefix(e.What, "static runner cannot heartbeat"): // in truth another dynamic one
			n.request(t, "POST", "/runners/heartbeat", `{"runner_id":"runner-id-2","runner_url":"http://127.0.0.1:1","app":"x"}`,
				"Authorization", "topsecret")
		case strings.HasPrefix(e.What, "heartbeat after 11 s"):
			n.later(11 * time.Second)
			n.KeepAlive()
			events.end()
			events.open()
		case strings.HasPrefix(e.What, "heartbeat after 20 s"):
			n.later(liverunner.HeartbeatTTL)
			n.Sweep()
		case strings.HasPrefix(e.What, "orchSecret with the old id 6 s later"):
			n.later(6 * time.Second)
			n.Sweep()
		}
		p.replay(t, n.public, &e)
		switch e.What {
		case "first heartbeat":
			events.open()
		case "reserve a session", "stop the session while draining", "unregister":
			events.end()
		case "reserve", "reserve again", "stop":
			events.open()
			events.end()
		}
	}
	if events.at != len(reads) {
		t.Errorf("%d of %d reads", events.at, len(reads))
	}
}

// reader reads a runner's channel of events as the recorded one did.
type reader struct {
	t     *testing.T
	p     *placeholders
	n     *node
	reads []recording
	// at is the next read; its answer comes through done. left waits for its end at the node.
	at   int
	done chan answered
	left func()
}

// open sends the next read, and returns when it waits or is answered.
func (r *reader) open() {
	r.t.Helper()
	e := &r.reads[r.at]
	path := strings.Fields(r.p.fill(e.Request.Line))[1]
	name := strings.Split(path, "/")[3]
	c := r.n.Hub().Channel(name)
	if c == nil {
		r.t.Fatalf("no channel %s", name)
	}
	r.left = func() { until(r.t, "the reader's end", func() bool { return c.Readers() == 0 }) }
	done := make(chan answered, 1)
	r.done = done
	request := r.p.prepare(r.t, r.n.public, e)
	go func() { done <- exchange(request) }()
	until(r.t, "a reader", func() bool { return c.Readers() > 0 || len(done) > 0 })
}

// end compares the answer.
func (r *reader) end() {
	r.t.Helper()
	r.p.compare(r.t, &r.reads[r.at], <-r.done)
	r.left()
	r.at++
}
