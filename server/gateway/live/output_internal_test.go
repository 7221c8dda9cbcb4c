package live

import (
	"bytes"
	"errors"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"
	"github.com/pion/rtp"

	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

// segment is a short piece of MPEG-TS with a picture and sound.
func segment(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	video, audio := &mpegts.Track{Codec: &mpegts.CodecH264{}}, &mpegts.Track{Codec: &mpegts.CodecOpus{ChannelCount: 2}}
	w := &mpegts.Writer{W: &b, Tracks: []*mpegts.Track{video, audio}}
	if err := w.Initialize(); err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		at, unit := segmenter.FirstTime+i*3000, [][]byte{{0x67, 1}, {0x68, 1}, {0x65, 1, 2}}
		if err := w.WriteH264(video, at, at, unit); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteOpus(audio, segmenter.FirstTime+i*1800, [][]byte{{0xf8, 0xff, 0xfe}}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// What an orchestrator sends as its output ends no more than its segment, and what is kept stays bounded.
func FuzzOutput(f *testing.F) {
	f.Add(segment(f))
	f.Add([]byte{0x47})
	f.Add(bytes.Repeat([]byte{0x47}, 188*8))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := newOutput(time.Now)
		v := newViewer(1)
		o.join(v, 1, netip.Prefix{})
		o.begin(v)
		for range 2 {
			_ = o.read(bytes.NewReader(data)) // wrong bytes are an error
			o.restart()
		}
		if o.bytes > maxKept+maxAccessUnit || v.bytes > maxQueued {
			t.Error(o.bytes, v.bytes)
		}
		o.close()
	})
}

// Tables that are never whole, which the library would read all over again with each packet, end the segment.
func TestTablesWithoutAnEnd(t *testing.T) {
	t.Parallel()
	data := segment(t)
	section := append([]byte{0x02, 0x0f, 0xf0}, make([]byte, 0xff0)...)
	for n, rest := 0, bytes.Repeat(section, 50); len(rest) > 184; n, rest = n+1, rest[184:] {
		data = append(append(data, 0x47, 0, 0, 0x10|byte(n&15)), rest[:184]...)
	}
	if err := newOutput(time.Now).read(bytes.NewReader(data)); !errors.Is(err, segmenter.ErrTables) {
		t.Error(err)
	}
}

func TestOutputIsReadFromSegments(t *testing.T) {
	o := newOutput(time.Now)
	if err := o.read(bytes.NewReader(segment(t))); err != nil {
		t.Fatal(err)
	}
	if !o.begun || !o.hasAudio || len(o.kept) != 1 || !o.kept[0].key {
		t.Errorf("%+v", o.kept)
	}
}

// Pictures of a few bytes count with what they take in memory.
func TestSmallPicturesAreBounded(t *testing.T) {
	t.Parallel()
	o := newOutput(time.Now)
	slow := newViewer(0)
	if !o.join(slow, 1, netip.Prefix{}) {
		t.Fatal("the viewer is refused")
	}
	o.begin(slow)
	o.video(0, 0, [][]byte{{0x65, 1}})
	for n := range int64(2 * maxQueued / frameCost) {
		o.video(n, n, [][]byte{{0x41, 1}})
		o.sound(n, [][]byte{{1}})
	}
	if kept := len(o.kept) * frameCost; kept > maxKept {
		t.Errorf("%d pictures are kept", len(o.kept))
	}
	if queued := len(slow.queue) * frameCost; queued > maxQueued {
		t.Errorf("%d frames wait for a viewer", len(slow.queue))
	}
}

// So do those, and the pieces of sound, that wait for an RTMP server, which may be the publisher's own.
func TestSmallPiecesForServersAreBounded(t *testing.T) {
	t.Parallel()
	for name, offer := range map[string]func(o *output, n int64){
		"pictures": func(o *output, n int64) { o.video(n, n, [][]byte{{0x41, 1}}) },
		"sound":    func(o *output, n int64) { o.mpeg4(n, [][]byte{{1}, {2}, {3}, {4}}) },
	} {
		o := newOutput(time.Now)
		server := o.tap()
		o.aac = &Sound{}
		o.video(0, 0, [][]byte{{0x67, 1}, {0x68, 1}, {0x65, 1}})
		for n := range int64(2 * maxQueued / frameCost) {
			offer(o, n)
		}
		if server.mu.Lock(); !server.slow {
			t.Errorf("%s: %d pieces wait, counted as %d bytes", name, len(server.queue), server.bytes)
		}
		server.mu.Unlock()
	}
}

// TestFragmentsWithoutAnEndAreBounded: a publisher sends parts of a unit forever, and pictures between them. It is not
// parallel, for it looks at the memory.
func TestFragmentsWithoutAnEndAreBounded(t *testing.T) {
	pictures := 0
	a := assembler{now: time.Now, deliver: func(uint32, []byte, bool) { pictures++ }}
	const parts = 64 << 10
	number := uint16(0)
	push := func(marker bool, payload []byte) {
		a.push(&rtp.Packet{Payload: payload, Header: rtp.Header{SequenceNumber: number, Marker: marker}})
		number++
	}
	part := append([]byte{0x7c, 0x05}, make([]byte, 1200)...)
	used := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, every := range []int{10, parts} { // pictures come, or none does
		before := used()
		for n := range parts {
			push(false, part)
			if n%every == every-1 {
				push(true, []byte{0x41, 1})
			}
		}
		if grown := used() - before; grown > 4*maxAccessUnit {
			t.Errorf("%d MB are kept of %d MB without an end", grown>>20, parts*len(part)>>20)
		}
		runtime.KeepAlive(&a)
	}
	if pictures < parts/10 {
		t.Error(pictures, "pictures")
	}
	whole := false
	a.deliver = func(_ uint32, unit []byte, is bool) { whole = is && len(unit) == 4+1+3 }
	push(false, []byte{0x7c, 0x85, 1})
	push(false, []byte{0x7c, 0x05, 2})
	push(true, []byte{0x7c, 0x45, 3})
	if !whole {
		t.Error("a picture in parts is not whole")
	}
}

// FuzzPackets: whatever packets of pictures and sound a publisher sends, they end nothing, and what is kept is bounded.
func FuzzPackets(f *testing.F) {
	f.Add([]byte{4, 0x67, 1, 2, 3, 4, 0x68, 1, 2, 3, 0x84, 0x65, 1, 2, 3, 0x43, 0xf8, 0xff, 0xfe, 3, 0x7c, 0x85, 1, 0x83,
		0x7c, 0x45, 2})
	f.Add([]byte{8, 0x78, 0, 2, 0x67, 1, 0, 1, 0x68, 0x82, 0x65, 1, 0x42, 3, 0xff, 2, 0x7c, 0x45, 1, 0x7c, 0x81, 0x78})
	f.Fuzz(func(t *testing.T, data []byte) {
		to := &kept{}
		s := segmenter.New(segmenter.Options{Now: time.Now})
		s.SetSound(&mpegts.CodecOpus{ChannelCount: 2})
		s.Direct(to)
		at := int64(segmenter.FirstTime)
		a := assembler{now: time.Now, deliver: func(_ uint32, unit []byte, whole bool) {
			at += 3000
			s.AnnexB(at, unit, whole)
		}}
		for number := uint16(0); len(data) > 0; number++ {
			// A packet begins with its length; two bits say that it ends a picture, and that it is sound.
			n := min(int(data[0]&0x3f), len(data)-1)
			marker, sound, payload := data[0]&0x80 != 0, data[0]&0x40 != 0, data[1:1+n]
			if data = data[1+n:]; sound {
				s.Sound(at, payload)
				continue
			}
			a.push(&rtp.Packet{Payload: payload, Header: rtp.Header{SequenceNumber: number, Marker: marker}})
			if a.parts+len(a.unit) > maxAccessUnit || a.open != (a.parts > 0) {
				t.Error(a.parts, a.open, len(a.unit))
			}
		}
		s.Finish()
		for _, segment := range to.segments {
			o := newOutput(time.Now)
			if err := o.read(bytes.NewReader(segment.Bytes())); err != nil {
				t.Errorf("a segment of ours cannot be read: %v", err)
			}
		}
	})
}

// kept keeps segments.
type kept struct{ segments []*keptSegment }

type keptSegment struct{ bytes.Buffer }

func (k *kept) Next() (segmenter.Output, error) {
	k.segments = append(k.segments, &keptSegment{})
	return k.segments[len(k.segments)-1], nil
}

func (*keptSegment) Close() error { return nil }
func (*keptSegment) Drop()        {}

// Packets of a publisher arrive in any order, twice and not at all: pictures come out in order, and one that is not
// whole never as whole.
func FuzzAssembler(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6})
	f.Add([]byte{6, 5, 4, 0, 0, 255, 1, 128})
	f.Fuzz(func(t *testing.T, order []byte) {
		now := time.Unix(0, 0)
		a := assembler{now: func() time.Time { return now }, deliver: func(_ uint32, unit []byte, _ bool) {
			if len(unit) == 0 || len(unit) > maxAccessUnit {
				t.Error(len(unit))
			}
		}}
		for i, n := range order {
			now = now.Add(time.Duration(n) * time.Millisecond)
			a.push(&rtp.Packet{Payload: []byte{0x65, n}, Header: rtp.Header{SequenceNumber: uint16(n) * uint16(1+i%3*900),
				Timestamp: uint32(n), Marker: n%2 == 0}})
			if len(a.waiting) > maxReorder+1 {
				t.Error(len(a.waiting))
			}
		}
	})
}
