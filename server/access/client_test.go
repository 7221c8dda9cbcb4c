package access_test

import (
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

// TestClient: a client is known by a valid key, also where it needs none, and as this machine.
func TestClient(t *testing.T) {
	t.Parallel()
	const here, there = "127.0.0.1:5000", "192.0.2.1:5000"
	good, bad := []string{"Authorization", "Bearer good"}, []string{"Authorization", "Bearer bad"}
	for _, row := range []struct {
		name           string
		mode           access.Mode
		keys           access.KeyRing
		from           string
		headers        []string
		keyed, machine bool
	}{
		{"this machine", access.Auto, ring{true}, here, nil, false, true},
		{"this machine with a key", access.Auto, ring{true}, here, good, true, true},
		{"an invented key", access.Open, ring{true}, there, bad, false, false},
		{"a key where none is needed", access.Open, ring{true}, there, good, true, false},
		{"a gateway without keys", access.Open, nil, there, good, false, false},
		{"a gateway without a key", access.Open, ring{}, there, good, false, false},
		{"through a proxy of this machine", access.Open, ring{true}, here, []string{"Via", "x"}, false, false},
		{"a page of another site", access.Open, ring{true}, here, []string{"Sec-Fetch-Site", "cross-site"}, false, false},
	} {
		p := access.New(access.Options{Listen: ":9935", Mode: row.mode, Keys: row.keys})
		key, machine := p.Client(request("/live/film/0.ts", row.from, row.headers...))
		if (key != "") != row.keyed || machine != row.machine {
			t.Errorf("%s: %q %v", row.name, key, machine)
		}
		if row.keyed {
			if pushed, err := p.Push(request("/live/film/0.ts", there, row.headers...)); err != nil || pushed != key {
				t.Errorf("%s: %q is not the key of a push, %q %v", row.name, key, pushed, err)
			}
		}
	}
}

// TestWithoutWebhook: what the webhook is not asked about needs a key.
func TestWithoutWebhook(t *testing.T) {
	t.Parallel()
	p := access.New(access.Options{Listen: ":9935", Mode: access.Auto, Keys: ring{true}, WebhookPushes: true})
	r := request("/live/film/0.ts", "192.0.2.1:5000")
	r.Method = http.MethodPost
	if _, err := p.WithoutWebhook().Push(r); fault.CodeOf(err) != fault.StreamKeyRequired {
		t.Error("without a key:", err)
	}
	if _, err := p.Push(r); err != nil {
		t.Error("the policy itself has changed:", err)
	}
	if (*access.Policy)(nil).WithoutWebhook() != nil {
		t.Error("a policy that permits everything does not any more")
	}
}
