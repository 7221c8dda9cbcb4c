package admin_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// oneCapability is an external capability, upscale, until it is removed.
type oneCapability struct {
	mu      sync.Mutex
	removed bool
}

func (o *oneCapability) Capabilities() []adminapi.Capability {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.removed {
		return nil
	}
	return []adminapi.Capability{{Name: "upscale", Address: "http://127.0.0.1:9100", State: adminapi.CapabilityReady,
		Capacity: 2, InUse: 1, Price: "5", Jobs: 3, Seconds: 40, Earned: core.NewWei(200)}}
}

func (o *oneCapability) Remove(name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if name != "upscale" {
		return fault.New(fault.CapabilityUnknown, "remove an external capability", name)
	}
	o.removed = true
	return nil
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Work.Capabilities = &oneCapability{} })
	if got := st.get(adminapi.PathCapabilities); got.Code != 200 ||
		!strings.Contains(got.Body.String(), `"earned":"200"`) {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	for _, step := range []struct {
		body string
		code int
		want string
	}{
		{`{"name":"other"}`, 404, "CapabilityUnknown"},
		{`{"name":"upscale"}`, 200, `"capabilities":[]`},
	} {
		got := st.post(adminapi.PathCapabilityRemove, step.body)
		if got.Code != step.code || !strings.Contains(got.Body.String(), step.want) {
			t.Errorf("%s: %d %s", step.body, got.Code, got.Body)
		}
	}
	none := newStation(t, nil)
	if got := none.get(adminapi.PathCapabilities); got.Code != 404 ||
		!strings.Contains(got.Body.String(), "this node has no external capabilities") {
		t.Errorf("a node without any: %d %s", got.Code, got.Body)
	}
}
