package apikeystore_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/apikeystore"
)

// running is a keystore that runs until stop.
func running(t *testing.T, opt apikeystore.Options) (k *apikeystore.Authorizer, stop func()) {
	t.Helper()
	opt.Log, opt.Every = slog.New(slog.DiscardHandler), 5*time.Millisecond
	if opt.Now == nil {
		opt.Now = time.Now
	}
	k, err := apikeystore.New(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx, func() {}) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return k, stop
}

// until waits for a condition that another goroutine brings about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	late := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-ticker.C:
		case <-late:
			t.Fatal("never: " + what)
		}
	}
}

func TestBudgetsSurviveRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, stop := running(t, apikeystore.Options{Dir: dir})
	if k.Required() {
		t.Error("a key is wanted where there is none")
	}
	_, secret := create(t, k.Store(), apikeys.Key{Name: "app", Limits: apikeys.Limits{Budget: apikeys.Budget{Tokens: 100,
		Period: apikeys.Total}}})
	want(t, k.Load(t.Context()), "")
	grant, err := k.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 60})
	want(t, err, "")
	grant.Settle(inference.Usage{Completion: 50}, true)
	stop()
	k, _ = running(t, apikeystore.Options{Dir: dir})
	_, err = k.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 51})
	want(t, err, fault.BudgetSpent)
	_, err = k.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 50})
	want(t, err, "")
}

// A node that is killed has saved what it had let in.
func TestCountsAreSavedWhileRunning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, _ := running(t, apikeystore.Options{Dir: dir})
	_, secret := create(t, k.Store(), apikeys.Key{Name: "app"})
	want(t, k.Load(t.Context()), "")
	if _, err := k.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 60}); err != nil {
		t.Fatal(err)
	}
	other := open(t, dir)
	until(t, "saved", func() bool {
		_, usage, err := other.Load(t.Context())
		return err == nil && len(usage) == 1 && usage[0].Reserved == 60
	})
}

func TestAnotherProcessRevokes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k, _ := running(t, apikeystore.Options{Dir: dir})
	_, secret := create(t, open(t, dir), apikeys.Key{Name: "app"})
	until(t, "known", func() bool {
		_, err := k.Admit(t.Context(), secret, apikeys.Need{})
		return k.Required() && err == nil
	})
	revokeInAnotherProcess(t, dir)
	until(t, "refused", func() bool {
		_, err := k.Admit(t.Context(), secret, apikeys.Need{})
		return errors.Is(err, fault.KeyRevoked)
	})
}

func TestKeyFileOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "keys.json")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	_, err := apikeystore.ReadFile(path)
	want(t, err, fault.KeyFileInvalid)
	clear := `[{"name": "app", "key": "a secret that is long enough"}]`
	write(clear, 0o644)
	_, err = apikeystore.ReadFile(path)
	want(t, err, fault.KeyFileInvalid)
	write(`[{"name": "app", "key_sha256": "`+apikeys.HashOf("x").String()+`"}]`, 0o644)
	_, err = apikeystore.ReadFile(path)
	want(t, err, "")
	write("[]", 0o600)
	k, stop := running(t, apikeystore.Options{Dir: dir, File: path})
	if !k.Required() {
		t.Error("an empty key file opens the gateway")
	}
	stop()
	write(clear, 0o600)
	k, _ = running(t, apikeystore.Options{Dir: dir, File: path})
	grant, err := k.Admit(t.Context(), "a secret that is long enough", apikeys.Need{})
	if err != nil || grant.Key() != "app" {
		t.Error(grant.Key(), err)
	}
	_, err = k.Admit(t.Context(), "x", apikeys.Need{})
	want(t, err, fault.KeyUnknown)
}
