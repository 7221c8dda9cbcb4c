package apikeys_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// TestAdmittedKeysDoNotWaitForStrangers: questions about invented tokens, however many and
// however slowly they are answered, leave some to keys that the webhook admitted before.
func TestAdmittedKeysDoNotWaitForUnknownKeys(t *testing.T) {
	t.Parallel()
	d := &decider{}
	g, _ := hooked(d, nil)
	if g.Verified("nameless") {
		t.Error("a key is proven that was not admitted yet")
	}
	if _, err := g.Admit(t.Context(), "nameless", apikeys.Need{Model: "first", From: "a"}); err != nil {
		t.Fatal(err)
	}
	if !g.Verified("nameless") {
		t.Error("an admitted key is not proven")
	}
	d.hold, d.entered = make(chan struct{}), make(chan struct{}, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	const unknownKeys, most = 200, 48
	for n := range unknownKeys {
		wg.Go(func() { _, _ = g.Admit(ctx, fmt.Sprint("stranger ", n), apikeys.Need{From: "b"}) })
	}
	for range most {
		<-d.entered
	}
	answer := make(chan error, 1)
	wg.Go(func() {
		_, err := g.Admit(t.Context(), "nameless", apikeys.Need{Model: "second", From: "a"})
		answer <- err
	})
	<-d.entered
	if d.times("nameless second") != 1 {
		t.Error("a stranger's question was asked in place of an admitted key's")
	}
	cancel()
	close(d.hold)
	if err := <-answer; err != nil {
		t.Error(err)
	}
	if _, err := g.Admit(ctx, "stranger", apikeys.Need{}); !errors.Is(err, context.Canceled) &&
		!errors.Is(err, fault.KeyWebhookFailed) {
		t.Error(err)
	}
}
