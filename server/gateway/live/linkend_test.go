package live_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
	"github.com/tuttinode/tutti/test/whipclient"
)

// TestAViewerEndsWithItsAddress: a viewer leaves when the signed address ends that let it in, and another one has its
// place.
func TestAViewerEndsWithItsAddress(t *testing.T) {
	t.Parallel()
	links, err := access.OpenLinks(t.TempDir(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	policy := access.New(access.Options{Listen: ":9935", Mode: access.Auto, Keys: ring{}, Links: links})
	var ahead atomic.Int64
	g := newGuarded(t, access.Auto, func(o *live.Options) {
		o.Access = policy
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		o.Limits.KeyCheck, o.Limits.Gather, o.Limits.Viewers = time.Millisecond, 0, 1
	})
	livevideo.Publish(t, g.base+"cam/whip?pipeline=noop")
	query, _ := policy.Link("cam-out", time.Now().Add(time.Hour))
	watch := func(query string) error {
		v, err := whipclient.Watch(t.Context(), http.DefaultClient, g.base+"cam-out/whep"+query, func(whipclient.Unit) {})
		if err == nil {
			t.Cleanup(func() { _ = v.Close() })
		}
		return err
	}
	if err := watch("?" + query); err != nil {
		t.Fatal(err)
	}
	if err := watch(""); err == nil || !strings.Contains(err.Error(), "429") {
		t.Fatal("a second viewer:", err)
	}
	ahead.Store(int64(2 * time.Hour))
	until(t, "the place of the viewer", func() bool { return watch("") == nil })
}
