package access_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

func auditLines(t *testing.T, path string) (out []access.AuditEntry) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var e access.AuditEntry
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		out = append(out, e)
	}
	return out
}

func TestAuditLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "admin-audit.log")
	l, err := access.OpenAudit(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	e := access.AuditEntry{Time: time.Unix(1_700_000_000, 0).UTC(), ID: 3, Method: "POST", Route: "/bond",
		From: "loopback", Token: true,
		Parameters: map[string]string{"amount": "5"}, Outcome: access.AuditDone, Status: 200, Tx: []string{"0x01"}}
	if err := l.Append(e); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	want := `{"time":"2023-11-14T22:13:20Z","id":3,"method":"POST","route":"/bond","from":"loopback","token":true,` +
		`"parameters":{"amount":"5"},"outcome":"done","status":200,"tx":["0x01"]}` + "\n"
	if string(got) != want {
		t.Errorf("wrote %s", got)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	// Hostile text stays on its line, and a long one is left out.
	e.Parameters = map[string]string{"amount": "5\n{\"x\":1}"}
	_ = l.Append(e)
	e.Parameters = strings.Repeat("x", 20<<10)
	_ = l.Append(e)
	if all := auditLines(t, path); len(all) != 3 || all[2].Parameters != "too long to be written down" {
		t.Errorf("%+v", all)
	}
}

func TestAuditRotation(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "admin-audit.log")
	if err := os.WriteFile(path, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := access.OpenAudit(path, 2000)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if err := l.Append(access.AuditEntry{Route: "/bond", Outcome: access.AuditDone}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, p := range []string{path, path + ".1"} {
		info, err := os.Stat(p)
		if err != nil || info.Size() > 2000 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %d bytes, %v, %v", p, info.Size(), info.Mode(), err)
		}
		if len(auditLines(t, p)) == 0 {
			t.Errorf("%s is empty", p)
		}
	}
	all, _ := os.ReadDir(filepath.Dir(path))
	if len(all) != 2 {
		t.Errorf("files %v", all)
	}
}

func TestUnwritableAudit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := access.OpenAudit(dir, 1000); !errors.Is(err, fault.AdminAuditFailed) {
		t.Errorf("a directory: %v", err)
	}
	path := filepath.Join(dir, "x")
	l, err := access.OpenAudit(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	// It comes back when the file can be opened again.
	if err := l.Append(access.AuditEntry{}); err != nil {
		t.Error(err)
	}
	_ = l.Close()
	_ = l.Close()
	if err := l.Append(access.AuditEntry{Parameters: func() {}}); !errors.Is(err, fault.AdminAuditFailed) {
		t.Errorf("what cannot be written: %v", err)
	}
}
