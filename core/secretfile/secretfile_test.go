package secretfile_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/secretfile"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "x.key")
	first, err := secretfile.Open(path, rand.Reader)
	if err != nil || first == (secretfile.Secret{}) {
		t.Fatal(first, err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	again, err := secretfile.Open(path, strings.NewReader("")) // nothing random is needed
	if err != nil || again != first {
		t.Errorf("another secret at the second opening: %v", err)
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) != 0 {
		t.Error(left, err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := secretfile.Open(path, rand.Reader); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := secretfile.Open(filepath.Join(t.TempDir(), "y"), strings.NewReader("")); err == nil {
		t.Error("a secret without randomness")
	}
}

// TestOpenAtOnce lets several processes make the same secret.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.key")
	secrets := make([]secretfile.Secret, 8)
	var all sync.WaitGroup
	for i := range secrets {
		all.Go(func() {
			var err error
			if secrets[i], err = secretfile.Open(path, rand.Reader); err != nil {
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
