package privatefile_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/privatefile"
)

func TestOpenSecret(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "x.key")
	first, err := privatefile.OpenSecret(path, rand.Reader)
	if err != nil || first == (privatefile.Secret{}) {
		t.Fatal(first, err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	again, err := privatefile.OpenSecret(path, strings.NewReader("")) // nothing random is needed
	if err != nil || again != first {
		t.Errorf("another secret at the second opening: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) != 0 {
		t.Error(left, err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := privatefile.OpenSecret(path, rand.Reader); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := privatefile.OpenSecret(filepath.Join(t.TempDir(), "y"), strings.NewReader("")); err == nil {
		t.Error("a secret without randomness")
	}
}

// TestOpenSecretAtOnce lets several processes make the same secret.
func TestOpenSecretAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.key")
	secrets := make([]privatefile.Secret, 8)
	var all sync.WaitGroup
	for i := range secrets {
		all.Go(func() {
			var err error
			if secrets[i], err = privatefile.OpenSecret(path, rand.Reader); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, s := range secrets[1:] {
		if s != secrets[0] {
			t.Fatal("two secrets of one name")
		}
	}
}
