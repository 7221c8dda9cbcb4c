package apikeys_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
)

// only lets one token in, and counts how often it was asked.
type only struct{ asked int }

func (o *only) Decide(_ context.Context, token string, _ apikeys.Need) (apikeys.Key, error) {
	o.asked++
	if token == "hooked" {
		return apikeys.Key{Name: "hooked", Limits: apikeys.Limits{RPM: 1}, Expires: dawn.Add(time.Second)}, nil
	}
	return apikeys.Key{}, fault.New(fault.KeyDenied, "test", "")
}

func TestUse(t *testing.T) {
	t.Parallel()
	clock := coretest.NewClock(dawn)
	hook := &only{}
	limited := apikeys.Key{ID: "k-1", Name: "app", Hash: apikeys.HashOf("listed"), Limits: apikeys.Limits{RPM: 1}}
	g := apikeys.New(apikeys.Options{Static: []apikeys.Key{limited}, Decider: hook, Now: clock.Now})
	for range 3 { // watching takes nothing from a key's requests
		if err := g.Use(t.Context(), "listed", "/stream/film.m3u8", "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
	}
	if hook.asked != 0 {
		t.Error("the webhook was asked about a listed key")
	}
	for range 3 { // the webhook's limits are for requests, too
		if err := g.Use(t.Context(), "hooked", "/stream/film.m3u8", "192.0.2.1"); err != nil {
			t.Error(err)
		}
	}
	clock.Forward(time.Second)
	if err := g.Use(t.Context(), "hooked", "/stream/film.m3u8", "192.0.2.1"); !errors.Is(err, fault.KeyExpired) {
		t.Error("a key whose end the webhook named:", err)
	}
	if err := g.Use(t.Context(), "other", "/stream/film.m3u8", "192.0.2.1"); !errors.Is(err, fault.KeyDenied) {
		t.Error(err)
	}
	if err := g.Use(t.Context(), "", "/stream/film.m3u8", "192.0.2.1"); !errors.Is(err, fault.KeyMissing) {
		t.Error(err)
	}
}
