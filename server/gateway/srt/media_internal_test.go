package srt

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

// stream is a transport stream whose clock begins shortly before its end and goes on from 0.
func stream(t testing.TB, pictures int) []byte {
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
	if err := read(bytes.NewReader(stream(t, 20)), c); err != nil {
		t.Fatal(err)
	}
	if c.pictures < 19 || c.first != segmenter.FirstTime || c.last-c.first != int64(c.pictures-1)*3000 {
		t.Errorf("%+v", c)
	}
}

// What is no transport stream is refused, and so is a unit without an end.
func TestRefusedStreams(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("no transport stream"), 100)
	if err := read(bytes.NewReader(text), &counted{}); !errors.Is(err, errNoTS) ||
		fault.CodeOf(err) != fault.PublishProtocol {
		t.Error(err)
	}
	endless := stream(t, 2)
	more := append([]byte{syncByte, 0x01, 0x00, 0x10}, make([]byte, packetSize-4)...)
	for range maxUnit/packetSize + 1 {
		endless = append(endless, more...)
	}
	if err := read(bytes.NewReader(endless), &counted{}); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
}

// FuzzRead: no bytes end more than their stream.
func FuzzRead(f *testing.F) {
	f.Add(stream(f, 5))
	f.Add(stream(f, 1)[:packetSize])
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := read(bytes.NewReader(data), &counted{}); err != nil && fault.CodeOf(err) == fault.Unexpected {
			t.Fatal(err)
		}
	})
}
