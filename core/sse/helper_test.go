package sse_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
)

const vectors = "../../test/vectors/ai/streams"

func stream(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(vectors, name+".sse"))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// streams are all recorded ones, by name.
func streams(tb testing.TB) map[string][]byte {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(vectors, "*.sse"))
	if err != nil || len(paths) < 10 {
		tb.Fatalf("found %d streams, %v", len(paths), err)
	}
	all := make(map[string][]byte)
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".sse")
		all[name] = stream(tb, name)
	}
	return all
}

// seen is all that a scanner tells.
type seen struct {
	Events, Content                  int
	Usage                            inference.Usage
	Reported, Done, Finished, Failed bool
	Border                           int64
	Between                          bool
}

func look(s *sse.Scanner) seen {
	_, reported := s.ReportedUsage()
	return seen{
		Events: s.Events(), Content: s.Content(), Usage: s.Usage(), Reported: reported,
		Done: s.Done(), Finished: s.Finished(), Failed: s.Failed(), Border: s.Border(), Between: s.AtBorder(),
	}
}

// cut feeds p in pieces that end at the places.
func cut(p []byte, cuts []int, feed func([]byte)) {
	at := 0
	for _, fallback := range cuts {
		if fallback > at && fallback < len(p) {
			feed(p[at:fallback])
			at = fallback
		}
	}
	feed(p[at:])
}

func scan(p []byte, cuts ...int) seen {
	var s sse.Scanner
	cut(p, cuts, s.Feed)
	s.End()
	return look(&s)
}

func filtered(f sse.Filter, p []byte, cuts ...int) string {
	var out []byte
	cut(p, cuts, func(part []byte) { out = f.Feed(out, part) })
	return string(f.End(out, false))
}
