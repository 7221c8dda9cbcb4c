package apikeystore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/apikeystore"
)

// envRevoke has the test program revoke a key in a process of its own.
const envRevoke = "TUTTI_TEST_REVOKE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envRevoke); dir != "" {
		if err := revokeApp(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func revokeApp(dir string) error {
	s, err := apikeystore.OpenStore(context.Background(), dir)
	if err != nil {
		return err
	}
	_, err = s.Revoke(context.Background(), "app", time.Now())
	return errors.Join(err, s.Close())
}

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func open(t *testing.T, dir string) *apikeystore.Store {
	t.Helper()
	s, err := apikeystore.OpenStore(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func create(t *testing.T, s *apikeystore.Store, k apikeys.Key) (apikeys.Key, string) {
	t.Helper()
	made, secret, err := s.Create(t.Context(), k, now, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return made, secret
}

func TestKeysAreKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a dir?with#odd %41name")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	first := open(t, dir)
	full, secret := create(t, first, apikeys.Key{Name: "app", Expires: now.Add(time.Hour), Limits: apikeys.Limits{
		Models: []string{"llama*", "q"}, RPM: 1, TPM: 2, Concurrency: 3,
		Budget: apikeys.Budget{Tokens: 4, Period: apikeys.Week}}})
	plain, _ := create(t, first, apikeys.Key{Name: "plain"})
	list, usage, err := open(t, dir).Load(t.Context())
	if err != nil || len(usage) != 0 || len(list) != 2 {
		t.Fatal(list, usage, err)
	}
	plain.Models = []string{}
	for _, want := range []apikeys.Key{full, plain} {
		if !reflect.DeepEqual(list[0], want) && !reflect.DeepEqual(list[1], want) {
			t.Errorf("%+v is not in %+v", want, list)
		}
	}
	if !strings.HasPrefix(secret, "tk-") || full.Hash != apikeys.HashOf(secret) {
		t.Error("another secret")
	}
	for _, name := range []string{"tutti.db", "tutti.db-wal"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Contains(string(content), secret[3:]) {
			t.Errorf("%s: the secret is in it, or %v", name, err)
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	made, _ := create(t, s, apikeys.Key{Name: "app", Limits: apikeys.Limits{RPM: 5}})
	_, _, err := s.Create(t.Context(), apikeys.Key{Name: "app"}, now, rand.Reader)
	want(t, err, fault.KeyNameTaken)
	_, _, err = s.Create(t.Context(), apikeys.Key{Name: "a b", Limits: apikeys.Limits{RPM: -1}}, now, rand.Reader)
	want(t, err, fault.KeyInvalid)
	_, _, err = s.Create(t.Context(), apikeys.Key{Name: "late", Expires: now}, now, rand.Reader)
	want(t, err, fault.KeyInvalid)
	_, err = s.Revoke(t.Context(), "nobody", now)
	want(t, err, fault.KeyNotFound)
	_, err = s.SetLimits(t.Context(), "app", now, func(k *apikeys.Key) error { k.TPM = -1; return nil })
	want(t, err, fault.KeyInvalid)
	changed, err := s.SetLimits(t.Context(), made.ID, now,
		func(k *apikeys.Key) error { k.TPM = 7; k.Budget.Tokens = 9; return nil })
	want(t, err, "")
	if changed.RPM != 5 || changed.TPM != 7 || changed.Budget.Period != apikeys.Total || changed.Hash != made.Hash {
		t.Errorf("%+v", changed)
	}
	revoked, err := s.Revoke(t.Context(), made.ID, now)
	want(t, err, "")
	if !revoked.Revoked.Equal(now) {
		t.Error(revoked.Revoked)
	}
	_, err = s.Revoke(t.Context(), "app", now)
	want(t, err, fault.KeyNotFound)
	create(t, s, apikeys.Key{Name: "app"}) // the name is free again
	list, _, err := s.Load(t.Context())
	want(t, err, "")
	if len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

func want(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if code == "" && err == nil {
		return
	}
	if code == "" || fault.CodeOf(err) != code {
		t.Fatalf("got %v, want %s", err, code)
	}
}

func TestCountsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	old := now.Add(-50 * 24 * time.Hour)
	given := []apikeys.Usage{
		{ID: "hook:new", Period: apikeys.Day, Start: now, Used: 1, Reserved: 2, Requests: 3},
		{ID: "hook:old", Period: apikeys.Month, Start: old, Used: 4},
		{ID: "hook:total", Period: apikeys.Total, Used: 5},
		{ID: "k-1", Period: apikeys.Month, Start: old, Used: 6},
	}
	want(t, s.SaveUsage(t.Context(), given), "")
	given[0].Used = 10
	want(t, s.SaveUsage(t.Context(), given[:1]), "")
	_, usage, err := open(t, dir).Load(t.Context())
	if err != nil || !reflect.DeepEqual(usage, given) {
		t.Fatal(usage, err)
	}
	want(t, s.Forget(t.Context(), now), "")
	_, usage, err = s.Load(t.Context())
	if err != nil || len(usage) != 3 || usage[1].ID != "hook:total" {
		t.Error(usage, err)
	}
}

func TestUnusableDatabase(t *testing.T) {
	t.Parallel()
	_, err := apikeystore.OpenStore(t.Context(), filepath.Join(t.TempDir(), "missing"))
	want(t, err, fault.KeyStoreFailed)
	garbage := t.TempDir()
	if err := os.WriteFile(filepath.Join(garbage, "tutti.db"), []byte(strings.Repeat("no database", 1000)),
		0o600); err != nil {
		t.Fatal(err)
	}
	_, err = apikeystore.OpenStore(t.Context(), garbage)
	want(t, err, fault.KeyStoreFailed)
}

// Processes that open a new file at the same time wait for one another.
func TestOpenedAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := apikeystore.OpenStore(t.Context(), dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, _, err := s.Create(t.Context(), apikeys.Key{Name: fmt.Sprint("app", i)}, now, rand.Reader); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if list, _, err := open(t, dir).Load(t.Context()); err != nil || len(list) != 8 {
		t.Error(list, err)
	}
}

func revokeInAnotherProcess(t *testing.T, dir string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), envRevoke+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
