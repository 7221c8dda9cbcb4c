package access_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

func TestFirstStartMakesTheAdminToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "admin.token")
	if access.AdminTokenExists(path) {
		t.Fatal("exists already")
	}
	first, err := access.OpenAdminToken(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	text, _ := os.ReadFile(path)
	secret := strings.TrimSpace(string(text))
	if len(secret) != 64 || !access.AdminTokenExists(path) {
		t.Errorf("%d characters", len(secret))
	}
	second, err := access.OpenAdminToken(path)
	if err != nil || !first.Matches(secret) || !second.Matches(secret) {
		t.Error("the second start reads another token", err)
	}
	if first.Matches("") || first.Matches(secret[1:]) || first.Matches(secret+"0") || (access.AdminToken{}).Matches("") {
		t.Error("another text matches")
	}
	left, _ := os.ReadDir(filepath.Dir(path))
	if len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}

func TestRefusedAdminTokenFiles(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("ab", 32)
	for _, tt := range []struct {
		name, content string
		mode          os.FileMode
		says          string
	}{
		{"others read it", good, 0o644, "chmod 600"},
		{"the group reads it", good, 0o640, "chmod 600"},
		{"empty", "", 0o600, "holds no token"},
		{"short", "abc", 0o600, "holds no token"},
		{"two words", good + " " + good, 0o600, "holds no token"},
		{"binary", strings.Repeat("\x01", 64), 0o600, "holds no token"},
	} {
		path := filepath.Join(t.TempDir(), "admin.token")
		if err := os.WriteFile(path, []byte(tt.content), tt.mode); err != nil {
			t.Fatal(err)
		}
		_, err := access.OpenAdminToken(path)
		if !errors.Is(err, fault.AdminTokenFile) || !strings.Contains(err.Error(), tt.says) ||
			strings.Contains(err.Error(), good) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	dir := t.TempDir()
	if _, err := access.OpenAdminToken(dir); !errors.Is(err, fault.AdminTokenFile) {
		t.Errorf("a directory: %v", err)
	}
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := access.OpenAdminToken(filepath.Join(dir, "link")); !errors.Is(err, fault.AdminTokenFile) {
		t.Errorf("a link: %v", err)
	}
	if _, err := access.OpenAdminToken(filepath.Join(dir, "none", "admin.token")); !errors.Is(err, fault.AdminTokenFile) {
		t.Errorf("no directory: %v", err)
	}
}

func TestWrongTokens(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	tries := access.NewWrongTokens(func() time.Time { return now })
	for range 10 {
		if ok, _ := tries.Allowed("a"); !ok {
			t.Fatal("refused too early")
		}
		tries.Wrong("a")
	}
	if ok, wait := tries.Allowed("a"); ok || wait != 2*time.Second {
		t.Errorf("after ten: %v, wait %s", ok, wait)
	}
	if ok, _ := tries.Allowed("b"); !ok {
		t.Error("another sender pays for it")
	}
	now = now.Add(2 * time.Second)
	if ok, _ := tries.Allowed("a"); !ok {
		t.Error("never forgiven")
	}
}

// However many senders there are, what is kept stays small, and the many share
// one count.
func TestWrongTokensAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	tries := access.NewWrongTokens(func() time.Time { return now })
	refused := 0
	for i := range 5000 {
		sender := string(rune('a'+i%26)) + time.Duration(i).String()
		if ok, _ := tries.Allowed(sender); !ok {
			refused++
			continue
		}
		tries.Wrong(sender)
	}
	if refused < 4000 {
		t.Errorf("only %d refused", refused)
	}
	now = now.Add(time.Hour)
	tries.Wrong("x")
	if ok, _ := tries.Allowed("new"); !ok {
		t.Error("not forgotten after an hour")
	}
}
