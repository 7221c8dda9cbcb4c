package admin_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// workforce is one remote worker, rig7.
type workforce struct {
	mu      sync.Mutex
	drained bool
}

func (w *workforce) Workers() []adminapi.Worker {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := adminapi.Worker{Name: "rig7", Kind: "transcoder", Remote: true, Address: "192.0.2.7:40000", Node: "tutti/1",
		State:    "ready",
		Sessions: 3, Limit: 8, Ratio: 0.4, Done: 12, Since: time.Unix(1_700_000_000, 0).UTC(), Models: []string{}}
	if w.drained {
		one.State = "draining"
	}
	return []adminapi.Worker{one}
}

func (w *workforce) set(name string, drained bool) error {
	if name != "rig7" {
		return fault.New(fault.DeviceUnknown, "find worker", name)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drained = drained
	return nil
}

func (w *workforce) Drain(name string) error  { return w.set(name, true) }
func (w *workforce) Resume(name string) error { return w.set(name, false) }

func TestWorkers(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Work.Workers = &workforce{} })
	for _, step := range []struct {
		body string
		code int
		want string
	}{
		{`{"name":"rig7","drain":true}`, 200, `"state":"draining"`},
		{`{"name":"rig7","drain":false}`, 200, `"state":"ready"`},
		{`{"name":"rig8","drain":true}`, 404, "DeviceUnknown"},
		{`{"drain":true}`, 400, "field name is missing"},
	} {
		if got := st.post(adminapi.PathWorker, step.body); got.Code != step.code ||
			!strings.Contains(got.Body.String(), step.want) {
			t.Errorf("%s: %d %s", step.body, got.Code, got.Body)
		}
	}
	if got := st.get(adminapi.PathWorkers); got.Code != 200 || !strings.Contains(got.Body.String(), `"name":"rig7"`) {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	none := newStation(t, nil)
	if got := none.get(adminapi.PathWorkers); got.Code != 404 || !strings.Contains(got.Body.String(), "AdminPartAbsent") {
		t.Errorf("a node without any: %d %s", got.Code, got.Body)
	}
}
