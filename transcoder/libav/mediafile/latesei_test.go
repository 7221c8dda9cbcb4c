package mediafile

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "make testdata/late.ts anew from testdata/good.ts")

// delay does the reverse of LateSEI: every SEI unit goes behind its frame's
// slices, which is how broken sources send them.
func delay(data []byte) []byte {
	out := bytes.Clone(data)
	chunks := videoChunks(out)
	var stream, broken []byte
	for c := range chunks {
		stream = append(stream, out[c.from:c.to]...)
	}
	var access []unit
	flush := func() {
		for _, late := range []bool{false, true} {
			for _, u := range access {
				if isSEI(u) == late {
					broken = append(broken, stream[u.from:u.to]...)
				}
			}
		}
		access = access[:0]
	}
	for u, ok := nextUnit(stream, 0); ok; u, ok = nextUnit(stream, u.to) {
		if u.kind == unitDelimiter {
			flush()
		}
		access = append(access, u)
	}
	flush()
	for c := range chunks {
		broken = broken[copy(out[c.from:c.to], broken):]
	}
	return out
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLateSEI(t *testing.T) {
	t.Parallel()
	good := read(t, "testdata/good.ts")
	if *update {
		if err := os.WriteFile("testdata/late.ts", delay(good), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	late := read(t, "testdata/late.ts")
	if bytes.Equal(good, late) {
		t.Fatal("the broken segment is not broken")
	}
	before := bytes.Clone(late)
	fixed := LateSEI(late)
	if !bytes.Equal(late, before) {
		t.Error("the input was changed")
	}
	if !bytes.Equal(fixed, good) {
		t.Error("the repaired segment is not the good one")
	}
	if again := LateSEI(fixed); &again[0] != &fixed[0] {
		t.Error("a good segment was copied")
	}
}

func TestUnitOrder(t *testing.T) {
	t.Parallel()
	nal := func(kind byte, payload ...byte) []byte { return append([]byte{0, 0, 1, kind}, payload...) }
	long := func(kind byte, payload ...byte) []byte { return append([]byte{0}, nal(kind, payload...)...) }
	join := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	tests := []struct {
		name     string
		in, want []byte
	}{
		{"nothing late", join(long(9, 0xf0), nal(6, 1), nal(5, 2)), join(long(9, 0xf0), nal(6, 1), nal(5, 2))},
		{"late", join(long(9, 0xf0), nal(5, 2), nal(6, 1)), join(long(9, 0xf0), nal(6, 1), nal(5, 2))},
		{"between slices, two of them, with parameter sets",
			join(long(9, 0xf0), nal(7, 3), nal(1, 2), nal(6, 1), nal(1, 4), long(6, 5), nal(12, 6)),
			join(long(9, 0xf0), nal(7, 3), nal(6, 1), long(6, 5), nal(1, 2), nal(1, 4), nal(12, 6))},
		{"frames stay apart",
			join(long(9, 0xf0), nal(5, 2), nal(6, 1), long(9, 0xf0), nal(1, 3), nal(6, 4)),
			join(long(9, 0xf0), nal(6, 1), nal(5, 2), long(9, 0xf0), nal(6, 4), nal(1, 3))},
		{"no delimiters", join(nal(5, 2), nal(6, 1)), join(nal(5, 2), nal(6, 1))},
		{"no units", []byte{1, 2, 3}, []byte{1, 2, 3}},
		{"a cut start code", []byte{0, 0, 1}, []byte{0, 0, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := bytes.Clone(tt.in)
			var s scanner
			found := false
			for _, b := range tt.in {
				found = found || s.feed([]byte{b})
			}
			if found == bytes.Equal(tt.in, tt.want) {
				t.Errorf("found is %v", found)
			}
			if moved := moveLate(got); moved == bytes.Equal(tt.in, tt.want) {
				t.Errorf("moved is %v", moved)
			}
			if !bytes.Equal(got, tt.want) {
				t.Errorf("got %x\nwant %x", got, tt.want)
			}
		})
	}
}

// Whatever comes in, nothing panics, sizes stay, all that is no video stays, and
// the same bytes are there afterwards.
func FuzzLateSEI(f *testing.F) {
	f.Add(read(f, "testdata/good.ts"))
	f.Add(read(f, "testdata/late.ts"))
	f.Add([]byte{syncByte})
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		out := LateSEI(data)
		if !bytes.Equal(data, before) {
			t.Fatal("the input was changed")
		}
		if len(out) != len(data) {
			t.Fatalf("%d bytes from %d", len(out), len(data))
		}
		if !slices.Equal(histogram(out), histogram(data)) {
			t.Fatal("bytes were lost or made")
		}
		if again := LateSEI(out); !bytes.Equal(again, out) {
			t.Fatal("a repaired segment needs repair")
		}
	})
}

func histogram(b []byte) []int {
	h := make([]int, 256)
	for _, c := range b {
		h[c]++
	}
	return h
}

func BenchmarkLateSEI(b *testing.B) {
	data := bytes.Repeat(read(b, "testdata/good.ts"), 100)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		LateSEI(data)
	}
}
