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

// fakeKeys are API keys in memory.
type fakeKeys struct {
	mu   sync.Mutex
	list []adminapi.APIKey
}

func (f *fakeKeys) List(context.Context) ([]adminapi.APIKey, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]adminapi.APIKey{}, f.list...), nil
}

func (f *fakeKeys) Create(_ context.Context, in adminapi.APIKeyNew) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := adminapi.APIKey{TodayWei: "0", TodayUSD: "0"}
	k.ID, k.Name, k.Models = "k-1", in.Name, []string{}
	f.list = append(f.list, k)
	return "tk-once", nil
}

func (f *fakeKeys) find(which string, change func(k *adminapi.APIKey)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		if f.list[i].ID == which || f.list[i].Name == which {
			change(&f.list[i])
			return nil
		}
	}
	return fault.New(fault.KeyNotFound, "change API key", which)
}

func (f *fakeKeys) Limit(_ context.Context, in adminapi.APIKeyChange) error {
	return f.find(in.Key, func(k *adminapi.APIKey) {
		if in.RPM != nil {
			k.RPM = *in.RPM
		}
	})
}

func (f *fakeKeys) Revoke(_ context.Context, which string) error {
	return f.find(which, func(k *adminapi.APIKey) { k.State = "revoked" })
}

// keyed is a gateway with one key, app.
func keyed() *fakeKeys {
	f := &fakeKeys{}
	_, _ = f.Create(context.Background(), adminapi.APIKeyNew{Name: "app"}) // it cannot fail
	return f
}

// A key is made, limited and revoked; its secret is in the answer that makes it, and nowhere else.
func TestKeys(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { o.Work.Keys = &fakeKeys{} })
	for _, step := range []struct {
		path, body string
		code       int
		want       string
	}{
		{adminapi.PathKeyCreate, `{"rpm":5}`, 400, "AdminBadBody"},
		{adminapi.PathKeyCreate, `{"name":"app","rpm":5}`, 200, `"secret":"tk-once"`},
		{adminapi.PathKeyLimits, `{"key":"other","rpm":5}`, 404, "KeyNotFound"},
		{adminapi.PathKeyLimits, `{"key":"app","rpm":7}`, 200, `"rpm":7`},
		{adminapi.PathKeyRevoke, `{"key":"k-1"}`, 200, `"state":"revoked"`},
	} {
		got := st.post(step.path, step.body)
		if got.Code != step.code || !strings.Contains(got.Body.String(), step.want) {
			t.Errorf("%s: %d %s", step.body, got.Code, got.Body)
		}
		if strings.Contains(got.Body.String(), "tk-once") != (step.want == `"secret":"tk-once"`) {
			t.Errorf("%s: a secret in %s", step.body, got.Body)
		}
		if got := st.get(adminapi.PathKeys); got.Code != 200 || strings.Contains(got.Body.String(), "tk-once") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	}
	none := newStation(t, nil)
	for _, got := range []int{none.get(adminapi.PathKeys).Code, none.post(adminapi.PathKeyRevoke, `{"key":"a"}`).Code} {
		if got != 404 {
			t.Errorf("a node without keys: %d", got)
		}
	}
}
