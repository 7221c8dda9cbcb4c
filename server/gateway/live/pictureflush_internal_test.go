package live

import (
	"bytes"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
	"io"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"
)

// written is a segment of pictures of several sizes, and where each one ends.
func written(t *testing.T) (segment []byte, ends []int) {
	t.Helper()
	var b bytes.Buffer
	video := &mpegts.Track{Codec: &mpegts.CodecH264{}}
	w := &mpegts.Writer{W: &b, Tracks: []*mpegts.Track{video}}
	if err := w.Initialize(); err != nil {
		t.Fatal(err)
	}
	for i, size := range []int{3, 300, 20_000, 7, 1000, 5000} {
		at := segmenter.FirstTime + int64(i)*3000
		unit := [][]byte{{0x67, 1}, {0x68, 1}, append([]byte{0x65}, bytes.Repeat([]byte{byte(i + 1)}, size)...)}
		if err := w.WriteH264(video, at, at, unit); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, b.Len())
	}
	return b.Bytes(), ends
}

// A viewer gets a picture when its last byte is there, not when the next one begins; all of them once, in order.
func TestAPictureIsThereWithItsLastPacket(t *testing.T) {
	t.Parallel()
	segment, ends := written(t)
	o := newOutput(time.Now)
	in, feed := io.Pipe()
	read := make(chan error, 1)
	go func() { read <- o.read(in) }()
	from := 0
	for i, end := range ends {
		if _, err := feed.Write(segment[from:end]); err != nil {
			t.Fatal(err)
		}
		from = end
		came := func() int {
			o.mu.Lock()
			defer o.mu.Unlock()
			return int(o.lastSource-segmenter.FirstTime)/3000 + 1
		}
		late := time.After(30 * time.Second)
		for tick := time.NewTicker(time.Millisecond); !o.started() || came() <= i; {
			select {
			case <-tick.C:
			case <-late:
				t.Fatalf("picture %d of %d bytes waits for the next one", i, end)
			}
		}
	}
	feed.Close()
	if err := <-read; err != nil {
		t.Fatal(err)
	}
}

func (o *output) started() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.begun
}

// flush passes a stream through a pictureFlusher.
func flush(r io.Reader, fills *atomic.Bool) *pictureFlusher {
	return &pictureFlusher{r: r, fills: fills}
}

// The parser gets the same pictures as without, also from a muxer that fills up packets within them: of such a one
// only the first picture is cut short.
func TestFlushChangesNoPicture(t *testing.T) {
	t.Parallel()
	segment, _ := written(t)
	want := pictures(t, bytes.NewReader(segment))
	var fills atomic.Bool
	got := pictures(t, flush(bytes.NewReader(segment), &fills))
	if !slices.EqualFunc(got, want, bytes.Equal) ||
		len(want) != 6 || fills.Load() {
		t.Errorf("%d pictures of %d, %v", len(got), len(want), fills.Load())
	}
	odd := filledUp(segment)
	want = pictures(t, bytes.NewReader(odd))
	first := pictures(t, flush(bytes.NewReader(odd), &fills))
	if !fills.Load() || !bytes.Equal(first[len(first)-1], want[len(want)-1]) {
		t.Errorf("%d pictures of %d, %v", len(first), len(want), fills.Load())
	}
	if got := pictures(t, flush(bytes.NewReader(odd), &fills)); !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("%d pictures of %d", len(got), len(want))
	}
	plain := bytes.Repeat([]byte("no packets "), 100)
	if got, err := io.ReadAll(flush(bytes.NewReader(plain), &fills)); !bytes.Equal(got, plain) || err != nil {
		t.Errorf("%d bytes of %d, %v", len(got), len(plain), err)
	}
}

// filledUp makes every whole packet of a segment's video two packets, of which the first is filled up.
func filledUp(segment []byte) []byte {
	var out []byte
	counter := byte(0)
	for ; len(segment) > 0; segment = segment[tsPacket:] {
		b := bytes.Clone(segment[:tsPacket])
		if pid := int(b[1]&0x1f)<<8 | int(b[2]); pid < 0x100 || pid >= 0x1000 {
			out = append(out, b...)
			continue
		}
		if b[3]&0x30 != 0x10 {
			b[3] = b[3]&0xf0 | counter
			counter = (counter + 1) & 15
			out = append(out, b...)
			continue
		}
		for _, part := range [][]byte{b[4:104], b[104:]} {
			size := tsPacket - 5 - len(part)
			head := []byte{0x47, b[1], b[2], 0x30 | counter, byte(size), 0}
			out = append(append(append(out, head...), bytes.Repeat([]byte{0xff}, size-1)...), part...)
			counter, b[1] = (counter+1)&15, b[1]&^0x40
		}
	}
	return out
}

// pictures parses a segment.
func pictures(t *testing.T, r io.Reader) (list [][]byte) {
	t.Helper()
	m := &mpegts.Reader{R: r}
	if err := m.Initialize(); err != nil {
		t.Fatal(err)
	}
	m.OnDataH264(m.Tracks()[0], func(_, _ int64, unit [][]byte) error {
		list = append(list, bytes.Join(unit, nil))
		return nil
	})
	for m.Read() == nil {
	}
	return list
}

// Whatever the bytes are, they end, and none is lost where there are no packets of video.
func FuzzPrompt(f *testing.F) {
	f.Add(segment(f))
	f.Add(filledUp(segment(f)))
	f.Add([]byte{0x47})
	f.Fuzz(func(t *testing.T, data []byte) {
		var fills atomic.Bool
		p := flush(bytes.NewReader(data), &fills)
		got, err := io.ReadAll(p)
		if err != nil || len(got) < len(data) || len(got) > 2*len(data) || p.videos == nil && !bytes.Equal(got, data) {
			t.Errorf("%d bytes of %d, %v", len(got), len(data), err)
		}
	})
}
