package livevideo

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
)

// FuzzParams reads parameters of all kinds: the effect is one that exists, and stays where they are wrong.
func FuzzParams(f *testing.F) {
	for _, text := range []string{"", "{}", "null", "[]", `{"effect":"gray"}`, `{"effect":""}`, `{"effect":null}`,
		`{"effect":7}`, `{"keep":"alive"}`, `{"effect":"` + strings.Repeat("x", maxParams) + `"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		effect, err := parseParams(data, core.EffectEdges)
		if !effect.Valid() || effect == core.EffectNone || err != nil && effect != core.EffectEdges {
			t.Errorf("%q: %v %v", data, effect, err)
		}
	})
}

func TestParams(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]core.Effect{
		"": core.EffectGray, "{}": core.EffectGray, `{"prompt":"a cat"}`: core.EffectGray,
		`{"effect":"edges"}`: core.EffectEdges, `{"effect":"negative"}`: core.EffectNegative,
		`{"effect":"none"}`: core.EffectPlain,
	} {
		if got, err := parseParams([]byte(text), core.EffectGray); err != nil || got != want {
			t.Errorf("%s: %s %v", text, got, err)
		}
	}
	for _, text := range []string{`{"effect":""}`, `{"effect":"blur"}`, "x", `"edges"`} {
		if _, err := parseParams([]byte(text), core.EffectGray); err == nil {
			t.Error(text)
		}
	}
}
