package mediafile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

func box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(append(out, kind...), body...)
}

func u32(v ...uint32) []byte {
	var out []byte
	for _, x := range v {
		out = binary.BigEndian.AppendUint32(out, x)
	}
	return out
}

func index(table []byte) []byte {
	return box("moov", box("mvhd", make([]byte, 12)),
		box("trak", box("tkhd"), box("mdia", box("minf", box("stbl", box("stts"), table)))))
}

func TestMoovFirst(t *testing.T) {
	t.Parallel()
	ftyp, mdat := box("ftyp", []byte("isom")), box("mdat", []byte("media bytes"))
	at := uint32(len(ftyp) + 8)
	big := func(v uint64) []byte { return binary.BigEndian.AppendUint64(u32(0, 1), v) }
	tests := []struct {
		name  string
		table func(shift uint32) []byte
	}{
		{"32 bits", func(s uint32) []byte { return box("stco", u32(0, 2, at+s, at+6+s)) }},
		{"64 bits", func(s uint32) []byte { return box("co64", big(uint64(at+s))) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			moov := index(tt.table(0))
			in := bytes.Join([][]byte{ftyp, mdat, moov, box("free")}, nil)
			want := bytes.Join([][]byte{ftyp, index(tt.table(uint32(len(moov)))), mdat, box("free")}, nil)
			got, err := mediafile.MoovFirst(in)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			again, err := mediafile.MoovFirst(got)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("a file in order was changed: %v", err)
			}
		})
	}
}

func TestMoovFirstRefuses(t *testing.T) {
	t.Parallel()
	ftyp, mdat := box("ftyp"), box("mdat", []byte("x"))
	// A reader that goes on behind such a box begins the file again.
	wraps := append(u32(1, 0x66726565), u32(math.MaxUint32, math.MaxUint32-7)...)
	tests := map[string][]byte{
		"a size that wraps":   append(bytes.Clone(ftyp), wraps...),
		"one in the index":    bytes.Join([][]byte{ftyp, mdat, box("moov", wraps)}, nil),
		"no index":            append(bytes.Clone(ftyp), mdat...),
		"stray bytes":         append(bytes.Clone(ftyp), 1, 2, 3),
		"a box too long":      u32(100, 0x6d6f6f76),
		"a box too short":     u32(4, 0x6d6f6f76),
		"a cut 64-bit header": u32(1, 0x6d6f6f76),
		"a cut table":         bytes.Join([][]byte{ftyp, mdat, index(box("stco", u32(0)))}, nil),
		"a table too long":    bytes.Join([][]byte{ftyp, mdat, index(box("stco", u32(0, 9, 1)))}, nil),
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := mediafile.MoovFirst(in); !errors.Is(err, mediafile.ErrMalformed) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func FuzzMoovFirst(f *testing.F) {
	ftyp, mdat := box("ftyp", []byte("isom")), box("mdat", []byte("media"))
	f.Add(bytes.Join([][]byte{ftyp, mdat, index(box("stco", u32(0, 1, 20)))}, nil))
	f.Add(bytes.Join([][]byte{ftyp, index(box("stco", u32(0, 1, 20))), mdat}, nil))
	f.Add(bytes.Join([][]byte{mdat, index(box("stco", u32(0, 1, 20))), ftyp}, nil))
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		out, err := mediafile.MoovFirst(in)
		if !bytes.Equal(in, before) {
			t.Fatal("the input was changed")
		}
		if err == nil && len(out) != len(in) {
			t.Fatalf("%d bytes from %d", len(out), len(in))
		}
	})
}

// BenchmarkMoovFirst moves the index of a rendition of 2 s and 1 MB, with a chunk for each of its 60 frames
// and 94 frames of sound.
func BenchmarkMoovFirst(b *testing.B) {
	const chunks, size = 154, 7000
	offsets := u32(0, chunks)
	for i := range uint32(chunks) {
		offsets = append(offsets, u32(32+i*size)...)
	}
	in := bytes.Join([][]byte{box("ftyp", make([]byte, 16)), box("mdat", make([]byte, chunks*size)),
		index(box("stco", offsets))}, nil)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := mediafile.MoovFirst(in); err != nil {
			b.Fatal(err)
		}
	}
}
