package access_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

// TestPlayingIsCheckedAgain: playback by a signed address is good until the address is not.
func TestPlayingIsCheckedAgain(t *testing.T) {
	t.Parallel()
	links, err := access.OpenLinks(t.TempDir(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1e9, 0)
	p := access.New(access.Options{Listen: ":9935", Mode: access.Auto, Links: links})
	query, _ := p.Link("show", now.Add(time.Hour))
	clock := func() time.Time { return now }
	check := p.Playing(httptest.NewRequest("GET", "/api/streams/show/events?"+query, nil), "show", clock)
	if err := check(t.Context()); err != nil {
		t.Error(err)
	}
	now = now.Add(time.Hour)
	if err := check(t.Context()); !errors.Is(err, fault.PlaybackExpired) {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := check.Watch(ctx, time.Millisecond); !errors.Is(err, fault.PlaybackExpired) {
		t.Error("it goes on:", err)
	}
	if p.Playing(httptest.NewRequest("GET", "/api/streams/show/events", nil), "show", clock) != nil {
		t.Error("a request without an address is checked")
	}
}
