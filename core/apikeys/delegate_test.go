package apikeys_test

import (
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// A delegate's token counts for its key, until it ends or the key does. The hash of a key is no token.
func TestDelegate(t *testing.T) {
	t.Parallel()
	key := apikeys.Key{ID: "k", Name: "app", Hash: apikeys.HashOf("secret"), Limits: apikeys.Limits{Concurrency: 1}}
	g := apikeys.New(apikeys.Options{Now: time.Now, Static: []apikeys.Key{key}, Closed: true})
	token, end, err := g.Delegate(key.Hash, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	grant, err := g.Admit(t.Context(), token, apikeys.Need{Model: "m"})
	if err != nil || grant.Key() != "app" || g.Known(token) != nil || !g.Verified(token) || g.Owner(token) != key.Hash ||
		g.Use(t.Context(), token, "/", "") != nil {
		t.Fatalf("the delegate is not its key: %v", err)
	}
	if _, err := g.Admit(t.Context(), "secret", apikeys.Need{Model: "m"}); !errors.Is(err, fault.ConcurrencyLimited) {
		t.Errorf("the key itself: %v", err)
	}
	if _, err := g.Admit(t.Context(), key.Hash.String(), apikeys.Need{}); !errors.Is(err, fault.KeyUnknown) {
		t.Errorf("the hash as a token: %v", err)
	}
	if _, ok := g.State(token); ok {
		t.Error("a delegate manages its key")
	}
	g.SetStatic(nil)
	if err := g.Known(token); !errors.Is(err, fault.KeyUnknown) {
		t.Errorf("the key is gone: %v", err)
	}
	g.SetStatic([]apikeys.Key{key})
	end()
	if err := g.Known(token); !errors.Is(err, fault.KeyUnknown) || g.Owner(token) == key.Hash {
		t.Errorf("the delegate has ended: %v", err)
	}
}
