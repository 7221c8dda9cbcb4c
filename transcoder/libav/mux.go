package libav

import (
	"strconv"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

// muxer writes tracks whose packets are all known into one file, in the order of
// their decode times.
type muxer struct {
	c            *astiav.FormatContext
	mp4          bool
	video, audio *track
}

// track is one stream of a file.
type track struct {
	stream  *astiav.Stream
	from    mediafile.TimeBase
	packets []*astiav.Packet
	// shift is subtracted from times in the packets' base, offset is added in
	// the 90 kHz base.
	shift, offset int64

	order mediafile.Order
	to    mediafile.TimeBase
	next  int
	// The times of the next packet, in the file's base.
	pts, dts int64
}

func (m *muxer) newTrack(p *astiav.CodecParameters, b mediafile.TimeBase) (*track, error) {
	c := m.c
	s := c.NewStream(nil)
	if s == nil {
		return nil, errENOMEM
	}
	if err := p.Copy(s.CodecParameters()); err != nil {
		return nil, err
	}
	// A tag belongs to the container it came from.
	s.CodecParameters().SetCodecTag(0)
	s.SetTimeBase(rational(b))
	return &track{stream: s, from: b, order: mediafile.Order{Negative: m.mp4}}, nil
}

func (m *muxer) write() error {
	// Times are final: nothing may be shifted to the front, and nothing delayed.
	options := map[string]string{"avoid_negative_ts": "disabled", "max_delay": "0"}
	if m.mp4 {
		// The start of a track is given in these units.
		options["movie_timescale"] = strconv.FormatInt(m.timescale(), 10)
	}
	d := dictionary(options)
	defer d.Free()
	if err := m.c.WriteHeader(d); err != nil {
		return err
	}
	scratch := astiav.AllocPacket()
	if scratch == nil {
		return errENOMEM
	}
	defer scratch.Free()
	for _, t := range []*track{m.video, m.audio} {
		if t != nil {
			t.to = base(t.stream)
			t.look()
		}
	}
	for {
		t := m.earliest()
		if t == nil {
			return m.c.WriteTrailer()
		}
		if err := t.emit(m.c, scratch); err != nil {
			return err
		}
	}
}

// timescale returns a clock that tells the video's times exactly.
func (m *muxer) timescale() int64 {
	if m.video != nil && m.video.from.Num == 1 && m.video.from.Den >= 1000 {
		return m.video.from.Den
	}
	return mediafile.MPEGClock.Den
}

// earliest returns the track whose packet comes next, nil at the end.
func (m *muxer) earliest() *track {
	v, a := m.video, m.audio
	switch {
	case v.done() && a.done():
		return nil
	case v.done():
		return a
	case a.done():
		return v
	}
	if mediafile.Rescale(a.dts, a.to, mediafile.MPEGClock) < mediafile.Rescale(v.dts, v.to, mediafile.MPEGClock) {
		return a
	}
	return v
}

func (t *track) done() bool { return t == nil || t.next >= len(t.packets) }

// look repairs the times of the next packet.
func (t *track) look() {
	if t.done() {
		return
	}
	p := t.packets[t.next]
	t.pts, t.dts = t.order.Next(t.move(p.Pts()), t.move(p.Dts()))
}

func (t *track) move(at int64) int64 {
	if at == mediafile.NoTime {
		return at
	}
	return mediafile.Rescale(at-t.shift, t.from, t.to) + mediafile.Rescale(t.offset, mediafile.MPEGClock, t.to)
}

func (t *track) emit(c *astiav.FormatContext, scratch *astiav.Packet) error {
	p := t.packets[t.next]
	if err := scratch.Ref(p); err != nil {
		return err
	}
	defer scratch.Unref()
	scratch.SetStreamIndex(t.stream.Index())
	scratch.SetPts(t.pts)
	scratch.SetDts(t.dts)
	scratch.SetDuration(mediafile.Rescale(p.Duration(), t.from, t.to))
	scratch.SetPos(-1)
	t.next++
	t.look()
	return c.WriteFrame(scratch)
}
