package ingest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

// counted is a sink that counts.
type counted struct {
	pictures, sounds int
	first, last      int64
	sound            mpegts.Codec
}

func (c *counted) SetSound(codec mpegts.Codec) { c.sound = codec }
func (c *counted) Sound(int64, ...[]byte)      { c.sounds++ }
func (c *counted) Video(_, dts int64, _ [][]byte, _ bool) {
	if c.pictures++; c.pictures == 1 {
		c.first = dts
	}
	c.last = dts
}

// transportStream is a transport stream whose clock begins shortly before its end and goes on from 0.
func transportStream(t testing.TB, pictures int) []byte {
	t.Helper()
	var b bytes.Buffer
	v := &mpegts.Track{Codec: &mpegts.CodecH264{}}
	w := &mpegts.Writer{W: &b, Tracks: []*mpegts.Track{v}}
	if err := w.Initialize(); err != nil {
		t.Fatal(err)
	}
	for i := range pictures {
		at := (int64(1)<<33 - 9000 + int64(i)*3000) % (1 << 33)
		if err := w.WriteH264(v, at, at, [][]byte{{0x67, 0x42, 0xc0, 0x1f}, {0x68, 0xcb}, {0x65, byte(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// A stream's clock goes on where its 33 bits are used up.
func TestReadATransportStream(t *testing.T) {
	t.Parallel()
	c := &counted{}
	if err := readTS(bytes.NewReader(transportStream(t, 20)), c); err != nil {
		t.Fatal(err)
	}
	if c.pictures < 19 || c.first != segmenter.FirstTime || c.last-c.first != int64(c.pictures-1)*3000 {
		t.Errorf("%+v", c)
	}
}

// What is no transport stream is refused.
func TestRefusedStreams(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("no transport stream"), 100)
	if err := readTS(bytes.NewReader(text), &counted{}); !errors.Is(err, segmenter.ErrNoPackets) ||
		fault.CodeOf(err) != fault.PublishProtocol {
		t.Error(err)
	}
}

// tsPacket is a packet of a PID with a counter. flags are those of its second byte, control is the upper half of its
// fourth.
func tsPacket(pid uint16, counter int, flags, control byte, body ...byte) []byte {
	p := append([]byte{0x47, flags | byte(pid>>8), byte(pid), control | byte(counter&15)}, body...)
	return append(p, bytes.Repeat([]byte{0xff}, 188-len(p))...)
}

// What the library would keep, or read again and again, without an end is refused: a picture without an end, one in
// whose midst packets begin of which the library takes nothing, and tables that are never whole, also where those of a
// program are at the PID of pictures.
func TestStreamsWithoutAnEndAreRefused(t *testing.T) {
	t.Parallel()
	const begins, failed, payload, adaptation = 0x40, 0x80, 0x10, 0x20
	nothing := map[string][]byte{
		"nothing":       nil,
		"no payload":    tsPacket(0x100, 0, begins, adaptation, 183),
		"an error":      tsPacket(0x100, 0, begins|failed, payload),
		"half a header": tsPacket(0x100, 0, begins, payload|adaptation, 182, 2, 255),
		"a long header": tsPacket(0x100, 0, begins, payload|adaptation, 255),
	}
	for name, beside := range nothing {
		endless := bytes.NewBuffer(transportStream(t, 2))
		for n := range 9 << 20 / 188 {
			endless.Write(tsPacket(0x100, n, 0, payload))
			endless.Write(beside)
		}
		if err := readTS(endless, &counted{}); !errors.Is(err, segmenter.ErrTooLarge) {
			t.Error("a picture with", name, err)
		}
	}
	// A section of a program, then ever more of them, of which none ends with a packet.
	sections := bytes.Repeat(append([]byte{0x02, 0x0f, 0xf0}, make([]byte, 0xff0)...), 50)
	list := []byte{0, 0x00, 0xb0, 13, 0, 1, 0xc1, 0, 0, 0, 1, 0xe1, 0x00, 0, 0, 0, 0}
	for name, pid := range map[string]uint16{"the list of programs": 0, "a program at the PID of pictures": 0x100} {
		endless := bytes.NewBuffer(transportStream(t, 2))
		endless.Write(tsPacket(0, 1, begins, payload, list...))
		endless.Write(tsPacket(pid, 0, begins, payload, append([]byte{0}, sections[:183]...)...))
		for n, rest := 1, sections[183:]; len(rest) > 184; n, rest = n+1, rest[184:] {
			endless.Write(tsPacket(pid, n, 0, payload, rest[:184]...))
		}
		if err := readTS(endless, &counted{}); !errors.Is(err, segmenter.ErrTables) {
			t.Error("tables of", name, err)
		}
	}
}

// FuzzRead: no bytes end more than their stream.
func FuzzRead(f *testing.F) {
	f.Add(transportStream(f, 5))
	f.Add(transportStream(f, 1)[:188])
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := readTS(bytes.NewReader(data), &counted{}); err != nil && fault.CodeOf(err) == fault.Unexpected {
			t.Fatal(err)
		}
	})
}
