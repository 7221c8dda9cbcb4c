package ingest

import (
	"errors"
	"fmt"
	"io"

	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

// srtSink is where a stream's media go; segmenter.Segmenter is one.
type srtSink interface {
	SetSound(codec mpegts.Codec)
	Video(pts, dts int64, unit [][]byte, whole bool)
	Sound(pts int64, pieces ...[]byte)
}

// srtTimes makes a stream's clock begin at segmenter.FirstTime and go on where it begins again.
type srtTimes struct{ d mpegts.TimeDecoder }

func (t *srtTimes) at(ts int64) int64 { return segmenter.FirstTime + t.d.Decode(ts) }

// decodeAfter is how much later than dts pts is, which the clock's beginning again may be between.
func decodeAfter(pts, dts int64) int64 {
	const bits = 1 << 33
	if d := (pts - dts) & (bits - 1); d < bits/2 {
		return d
	}
	return 0
}

// readTS reads a stream until its end. The bytes are another node's: no error of the library ends more than the stream.
func readTS(r io.Reader, to srtSink) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fault.New(fault.PublishProtocol, "read", fmt.Sprint("what came cannot be read: ", v))
		}
	}()
	m := &mpegts.Reader{R: &segmenter.Finite{R: &segmenter.Packets{R: r, Strict: true}}}
	if err := m.Initialize(); err != nil {
		return fault.Wrap(fault.PublishProtocol, "find the tracks", err)
	}
	var t srtTimes
	video := false
	for _, track := range m.Tracks() {
		switch codec := track.Codec.(type) {
		case *mpegts.CodecH264:
			if video {
				continue
			}
			video = true
			m.OnDataH264(track, func(pts, dts int64, unit [][]byte) error {
				at := t.at(dts)
				to.Video(at+decodeAfter(pts, dts), at, unit, true)
				return nil
			})
		case *mpegts.CodecMPEG4Audio:
			to.SetSound(codec)
			m.OnDataMPEG4Audio(track, func(pts int64, units [][]byte) error { to.Sound(t.at(pts), units...); return nil })
		case *mpegts.CodecOpus:
			to.SetSound(codec)
			m.OnDataOpus(track, func(pts int64, units [][]byte) error { to.Sound(t.at(pts), units...); return nil })
		}
	}
	if !video {
		return fault.New(fault.PublishCodec, "find the tracks", "")
	}
	for {
		if err := m.Read(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fault.Wrap(fault.PublishProtocol, "read", err)
		}
	}
}
