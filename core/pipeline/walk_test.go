package pipeline_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/pipeline"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	text := []byte(` {"a" : [1, {"x":2}] ,"\u0062":"s\"","a":1e9} `)
	var got []string
	err := pipeline.Members(text, func(name []byte, from, to int) error {
		got = append(got, string(name)+"="+string(text[from:to]))
		return nil
	})
	if want := `a=[1, {"x":2}]|b="s\""|a=1e9`; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%v, %q", err, got)
	}
	for _, bad := range []string{``, `[]`, `{"a":}`, `{"a":1}x`, `{"a":1`, `{"\ud":1}`, "{\"a\":\"\xff\"}", "null"} {
		if err := pipeline.Members([]byte(bad), func([]byte, int, int) error { return nil }); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	mine := errors.New("mine")
	if err := pipeline.Members([]byte(`{"a":1}`), func([]byte, int, int) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("%v", err)
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	text := []byte(` [1, "b" ,[ ], null] `)
	var got []string
	err := pipeline.Elements(text, func(from, to int) error {
		got = append(got, string(text[from:to]))
		return nil
	})
	if want := `1|"b"|[ ]|null`; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%v, %q", err, got)
	}
	for _, bad := range []string{``, `{}`, `[1,]`, `[1`, `[1] 2`} {
		if err := pipeline.Elements([]byte(bad), func(int, int) error { return nil }); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// However many members an object has, looking at them takes no memory.
func TestMembersCostNothing(t *testing.T) {
	text := []byte(`{"a":[` + strings.Repeat(`{},`, 1<<15) + `{}]` + strings.Repeat(`,"z":{}`, 1<<15) + `}`)
	count := 0
	if n := testing.AllocsPerRun(5, func() {
		count = 0
		_ = pipeline.Members(text, func([]byte, int, int) error { count++; return nil })
	}); n > 10 || count != 1<<15+1 {
		t.Errorf("%v allocations for %d members", n, count)
	}
}
