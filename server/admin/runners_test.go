package admin_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// oneRunner is a live runner, studio.
type oneRunner struct {
	mu      sync.Mutex
	drained bool
	checked int
}

func (o *oneRunner) Runners() []adminapi.LiveRunner {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := adminapi.LiveRunner{ID: "runner_abcdefgh", Label: "studio", Kind: "static", App: "demo/echo",
		Mode: "persistent", Address: "http://127.0.0.1:9000", State: adminapi.RunnerReady, Limit: 2, Sessions: 1,
		Devices: []string{}}
	if o.drained {
		one.State = adminapi.RunnerDraining
	}
	return []adminapi.LiveRunner{one}
}

func (o *oneRunner) set(name string, drained bool) error {
	if name != "studio" {
		return fault.New(fault.LiveRunnerUnknown, "find a live runner", name)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drained = drained
	return nil
}

func (o *oneRunner) Drain(name string) error  { return o.set(name, true) }
func (o *oneRunner) Resume(name string) error { return o.set(name, false) }

func (o *oneRunner) Check(_ context.Context, name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.checked++
	if name != "" && name != "studio" {
		return fault.New(fault.LiveRunnerUnknown, "find a live runner", name)
	}
	return nil
}

func TestRunners(t *testing.T) {
	t.Parallel()
	runner := &oneRunner{}
	st := newStation(t, func(o *admin.Options) { o.Work.Runners = runner })
	for _, step := range []struct {
		path, body string
		code       int
		want       string
	}{
		{adminapi.PathRunner, `{"name":"studio","drain":true}`, 200, `"state":"draining"`},
		{adminapi.PathRunner, `{"name":"studio","drain":false}`, 200, `"state":"ready"`},
		{adminapi.PathRunner, `{"name":"other","drain":true}`, 404, "LiveRunnerUnknown"},
		{adminapi.PathRunnerCheck, `{}`, 200, `"label":"studio"`},
		{adminapi.PathRunnerCheck, `{"name":"other"}`, 404, "LiveRunnerUnknown"},
	} {
		if got := st.post(step.path, step.body); got.Code != step.code || !strings.Contains(got.Body.String(), step.want) {
			t.Errorf("%s %s: %d %s", step.path, step.body, got.Code, got.Body)
		}
	}
	if runner.checked != 2 {
		t.Error("checked", runner.checked)
	}
	none := newStation(t, nil)
	if got := none.get(adminapi.PathRunners); got.Code != 404 ||
		!strings.Contains(got.Body.String(), "this node has no live runners") {
		t.Errorf("a node without any: %d %s", got.Code, got.Body)
	}
}
