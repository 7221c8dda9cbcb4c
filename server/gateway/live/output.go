package live

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"
	"github.com/pion/rtp/codecs"

	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

const (
	// maxSegment bounds one segment of an orchestrator's output.
	maxSegment = 64 << 20
	// maxKept bounds the frames that are kept for new viewers.
	maxKept = 5 << 20
	// maxWrong bounds the errors in one segment.
	maxWrong = 1000
	// frameCost is what a frame takes besides its bytes: small frames must not cost more than they count.
	frameCost = 256
	// packetSize bounds the payload of an RTP packet.
	packetSize = 1180
	// maxStep is the longest gap in time stamps that counts as part of a stream.
	maxStep = 10 * videoClock
)

// frame is a picture or a piece of sound, ready to be sent. Read-only.
type frame struct {
	audio, key bool
	// at is its time in the viewers' time, in units of 90 kHz.
	at       int64
	payloads [][]byte
	size     int
}

// output is a stream's result: the frames since the last key frame, and the viewers that get what comes. The
// time of its frames goes on when the orchestrator changes.
type output struct {
	now func() time.Time
	// fills is set by pictureFlusher when the source pads packets within pictures.
	fills atomic.Bool

	mu    sync.Mutex
	kept  []frame
	bytes int
	// first is closed with the first frame.
	first    chan struct{}
	begun    bool
	hasAudio bool
	viewers  map[*viewer]struct{}
	// unknowns bounds the viewers without a key, unknown is how many there are.
	unknowns *admission.Shares
	unknown  int
	// taps get what goes to RTMP servers; aac is how the sound is encoded, nil for sound of another codec.
	taps      map[*tap]struct{}
	aac       *Sound
	closed    bool
	lastFrame time.Time
	// lastAt is the time of the last picture; shift is what the source's time stamps are moved by, once set.
	lastAt, shift int64
	shifted       bool
	// keyless: frames are passed over until the next key frame.
	keyless    bool
	lastSource int64
}

func newOutput(now func() time.Time) *output {
	return &output{now: now, keyless: true, first: make(chan struct{}), viewers: make(map[*viewer]struct{}),
		taps: make(map[*tap]struct{})}
}

// restart says that what follows comes from another orchestrator, whose time stamps begin anywhere.
func (o *output) restart() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.shifted, o.keyless = false, true
	o.fills.Store(false)
}

// last is when the last frame came.
func (o *output) last() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lastFrame
}

// read takes a segment's frames as they come, until its end. The bytes are another node's: no error of theirs,
// nor of the library that parses them, ends more than the segment.
func (o *output) read(r io.Reader) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the output cannot be parsed: %v", v)
		}
	}()
	whole := &segmenter.Packets{R: &pictureFlusher{r: io.LimitReader(r, maxSegment), fills: &o.fills}}
	m := &mpegts.Reader{R: &segmenter.Finite{R: whole}}
	if err := m.Initialize(); err != nil {
		return err
	}
	wrong := 0
	m.OnDecodeError(func(err error) {
		if wrong++; wrong > maxWrong {
			panic(err)
		}
	})
	var sound *Sound
	for _, t := range m.Tracks() {
		switch codec := t.Codec.(type) {
		case *mpegts.CodecH264:
			m.OnDataH264(t, func(pts, dts int64, unit [][]byte) error { o.video(pts, dts, unit); return nil })
		case *mpegts.CodecOpus:
			o.mu.Lock()
			o.hasAudio = true
			o.mu.Unlock()
			m.OnDataOpus(t, func(pts int64, packets [][]byte) error { o.sound(pts, packets); return nil })
		case *mpegts.CodecMPEG4Audio:
			sound = &codec.Config
			m.OnDataMPEG4Audio(t, func(pts int64, units [][]byte) error { o.mpeg4(pts, units); return nil })
		}
	}
	o.mu.Lock()
	o.aac = sound
	o.mu.Unlock()
	for {
		if err := m.Read(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// timeLocked moves a source's time stamp to the viewers' time. A jump begins where the clock is.
func (o *output) timeLocked(pts int64) int64 {
	step := pts - o.lastSource
	if !o.shifted || step > maxStep || step < -maxStep {
		at := o.lastAt
		if o.begun {
			at += max(1, int64(o.now().Sub(o.lastFrame)*videoClock/time.Second))
		}
		o.shift, o.shifted = at-pts, true
	}
	o.lastSource = pts
	return pts + o.shift
}

// video takes a picture.
func (o *output) video(pts, dts int64, unit [][]byte) {
	f := frame{key: h264.IsRandomAccess(unit)}
	annexB, err := h264.AnnexB(unit).Marshal()
	if err != nil || len(annexB) > maxAccessUnit {
		return
	}
	f.payloads = (&codecs.H264Payloader{}).Payload(packetSize, annexB)
	f.size = frameCost + len(annexB)
	if len(f.payloads) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.keyless && !f.key {
		return
	}
	o.keyless = false
	f.at = o.timeLocked(pts)
	o.tapLocked(&piece{key: f.key, pts: f.at, dts: dts + o.shift, unit: unit})
	o.lastAt, o.lastFrame = f.at, o.now()
	if !o.begun {
		o.begun = true
		close(o.first)
	}
	if f.key {
		o.kept, o.bytes = o.kept[:0:0], 0
	}
	if o.bytes += f.size; o.bytes > maxKept {
		o.kept = nil // new viewers wait for the next key frame
	} else if f.key || len(o.kept) > 0 {
		o.kept = append(o.kept, f)
	}
	o.sendLocked(&f)
}

// sound takes Opus packets that follow each other.
func (o *output) sound(pts int64, packets [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.begun {
		return
	}
	at := o.timeLocked(pts)
	for _, p := range packets {
		if len(p) > 0 && len(p) < 1<<12 {
			o.sendLocked(&frame{audio: true, at: at, payloads: [][]byte{p}, size: frameCost + len(p)})
		}
		at += videoClock / 50
	}
}

// mpeg4 takes AAC, which goes to RTMP servers alone: viewers by WHEP play none.
func (o *output) mpeg4(pts int64, units [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.begun && len(units) > 0 && o.aac != nil {
		o.tapLocked(&piece{pts: o.timeLocked(pts), aac: units})
	}
}

func (o *output) sendLocked(f *frame) {
	for v := range o.viewers {
		v.offer(f)
	}
}

// join adds a viewer, which gets the frames since the last key frame at once. It reports false at the limit, or
// when the stream is over. Viewers without a key, with their address in from, have a limit of their own, and an address
// that has many leaves some to others.
func (o *output) join(v *viewer, most int, from netip.Prefix) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return false
	case most == 0:
	case !from.IsValid() && len(o.viewers)-o.unknown >= most:
		return false
	case from.IsValid():
		if o.unknowns == nil {
			o.unknowns = shares(most)
		}
		if !o.unknowns.Enter(from) {
			return false
		}
		v.from = from
		o.unknown++
	}
	o.viewers[v] = struct{}{}
	return true
}

// begin hands a viewer what is kept. The time stamps of the backlog end at the present, so that a player shows
// the present picture at once and does not stay behind.
func (o *output) begin(v *viewer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.kept {
		f := o.kept[i]
		f.at = o.lastAt - int64(len(o.kept)-1-i)
		v.backlog(&f)
	}
	v.open()
}

func (o *output) leave(v *viewer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, joined := o.viewers[v]; joined && v.from.IsValid() {
		o.unknowns.Leave(v.from)
		o.unknown--
	}
	delete(o.viewers, v)
}

// close ends all viewers.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for v := range o.viewers {
		v.end()
	}
	o.kept = nil
}
