package admin_test

import (
	"context"
	"strings"
	"sync"
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
}

func (o *oneModel) Models() []adminapi.ServedModel {
	o.mu.Lock()
	defer o.mu.Unlock()
	wei := "7/2"
	return []adminapi.ServedModel{{WeiPerUnit: &wei, ModelState: adminapi.Model{Pipeline: "llm", Model: "m", State: "ready", Warm: o.warm, Since: time.Unix(1_700_000_000, 0).UTC(), Devices: []string{}}}}
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
		return adminapi.ModelTest{}, fault.New(fault.AdminBadParam, "find model", "this machine has no such model; it has llm m")
	}
	return adminapi.ModelTest{Pipeline: "llm", Model: "m", Worker: "127.0.0.1:8000", Status: 200, Bytes: 2, Milliseconds: 5}, nil
}

func TestModels(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Models = &oneModel{} })
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
