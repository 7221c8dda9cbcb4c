package ingest

import (
	"testing"
	"time"

	"github.com/bluenviron/gortmplib/pkg/message"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

// nothing is a sink that takes everything.
type nothing struct{}

func (nothing) SetParameters(_, _ []byte)            {}
func (nothing) SetSound(mpegts.Codec)                {}
func (nothing) Video(_, _ int64, _ [][]byte, _ bool) {}
func (nothing) Sound(int64, ...[]byte)               {}

// record is a sink that keeps the last picture's times.
type record struct {
	nothing
	pts, dts int64
	sounds   int
}

func (r *record) Video(pts, dts int64, _ [][]byte, _ bool) { r.pts, r.dts = pts, dts }
func (r *record) Sound(int64, ...[]byte)                   { r.sounds++ }

// Times of RTMP are milliseconds, those of segments ticks of 90 kHz; a picture is never shown before it is decoded.
func TestTimesAndCodecs(t *testing.T) {
	t.Parallel()
	unit, err := h264.AVCC([][]byte{{0x65, 1}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	r := &record{}
	m := &rtmpMedia{to: r}
	for _, c := range []struct{ delta, want time.Duration }{{40 * time.Millisecond, 40 * time.Millisecond},
		{-time.Second, 0}, {time.Hour, maxRTMPDelta}} {
		if over, err := m.take(&message.Video{Type: message.VideoTypeAU, DTS: 2 * time.Second, PTSDelta: c.delta,
			Payload: unit}); over || err != nil {
			t.Fatal(over, err)
		}
		if r.dts != segmenter.FirstTime+180000 || r.pts-r.dts != int64(c.want/time.Millisecond)*90 {
			t.Error(c.delta, r.pts, r.dts)
		}
	}
	_, err = m.take(&message.VideoExSequenceStart{FourCC: message.FourCCHEVC})
	if fault.CodeOf(err) != fault.PublishCodec {
		t.Error(err)
	}
	_, _ = m.take(&message.Audio{Codec: message.CodecMPEG4Audio, AACType: message.AudioAACTypeAU, Payload: []byte{1}})
	if r.sounds != 0 {
		t.Error("sound before its configuration")
	}
	_, _ = m.take(&message.Audio{Codec: message.CodecMPEG4Audio, Payload: []byte{0x11, 0x90}})
	_, _ = m.take(&message.Audio{Codec: message.CodecMPEG4Audio, AACType: message.AudioAACTypeAU, Payload: []byte{1}})
	if over, _ := m.take(&message.CommandAMF0{Name: "deleteStream"}); !over || r.sounds != 1 {
		t.Error(over, r.sounds)
	}
}
