package libav

import (
	"fmt"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

const opWrite = "write rendition"

// clockWrap is where the 33-bit clock of MPEG-TS begins again.
const clockWrap = 1 << 33

// maxRenditionBytes bounds a rendition; peers take no more.
const maxRenditionBytes = core.MaxSegmentBytes

// file gathers what a rendition's container will hold.
type file struct {
	// params describe the video, from the first encoder on.
	params  *astiav.CodecParameters
	packets []*astiav.Packet
	bytes   int
	// begin is the time of the first video frame.
	begin    int64
	hasVideo bool
}

// fileSpec is what else decides how a file is written.
type fileSpec struct {
	format          core.Format
	origin, version string
	videoBase       mediafile.TimeBase
	in              *input
	audio           audioTrack
}

// audioTrack is the source's audio as it goes into a rendition.
type audioTrack struct {
	packets []*astiav.Packet
	// shift is subtracted from every time, in ticks of the audio's time base.
	shift int64
}

func (f *file) sawVideo(t int64) {
	if !f.hasVideo {
		f.hasVideo, f.begin = true, t
	}
}

func (f *file) describe(e *encoder) error {
	if f.params = astiav.AllocCodecParameters(); f.params == nil {
		return failed(opWrite, errENOMEM)
	}
	return e.describe(f.params)
}

func (f *file) keepVideo(p *astiav.Packet) error {
	f.packets = append(f.packets, p)
	if f.bytes += p.Size(); f.bytes > maxRenditionBytes {
		return tooLarge()
	}
	return nil
}

func tooLarge() error {
	return fault.New(fault.RenditionTooLarge, opWrite, fmt.Sprintf("more than %d bytes", maxRenditionBytes))
}

// write makes the file. Every segment's file begins with its headers and stands
// alone: players join files of different nodes.
func (f *file) write(s fileSpec) ([]byte, error) {
	out := &output{limit: maxRenditionBytes, data: make([]byte, 0, f.bytes+f.bytes/8+s.audio.size()+ioBuffer)}
	err := f.mux(s, out)
	if out.full {
		return nil, tooLarge()
	}
	if err != nil {
		return nil, failed(opWrite, err)
	}
	if s.format != core.FormatMP4 {
		return out.data, nil
	}
	data, err := mediafile.MoovFirst(out.data)
	return data, failed(opWrite, err)
}

func (t audioTrack) size() int {
	n := 0
	for _, p := range t.packets {
		n += p.Size() + p.Size()/8
	}
	return n
}

func (f *file) mux(s fileSpec, out *output) error {
	name := "mpegts"
	if s.format == core.FormatMP4 {
		name = "mp4"
	}
	c, err := astiav.AllocOutputFormatContext(nil, name, "")
	if err != nil {
		return astiav.ErrMuxerNotFound
	}
	defer c.Free()
	pb, err := out.writer()
	if err != nil {
		return err
	}
	defer pb.Free()
	c.SetPb(pb)
	tag := fmt.Sprintf("Livepeer Transcoder %s (%s)", s.version, s.origin)
	tags := map[string]string{"service_provider": tag}
	if s.format == core.FormatMP4 {
		tags = map[string]string{"comment": "Processed by " + tag}
	}
	c.SetMetadata(dictionary(tags)) // the format context owns the dictionary from here on
	m := muxer{c: c, mp4: s.format == core.FormatMP4}
	if f.params != nil {
		if m.video, err = m.newTrack(f.params, s.videoBase); err != nil {
			return err
		}
		m.video.packets = f.packets
		m.video.offset = f.wrap(s)
	}
	if len(s.audio.packets) > 0 {
		if m.audio, err = m.newTrack(s.in.audio.CodecParameters(), base(s.in.audio)); err != nil {
			return err
		}
		m.audio.packets = s.audio.packets
		m.audio.offset = f.wrap(s)
		m.audio.shift = s.audio.shift
	}
	return m.write()
}

// wrap returns what to add to times of 90 kHz so that none is negative: libav gives an
// MPEG-TS segment that begins shortly before the clock wraps times below zero.
func (f *file) wrap(s fileSpec) int64 {
	if !s.in.isMPEGTS() {
		return 0
	}
	if f.hasVideo && mediafile.Rescale(f.begin, s.videoBase, mediafile.MPEGClock) < 0 {
		return clockWrap
	}
	if len(s.audio.packets) > 0 && s.audio.packets[0].Pts() != mediafile.NoTime &&
		s.audio.packets[0].Pts() < s.audio.shift {
		return clockWrap
	}
	return 0
}

func (f *file) close() {
	for _, p := range f.packets {
		p.Free()
	}
	f.packets = nil
	if f.params != nil {
		f.params.Free()
		f.params = nil
	}
}
