package admin_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// oneModel is a node with one model, m.
type oneModel struct {
	mu   sync.Mutex
	warm bool
	// pulling: the pull of "endless" goes on.
	pulling atomic.Bool
}

func (o *oneModel) Models() []adminapi.ServedModel {
	o.mu.Lock()
	defer o.mu.Unlock()
	wei := "7/2"
	return []adminapi.ServedModel{{WeiPerUnit: &wei, ModelState: adminapi.Model{Pipeline: "llm", Model: "m",
		State: "ready", Warm: o.warm, Since: time.Unix(1_700_000_000, 0).UTC(), Devices: []string{}}}}
}

func (o *oneModel) SetWarm(name adminapi.ModelName, warm bool) error {
	if name.Model != "m" {
		return fault.New(fault.AdminBadParam, "find model", "this machine has no such model; it has llm m")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.warm = warm
	return nil
}

func (o *oneModel) Test(_ context.Context, name adminapi.ModelName) (adminapi.ModelTest, error) {
	if name.Model != "m" {
		return adminapi.ModelTest{}, fault.New(fault.AdminBadParam, "find model",
			"this machine has no such model; it has llm m")
	}
	return adminapi.ModelTest{Pipeline: "llm", Model: "m", Worker: "127.0.0.1:8000", Status: 200, Bytes: 2,
		Milliseconds: 5}, nil
}

func (o *oneModel) Pull(
	ctx context.Context, name adminapi.ModelName, dry bool, report func(adminapi.ModelPullProgress),
) (out adminapi.ModelPull, err error) {
	const image = "registry.example/runner:1"
	if name.Model == "unheard" {
		return out, fault.New(fault.ImageUnknown, "pull image", image)
	}
	if name.Model != "m" && name.Model != "late" && name.Model != "endless" {
		return out, fault.New(fault.AdminBadParam, "find model", "this machine has no such model; it has llm m")
	}
	o.pulling.Store(name.Model == "endless")
	part := adminapi.ModelPart{Kind: "image", Name: image, State: "pulled", Digest: "sha256:0"}
	if dry {
		part.State = "missing"
	} else {
		report(adminapi.ModelPullProgress{Kind: "image", Name: image, DoneBytes: 1, TotalBytes: 2, Layers: 3})
	}
	switch name.Model {
	case "late":
		return out, fault.New(fault.ImageDenied, "pull image", image)
	case "endless":
		<-ctx.Done()
		o.pulling.Store(false)
		return out, ctx.Err()
	}
	return adminapi.ModelPull{Pipeline: "llm", Model: "m", Parts: []adminapi.ModelPart{part}}, nil
}

// TestModelPull: progress and how it ended, line by line; what fails at once is an
// ordinary error.
func TestModelPull(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Work.Models = &oneModel{} })
	c := newContract(t, st)
	at := "openapi.json#/paths/" + escape(adminapi.PathModelPull) +
		"/post/responses/200/content/application~1x-ndjson/schema"
	for _, step := range []struct {
		query, body string
		code        int
		lines       []string
	}{
		{"", `{"model":"m"}`, 200, []string{`"doneBytes":1,"totalBytes":2,"layersReady":0,"layers":3`, `"state":"pulled"`}},
		{"?dryRun=true", `{"model":"m"}`, 200, []string{`"state":"missing"`}},
		{"", `{"model":"late"}`, 200, []string{`"progress":`, `"error":{"code":"ImageDenied"`}},
		{"", `{"model":"unheard"}`, 500, []string{"ImageUnknown"}},
		{"", `{"model":"x"}`, 400, []string{"it has llm m"}},
		{"?dryrun=true", `{"model":"m"}`, 400, []string{"AdminBadParam"}},
	} {
		got := st.post(adminapi.PathModelPull+step.query, step.body)
		lines := strings.Split(strings.TrimSpace(got.Body.String()), "\n")
		if got.Code != step.code || len(lines) != len(step.lines) {
			t.Fatalf("%s: %d %s", step.body, got.Code, got.Body)
		}
		for i, want := range step.lines {
			if !strings.Contains(lines[i], want) {
				t.Errorf("%s, line %d: %s", step.body, i, lines[i])
			}
			if step.code == 200 {
				c.validate(t, at, lines[i], step.body)
			}
		}
	}
	book := st.book(t)
	if !strings.Contains(book, `"outcome":"failed"`) || !strings.Contains(book, "ImageDenied") {
		t.Errorf("the log of changes:\n%s", book)
	}
}

// TestModelPullEndsWithItsClient also while there is nothing to report.
func TestModelPullEndsWithItsClient(t *testing.T) {
	t.Parallel()
	model := &oneModel{}
	st := newStation(t, func(o *admin.Options) { o.Work.Models = model })
	s := httptest.NewServer(st.Handler())
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+adminapi.PathModelPull,
		strings.NewReader(`{"model":"endless"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "127.0.0.1:7935"
	r.Header.Set("Authorization", "Bearer "+st.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 || !model.pulling.Load() {
		t.Errorf("status %d", answer.StatusCode)
	}
	cancel()
	tick, deadline := time.NewTicker(time.Millisecond), time.NewTimer(10*time.Second)
	defer tick.Stop()
	defer deadline.Stop()
	for model.pulling.Load() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("the pull goes on without its client")
		}
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Work.Models = &oneModel{} })
	for _, step := range []struct {
		path, body string
		code       int
		want       string
	}{
		{adminapi.PathModelState, `{"model":"m","warm":true}`, 200, `"warm":true`},
		{adminapi.PathModelState, `{"model":"m","warm":false}`, 200, `"weiPerUnit":"7/2"`},
		{adminapi.PathModelState, `{"model":"x","warm":true}`, 400, "it has llm m"},
		{adminapi.PathModelState, `{"name":"m"}`, 400, "AdminBadBody"},
		{adminapi.PathModelTest, `{"model":"m"}`, 200, `"status":200`},
		{adminapi.PathModelTest, `{"model":"x"}`, 400, "it has llm m"},
	} {
		got := st.post(step.path, step.body)
		if got.Code != step.code || !strings.Contains(got.Body.String(), step.want) {
			t.Errorf("%s %s: %d %s", step.path, step.body, got.Code, got.Body)
		}
	}
	none := newStation(t, nil)
	if got := none.get(adminapi.PathModels); got.Code != 404 || !strings.Contains(got.Body.String(), "AdminPartAbsent") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}
