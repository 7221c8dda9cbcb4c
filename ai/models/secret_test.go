package models_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core"
)

// Nothing that can be printed, logged or encoded shows a token, not even of a
// file that is refused.
func TestTokensAreNeverShown(t *testing.T) {
	t.Parallel()
	const secret = "geheim"
	for _, dir := range []string{"bad", "good"} {
		for _, f := range fixtures(t, dir) {
			cfg, notices, err := f.load(t)
			var out bytes.Buffer
			log := slog.New(slog.NewJSONHandler(&out, nil))
			text := slog.New(slog.NewTextHandler(&out, nil))
			for _, e := range cfg.Entries {
				fmt.Fprintf(&out, "%v %+v %#v %s %q %x", e, e, e.Token, e.Token, e.Token, e.Token)
				fmt.Fprintf(&out, "%v %+v %s", e.Flags, e.Environment(), e.Environment())
				log.Info("entry", "entry", e, "token", e.Token, "flags", e.Flags)
				text.Info("entry", "entry", e, "token", e.Token, "flags", e.Flags)
				if err := json.NewEncoder(&out).Encode(e); err != nil {
					t.Fatal(err)
				}
			}
			fmt.Fprint(&out, notices, err)
			if err := cfg.WriteCheck(&out, nil); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.String(), secret) {
				t.Errorf("%s shows a token", f.name)
			}
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	s := core.NewSecret("x")
	if s.Reveal() != "x" || s.IsZero() || s.String() != "***" {
		t.Errorf("%q %q", s.Reveal(), s)
	}
	var none core.Secret
	if none.Reveal() != "" || !none.IsZero() || none.String() != "" || core.NewSecret("") != none {
		t.Error("no secret has a value")
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"HF_TOKEN", "HF_TOKEN=***"}, {"AUTH_TOKEN", "AUTH_TOKEN=***"}, {"hf_token_x", "hf_token_x=***"},
		{"API_KEY", "API_KEY=***"},
		{"KEY_ID", "KEY_ID=***"}, {"MY_SECRET", "MY_SECRET=***"}, {"PASSWORD", "PASSWORD=***"},
		{"MAX_NUM_BATCHED_TOKENS", "MAX_NUM_BATCHED_TOKENS=v"}, {"MAX_TOKEN", "MAX_TOKEN=v"}, {"MONKEY", "MONKEY=v"},
		{"SFAST", "SFAST=v"},
	} {
		s := models.NewSetting(c.name, "v")
		if s.String() != c.want || s.Value() != "v" {
			t.Errorf("%s, want %s", s, c.want)
		}
	}
	ss := models.Settings{models.NewSetting("A", "1"), models.NewSetting("B", "")}
	if v, ok := ss.Lookup("B"); !ok || v != "" || ss.String() != "A=1 B=" {
		t.Errorf("%q %v %q", v, ok, ss)
	}
	if _, ok := ss.Lookup("C"); ok {
		t.Error("a variable is there that was not set")
	}
}
