package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/pipeline"
)

// conversation is a chat of turns messages about a subject.
func conversation(subject string, turns int) []byte {
	var b strings.Builder
	b.WriteString(`{"messages":[{"role":"system","content":"Be brief."}`)
	for i := range turns {
		role := [2]string{"user", "assistant"}[i%2]
		fmt.Fprintf(&b, `,{"role":%q,"content":"%s %d"}`, role, subject, i)
	}
	return []byte(b.String() + `],"model":"m"}`)
}

func TestPrefixHashes(t *testing.T) {
	t.Parallel()
	short, long := pipeline.PrefixHashes(conversation("bread", 3)), pipeline.PrefixHashes(conversation("bread", 5))
	if len(short) != 4 || len(long) != 6 || !slices.Equal(short, long[:4]) {
		t.Errorf("a conversation that goes on has other marks: %x, %x", short, long)
	}
	other := pipeline.PrefixHashes(conversation("butter", 3))
	if other[0] != short[0] || other[1] == short[1] || other[3] == short[3] {
		t.Errorf("conversations share %x and %x", short, other)
	}
	if got := pipeline.PrefixHashes([]byte(`{"model":"m"}`)); got != nil {
		t.Errorf("no chat has marks %x", got)
	}
}

// TestPrefixHashesOfLongText: a long text that is continued otherwise shares its
// beginning.
func TestPrefixHashesOfLongText(t *testing.T) {
	t.Parallel()
	mark := func(end string) []uint64 {
		text := strings.Repeat("a long document, ", 1000) + end
		return pipeline.PrefixHashes([]byte(`{"messages":[{"role":"user","content":"` + text + `"}]}`))
	}
	a, b := mark("and a question"), mark("and another")
	n := len(a)
	if n != 17000/2048+1 || len(b) != n || !slices.Equal(a[:n-1], b[:n-1]) || a[n-1] == b[n-1] {
		t.Errorf("%x\n%x", a, b)
	}
}

func TestPrefixHashesAreBounded(t *testing.T) {
	t.Parallel()
	short, long := pipeline.PrefixHashes(conversation("x", 200)), pipeline.PrefixHashes(conversation("x", 202))
	if len(short) != 32 || len(long) != 32 {
		t.Fatalf("%d and %d marks", len(short), len(long))
	}
	if !slices.Equal(short[:8], long[:8]) || short[31] != long[29] {
		t.Error("a long conversation that goes on shares nothing")
	}
}

// TestPrefixHashesCut: the same bytes cut into messages elsewhere are another
// conversation.
func TestPrefixHashesCut(t *testing.T) {
	t.Parallel()
	mark := func(a, b string) []uint64 {
		return pipeline.PrefixHashes([]byte(`{"messages":[{"role":"user","content":"` + a +
			`"},{"role":"user","content":"` + b + `"}]}`))
	}
	if a, b := mark("ab", "c"), mark("a", "bc"); a[1] == b[1] {
		t.Error("two conversations have one mark")
	}
}
