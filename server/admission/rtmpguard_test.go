package admission

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/bluenviron/gortmplib/pkg/bytecounter"
	"github.com/bluenviron/gortmplib/pkg/rawmessage"
)

// hello are the bytes of a handshake.
func hello() []byte { return append([]byte{plainVersion}, make([]byte, handshakeBytes-1)...) }

// chunk0 is a chunk that begins a message of a length, with some bytes of its body.
func chunk0(stream, kind byte, length int, body []byte) []byte {
	head := []byte{stream, 0, 0, 0, byte(length >> 16), byte(length >> 8), byte(length), kind, 0, 0, 0, 0}
	return append(head, body...)
}

func chunkSize(n uint32) []byte {
	return chunk0(2, typeChunkSize, 4, binary.BigEndian.AppendUint32(nil, n))
}

// What would make the library keep too much is refused before the library gets it.
func TestTheRTMPGuardRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data     []byte
		admitted bool
	}{
		"encryption":           {data: []byte{6}},
		"HTTP":                 {data: []byte("GET / HTTP/1.1\r\n")},
		"a large command":      {data: append(hello(), chunk0(3, 20, maxCommand+1, nil)...)},
		"media too early":      {data: append(hello(), chunk0(3, typePicture, maxCommand+1, nil)...)},
		"a large picture":      {data: append(hello(), chunk0(3, typePicture, maxPicture+1, nil)...), admitted: true},
		"large sound":          {data: append(hello(), chunk0(3, typeSound, maxSound+1, nil)...), admitted: true},
		"large metadata":       {data: append(hello(), metadata(maxCommand+1)...), admitted: true},
		"a large beginning":    {data: append(hello(), extended(0x90, maxCommand+1)...), admitted: true},
		"one of a track":       {data: append(hello(), extended(0x96, 1<<20+1)...), admitted: true},
		"chunks of nothing":    {data: append(hello(), chunkSize(0)...)},
		"chunks of a byte":     {data: append(hello(), chunkSize(1)...)},
		"huge chunks":          {data: append(hello(), chunkSize(1<<31)...)},
		"a goes on without b":  {data: append(hello(), 0xc3)},
		"streams above 63":     {data: append(hello(), 0x00)},
		"many unfinished ones": {data: append(hello(), unfinished(3)...), admitted: true},
		"a message in another": {data: append(append(hello(), chunk0(3, 20, 1000, make([]byte, 128))...), 3)},
	} {
		g := NewRTMPGuard(bytes.NewReader(c.data))
		g.admitted = c.admitted
		if _, err := io.Copy(io.Discard, g); !errors.Is(err, ErrRTMP) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// extended begins an extended picture with its first byte.
func extended(first byte, length int) []byte {
	return chunk0(3, typePicture, length, append([]byte{first}, make([]byte, 127)...))
}

// metadata begins the metadata of a picture with as many bytes as the library reads by recursion.
func metadata(length int) []byte {
	return chunk0(3, typePicture, length, append([]byte("\x84hvc1"), make([]byte, 123)...))
}

// unfinished begins pictures of the most bytes in several series.
func unfinished(n byte) (out []byte) {
	for i := range n {
		out = append(out, chunk0(3+i, typePicture, maxPicture, make([]byte, 128))...)
	}
	return out
}

// An encoder's messages pass, in chunks of its choice and with times of four bytes.
func TestTheRTMPGuardPassesAnEncoder(t *testing.T) {
	t.Parallel()
	var wire bytes.Buffer
	w := rawmessage.NewWriter(&wire, bytecounter.NewWriter(&wire), false)
	for i, size := range []uint32{128, 4096, 60000} {
		w.SetChunkSize(size)
		wire.Write(chunkSize(size))
		for n := range 40 {
			if err := w.Write(&rawmessage.Message{ChunkStreamID: 6, Type: typePicture, MessageStreamID: 1 << 24,
				Timestamp: 1 << 44 * 0, Body: bytes.Repeat([]byte{byte(i)}, 1000*n+1)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	g := NewRTMPGuard(bytes.NewReader(append(hello(), wire.Bytes()...)))
	g.admitted = true
	if _, err := io.Copy(io.Discard, g); err != nil {
		t.Error(err)
	}
	if g.unfinished != 0 || g.at != nil {
		t.Error("the guard lost the beginning of a chunk", g.unfinished)
	}
}

// FuzzRTMPGuard: what the guard lets pass stays within the bounds in the library too, whose view of the chunks is the
// guard's.
func FuzzRTMPGuard(f *testing.F) {
	f.Add(append(chunkSize(4096), chunk0(3, typePicture, 300, make([]byte, 300))...))
	f.Add(append(chunk0(3, 20, 200, make([]byte, 128)), append([]byte{0xc3}, make([]byte, 72)...)...))
	f.Add([]byte{3, 0xff, 0xff, 0xff, 0, 0, 2, 9, 0, 0, 0, 0, 1, 0, 0, 0, 7, 7, 0xc3, 1, 0, 0, 0, 7, 7})
	f.Add([]byte{3, 0xff, 0xff, 0xff, 0, 0, 2, 9, 0, 0, 0, 0, 0, 0, 0, 5, 7, 7, 0xc3, 7, 7, 0x43, 0, 0, 1, 0, 0, 1, 8, 1})
	f.Add(append(chunkSize(0), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		g := NewRTMPGuard(bytes.NewReader(append(hello(), data...)))
		g.admitted = true
		if _, err := io.CopyN(io.Discard, g, handshakeBytes); err != nil {
			return // refused with the first bytes
		}
		whole := NewRTMPGuard(bytes.NewReader(append(hello(), data...)))
		whole.admitted = true
		if _, err := io.Copy(io.Discard, whole); err != nil {
			return
		}
		// All of it passes: the library must find the same messages, and stop where the guard does.
		count := bytecounter.NewReader(bytes.NewReader(data))
		r := rawmessage.NewReader(count, count, func(uint32) error { return nil })
		for {
			m, err := r.Read()
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("the library refuses what the guard passes: %v", err)
				}
				return
			}
			if len(m.Body) > maxPicture || m.Type != typePicture && len(m.Body) > maxSound {
				t.Fatalf("a message of type %d with %d bytes", m.Type, len(m.Body))
			}
			if m.Type == typeChunkSize {
				if n := binary.BigEndian.Uint32(m.Body); n < minRTMPChunk || r.SetChunkSize(n) != nil {
					t.Fatal("chunks of", n)
				}
			}
		}
	})
}
