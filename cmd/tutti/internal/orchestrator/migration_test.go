package orchestrator

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/migrate"
)

// A first start that copied the keys and ended before the tickets had come, because
// of a wrong passphrase or a kill, is not the last that looks at them.
func TestTheSecondStartLooksForTicketsToo(t *testing.T) {
	t.Parallel()
	old, ours := t.TempDir(), t.TempDir()
	key := `{"address":"00000000000000000000000000000000000000aa","crypto":{"cipher":"aes-128-ctr"},"version":3}`
	if err := os.Mkdir(filepath.Join(old, migrate.KeystoreName), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{filepath.Join(migrate.KeystoreName, "UTC--key"): key,
		migrate.DatabaseName: ""} {
		if err := os.WriteFile(filepath.Join(old, path), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg := &config.Config{}
	cfg.Storage.MoveFrom, cfg.Storage.OldDataDir, cfg.Storage.DataDir = "auto", old, ours
	for range 2 {
		p := NewMigration(&nodeenv.Env{Config: cfg, Log: slog.New(slog.DiscardHandler)})
		if err := p.CopyKeys(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		if p.existing == nil || !p.existing.Wanted {
			t.Error("the tickets are not looked for")
		}
	}
	// One with a key of its own is not the existing node's successor.
	if err := os.RemoveAll(filepath.Join(ours, migrate.KeystoreName)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(ours, migrate.KeystoreName), 0o700); err != nil {
		t.Fatal(err)
	}
	other := `{"address":"00000000000000000000000000000000000000bb","crypto":{"cipher":"aes-128-ctr"},"version":3}`
	if err := os.WriteFile(filepath.Join(ours, migrate.KeystoreName, "UTC--other"), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	p := NewMigration(&nodeenv.Env{Config: cfg, Log: slog.New(slog.DiscardHandler)})
	if err := p.CopyKeys(context.Background(), 0); err != nil || p.existing.Wanted {
		t.Error("somebody else's directory is taken over", err)
	}
}

// Keys alone are worth taking over, but never from our own directory.
func TestAKeystoreWithoutDatabaseIsFound(t *testing.T) {
	t.Parallel()
	old := t.TempDir()
	if err := os.Mkdir(filepath.Join(old, migrate.KeystoreName), 0o700); err != nil {
		t.Fatal(err)
	}
	cfg := &config.Config{}
	cfg.Storage.MoveFrom, cfg.Storage.OldDataDir, cfg.Storage.DataDir = "auto", old, t.TempDir()
	if o, err := command.FindExisting(cfg, 0); o != nil || err != nil {
		t.Errorf("an empty keystore: %+v, %v", o, err)
	}
	key := `{"address":"639fe6ab55c921f74e7fac1ee960c0b6293ba612","crypto":{"cipher":"aes-128-ctr","ciphertext":"00",` +
		`"kdf":"scrypt"},"version":3}`
	if err := os.WriteFile(filepath.Join(old, migrate.KeystoreName, "UTC--one"), []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	if !migrate.HasKeys(old) {
		t.Fatal("the key is not seen")
	}
	if o, err := command.FindExisting(cfg, 0); err != nil || o == nil || o.Dir != old || o.Wanted {
		t.Errorf("a key without a database: %+v, %v", o, err)
	}
	cfg.Storage.DataDir = old
	if o, err := command.FindExisting(cfg, 0); o != nil || err != nil {
		t.Errorf("the node's own directory: %+v, %v", o, err)
	}
}
