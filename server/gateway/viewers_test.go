package gateway_test

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway"
)

// twoKeys has the keys "owner" and "viewer", of which the latter is revoked some time.
type twoKeys struct{ revoked atomic.Bool }

func (*twoKeys) Required() bool { return true }

func (k *twoKeys) Use(_ context.Context, token, _, _ string) error {
	switch {
	case token == "owner", token == "viewer" && !k.revoked.Load():
		return nil
	case token == "viewer":
		return fault.New(fault.KeyRevoked, "check key", "")
	}
	return fault.New(fault.KeyUnknown, "check key", "")
}

// TestEventsEndWithTheirPermission: a client that follows a stream's events gets no more once its key is revoked, or
// the time of its signed address is over, as long as the stream may last.
func TestEventsEndWithTheirPermission(t *testing.T) {
	t.Parallel()
	links, err := access.OpenLinks(t.TempDir(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := new(twoKeys)
	policy := access.New(access.Options{Listen: "127.0.0.1:0", Mode: access.Keys, Keys: keys, Links: links})
	n := start(t, []string{newFake(t).uri}, func(o *gateway.Options) { o.Access = policy })
	owner := []string{"Authorization", "Bearer owner"}
	n.push("/live/show/0.ts", media, owner...).want(t, media)
	query, _ := policy.Link("show", n.clock.Now().Add(time.Second))
	followers := make(map[string]io.ReadCloser)
	for name, client := range map[string]struct{ query, key string }{
		"a key": {key: "viewer"}, "a signed address": {query: "?" + query}, "the owner": {key: "owner"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.url+"/api/streams/show/events"+client.query,
			http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if client.key != "" {
			r.Header.Set("Authorization", "Bearer "+client.key)
		}
		res, err := n.client.Do(r)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(name, err, res)
		}
		defer res.Body.Close()
		followers[name] = res.Body
	}
	keys.revoked.Store(true)
	n.clock.Forward(2 * time.Second)
	n.push("/live/show/1.ts", media, owner...).want(t, media)
	n.settled()
	n.clock.Forward(time.Hour) // the stream's end
	for name, body := range followers {
		text, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := strings.Contains(string(text), `"number":1,`); got != (name == "the owner") {
			t.Errorf("%s gets what came after its permission: %t\n%s", name, got, text)
		}
	}
}
