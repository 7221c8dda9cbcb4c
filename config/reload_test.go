package config_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
)

func load(t *testing.T, files map[string]string, args ...string) *config.Config {
	t.Helper()
	cfg, _, err := config.Load(config.Input{Args: args, Home: "/h", ReadFile: func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestCompare(t *testing.T) {
	t.Parallel()
	base := []string{"-orchestrator", "-transcoder", "-serviceAddr", "127.0.0.1:8935", "-config", "/c", "-orchSecret",
		"/s"}
	old := load(t, map[string]string{"/c": "maxSessions 10\nv 3\n", "/s": "first"}, base...)
	for _, tt := range []struct {
		name, file, secret string
		want               string
	}{
		{"nothing", "maxSessions 10\nv 3", "first", ""},
		{"another spelling of the same", "v 3\nmaxSessions 10\n\n# a comment", "first", ""},
		{"a limit", "maxSessions 20\nv 3", "first", "maxSessions 10→20 live /c:1"},
		{"a secret's file", "maxSessions 10", "second", "orchSecret ***→*** live flag -orchSecret"},
		{"what needs a restart", "maxSessions 10\ncliAddr 127.0.0.1:7000", "first",
			"cliAddr 127.0.0.1:7935→127.0.0.1:7000 restart /c:2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			next := load(t, map[string]string{"/c": tt.file, "/s": tt.secret}, base...)
			var got []string
			for _, d := range config.Compare(old, next) {
				how := "restart"
				if d.Live {
					how = "live"
				}
				got = append(got, d.Option+" "+d.Old+"→"+d.New+" "+how+" "+d.Origin.String())
			}
			if text := strings.Join(got, "\n"); text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}

// TestLiveOptionsExist: a name that is misspelled in the list would be a promise that
// nothing keeps.
func TestLiveOptionsExist(t *testing.T) {
	t.Parallel()
	var doc strings.Builder
	if err := config.WriteDoc(&doc); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(doc.String(), " R |\n"); n != len(config.Live()) {
		t.Errorf("%d options are marked, %d are named", n, len(config.Live()))
	}
}
