package config_test

import (
	"io/fs"
	"testing"

	"github.com/tuttinode/tutti/config"
)

func TestServiceDataDir(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"orchestrator\ndataDir /var/lib/tutti/devnet\n": "/var/lib/tutti/devnet",
		"netwrok x\ndatadir /a\ndataDir /b c\n":         "/b c",
		"#dataDir /x\norchestrator\n":                   "",
		"":                                              "",
	} {
		got := config.ServiceDataDir(func(path string) ([]byte, error) {
			if path != config.ServiceFile {
				t.Errorf("reads %s", path)
			}
			return []byte(text), nil
		})
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := config.ServiceDataDir(func(string) ([]byte, error) { return nil, fs.ErrPermission }); got != "" {
		t.Errorf("%q of a file that cannot be read", got)
	}
}
