package docker_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/docker"
)

// frame is a piece of output as the engine sends it.
func frame(stream byte, text string) string {
	header := []byte{stream, 0, 0, 0}
	return string(binary.BigEndian.AppendUint32(header, uint32(len(text)))) + text
}

func TestTail(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string
		n           int
		want        []string
	}{
		{"nothing", "", 5, nil},
		{"lines of two streams", frame(1, "a\n") + frame(2, "b\n") + frame(1, "c\n"), 5, []string{"a", "b", "c"}},
		{"the last ones", frame(1, "a\nb\nc\nd"), 2, []string{"c", "d"}},
		{"none wanted", frame(1, "a\nb"), 0, nil},
		{"a line in pieces, another stream between", frame(1, "he") + frame(2, "x\n") + frame(1, "llo\n"), 5,
			[]string{"x", "hello"}},
		{"empty lines are not kept", frame(1, "\n\n a \n\r\n"), 5, []string{"a"}},
		{"Windows ends", frame(1, "a\r") + frame(1, "\nb\r\n"), 5, []string{"a", "b"}},
		{"a progress bar", frame(1, "10%\r20%\r") + frame(1, "30%\nend"), 5, []string{"30%", "end"}},
		{"colors", frame(1, "\x1b[1;31merror\x1b[0m: \x00x\x07\n"), 5, []string{"error:  x"}},
		{"not text", frame(1, "a\xff\xfeb\n"), 5, []string{"a\uFFFDb"}},
		{"cut in the middle of a frame", frame(1, "hello\nworld")[:15], 5, []string{"hello", "w"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _, err := docker.Tail(strings.NewReader(tt.input), tt.n)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestTailIsBounded(t *testing.T) {
	t.Parallel()
	long := frame(1, strings.Repeat("x", 1<<20)+"\n")
	got, warning, err := docker.Tail(strings.NewReader(long+frame(1, "end")), 20)
	if err != nil || len(got) != 2 || len(got[0]) != 512 || got[1] != "end" || warning != "" {
		t.Errorf("%d lines, %v", len(got), err)
	}
	var many strings.Builder
	for i := range 100 {
		many.WriteString(frame(2, fmt.Sprintf("%d %s\n", i, strings.Repeat("y", 400))))
	}
	got, warning, err = docker.Tail(strings.NewReader(many.String()), 1000)
	total := len(strings.Join(got, ""))
	if err != nil || len(got) > 20 || total > 4096 || total < 3000 || !strings.HasPrefix(warning, "99 ") ||
		got[len(got)-1] != warning {
		t.Errorf("%d lines of %d bytes, %v", len(got), total, err)
	}
}

func TestTailRefusesOtherFraming(t *testing.T) {
	t.Parallel()
	for _, input := range []string{"plain text output\n", frame(1, "good\n") + "\x09\x00\x00\x00\x00\x00\x00\x01x"} {
		if _, _, err := docker.Tail(strings.NewReader(input), 5); err == nil {
			t.Errorf("%q was taken", input)
		}
	}
}

func FuzzTail(f *testing.F) {
	f.Add([]byte(frame(1, "a\n")+frame(2, "b\r\nc")), 3)
	f.Add([]byte(frame(1, "10%\r20%\r\n\x1b[31mred")), 20)
	f.Add([]byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 'x'}, 5)
	f.Fuzz(func(t *testing.T, input []byte, n int) {
		got, _, _ := docker.Tail(bytes.NewReader(input), n)
		if len(got) > max(n, 0) || len(got) > 20 || len(strings.Join(got, "")) > 4096 {
			t.Fatalf("%d lines of %d bytes for %d", len(got), len(strings.Join(got, "")), n)
		}
		for _, line := range got {
			if line == "" || strings.ContainsAny(line, "\n\r\x1b\x00") {
				t.Fatalf("%q", line)
			}
		}
	})
}
