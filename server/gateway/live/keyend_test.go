package live_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
	"github.com/tuttinode/tutti/test/whipclient"
)

// revocable is a ring whose first key may be revoked.
type revocable struct {
	ring
	revoked atomic.Bool
}

func (r *revocable) Use(ctx context.Context, token, route, from string) error {
	if token == keyA && r.revoked.Load() {
		return fault.New(fault.KeyRevoked, "use key", "this API key was revoked")
	}
	return r.ring.Use(ctx, token, route, from)
}

// A live stream of each protocol ends with its publisher's key, and the publisher gets the reason. Streams of another
// key and of this machine go on.
func TestAStreamEndsWithItsKey(t *testing.T) {
	t.Parallel()
	keys := new(revocable)
	g := newGuarded(t, access.Auto, func(o *live.Options) {
		o.Access = access.New(access.Options{Listen: ":9935", Mode: access.Auto, Keys: keys})
		o.Limits.KeyCheck = time.Millisecond
	})
	g.expect("a publisher", stranger1, keyA, "whip/whip", 201)
	pub, err := g.rtmp(stranger1, keyA, "rtmp")
	if err != nil {
		t.Fatal(err)
	}
	defer pub.Close()
	other, err := g.rtmp(stranger1, keyB, "other")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	g.expect("this machine", machine, "", "own/whip", 201)
	if n := g.Streams(); n != 4 {
		t.Error(n, "streams")
	}
	keys.revoked.Store(true)
	until(t, "the end of the key's streams", func() bool { return g.Streams() == 2 })
	<-pub.Done()
	if err := pub.Err(); !errors.Is(err, fault.KeyRevoked) {
		t.Error("it ended because of", err)
	}
	g.expect("another key", stranger1, keyB, "other/status", 200)
	g.expect("this machine", machine, "", "own/status", 200)
}

// withKey sends an API key with each request.
type withKey string

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// A viewer leaves when its key ends: another one has its place. The stream, which is this machine's, goes on.
func TestAViewerEndsWithItsKey(t *testing.T) {
	t.Parallel()
	keys := new(revocable)
	g := newGuarded(t, access.Auto, func(o *live.Options) {
		o.Access = access.New(access.Options{Listen: ":9935", Mode: access.Auto, Keys: keys})
		o.Limits.KeyCheck, o.Limits.Gather, o.Limits.Viewers = time.Millisecond, 0, 1
	})
	livevideo.Publish(t, g.base+"cam/whip?pipeline=noop")
	watch := func(by *http.Client) error {
		v, err := whipclient.Watch(t.Context(), by, g.base+"cam-out/whep", func(whipclient.Unit) {})
		if err == nil {
			t.Cleanup(func() { _ = v.Close() })
		}
		return err
	}
	if err := watch(&http.Client{Transport: withKey(keyA)}); err != nil {
		t.Fatal(err)
	}
	if err := watch(http.DefaultClient); err == nil || !strings.Contains(err.Error(), "429") {
		t.Fatal("a second viewer:", err)
	}
	keys.revoked.Store(true)
	until(t, "the place of the viewer", func() bool { return watch(http.DefaultClient) == nil })
}
