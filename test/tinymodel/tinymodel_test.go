package tinymodel_test

import (
	"bytes"
	"testing"

	"github.com/tuttinode/tutti/test/tinymodel"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		1: "one", 13: "thirteen", 20: "twenty", 42: "forty-two", 100: "one-hundred", 999: "nine-hundred-ninety-nine",
	} {
		if got := tinymodel.Word(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	seen := map[string]bool{}
	for n := 1; n <= tinymodel.MaxWords; n++ {
		if w := tinymodel.Word(n); seen[w] {
			t.Errorf("%q is said twice", w)
		} else {
			seen[w] = true
		}
	}
	if got := tinymodel.Text(3); got != " one two three" {
		t.Errorf("text is %q", got)
	}
}

func TestMake(t *testing.T) {
	t.Parallel()
	one, err := tinymodel.Make(tinymodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := tinymodel.Make(tinymodel.Options{})
	if err != nil || !bytes.Equal(one, two) {
		t.Error("the same options make different files")
	}
	if !bytes.HasPrefix(one, []byte("GGUF")) || len(one) < 300<<10 || len(one) > 2<<20 {
		t.Errorf("the file has %d bytes and begins with %q", len(one), one[:4])
	}
	for _, bad := range []tinymodel.Options{{Words: 1000}, {Words: -1}, {Embedding: 62}} {
		if _, err := tinymodel.Make(bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}
