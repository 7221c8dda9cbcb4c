package sse

import (
	"encoding/json"
	"strings"
	"testing"
)

// texts are JSON and what is close to it.
var texts = []string{
	`{}`, `[]`, `null`, `true`, `false`, `0`, `-0`, `12.5e+3`, `1E9`, `""`, `"\u00e9\n\"\\\/"`,
	` { "a" : [ 1 , {"b":null} ] } `,
	`{"choices":[{"delta":{"content":"é"},"finish_reason":null}],"usage":{"prompt_tokens":1}}`, "[0]\n",
	``, ` `, `{`, `{}}`, `[}`, `{]`, `[1,]`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{1:2}`, `{,}`, `[,]`, `01`, `-`, `1.`, `.5`,
	`1e`, `1e+`,
	`+1`, `nul`, `nulls`, `True`, `"`, `"\x"`, `"\u00g0"`, "\"\n\"", `"a" "b"`, `{} {}`, `[1 2]`, `{"a":1 "b":2}`, `1 1`,
	`--1`, `0x1`,
	"\"\x7f\xff\"", "\x00", `{"a":[[[[[]]]]]}`, `[1.5.2]`, `[1e5e5]`, `[1-2]`, `"\`, `"\u12`,
}

func checked(text string, at int) bool {
	var s syntax
	at = min(at, len(text))
	s.feed([]byte(text[:at]))
	s.feed([]byte(text[at:]))
	return s.valid()
}

func TestSyntax(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		for at := range len(text) + 1 {
			if got, want := checked(text, at), json.Valid([]byte(text)); got != want {
				t.Errorf("%q cut at %d: %v, want %v", text, at, got, want)
			}
		}
	}
	deep := strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting)
	if !checked(deep, 7) || checked("["+deep+"]", 7) {
		t.Error("depth")
	}
}

func FuzzSyntax(f *testing.F) {
	for _, text := range texts {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		want := json.Valid([]byte(text))
		if strings.Count(text, "[")+strings.Count(text, "{") > maxNesting {
			return
		}
		if got := checked(text, max(0, at)); got != want {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}
