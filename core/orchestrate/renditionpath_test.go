package orchestrate_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/orchestrate"
)

func TestParsePath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]orchestrate.Path{
		"0123abcd/P720p/7.ts":  {Session: "0123abcd", Dir: "P720p", Number: 7},
		"0123abcd/P720p/0.mp4": {Session: "0123abcd", Dir: "P720p", Format: core.FormatMP4},
		"0123abcd/a.b/-3.ts":   {Session: "0123abcd", Dir: "a.b", Number: -3},
		"0123abcd/P720p/7.mp4.phash": {Session: "0123abcd", Dir: "P720p", Number: 7, Format: core.FormatMP4,
			Signature: true},
	} {
		got, ok := orchestrate.ParsePath(text)
		if !ok || got != want {
			t.Errorf("%s: %+v, %v", text, got, ok)
		}
		if got.String() != text {
			t.Errorf("%s written as %s", text, got)
		}
	}
	for _, text := range []string{
		"", "/", "0123abcd", "0123abcd/P720p", "0123abcd/P720p/", "0123abcd//7.ts", "0123abcd/../7.ts",
		"0123ABCD/P720p/7.ts", "0123abc/P720p/7.ts", "0123abcd/P720p/07.ts", "0123abcd/P720p/+7.ts",
		"0123abcd/P720p/7", "0123abcd/P720p/7.mkv", "0123abcd/P720p/x/7.ts", "0123abcd/a b/7.ts",
		"0123abcd/P720p/99999999999999999999.ts", "0123abcd/P720p/7.phash", "0123abcd/P720p/7.ts.phash.phash",
	} {
		if p, ok := orchestrate.ParsePath(text); ok {
			t.Errorf("%q was read as %+v", text, p)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"0123abcd/P720p/7.ts", "0123abcd/p/-1.mp4.phash", "../../etc/passwd",
		"0123abcd/%2e/1.ts"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := orchestrate.ParsePath(text); ok && p.String() != text {
			t.Errorf("%q was read as %q", text, p)
		}
	})
}
