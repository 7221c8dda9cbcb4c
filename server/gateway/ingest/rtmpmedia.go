package ingest

import (
	"time"

	"github.com/bluenviron/gortmplib/pkg/h264conf"
	"github.com/bluenviron/gortmplib/pkg/message"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/mpeg4audio"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

// maxRTMPDelta bounds how much later than it is decoded a picture is shown.
const maxRTMPDelta = 10 * time.Second

// rtmpSink is where a stream's media go; segmenter.Segmenter is one.
type rtmpSink interface {
	SetParameters(sps, pps []byte)
	SetSound(codec mpegts.Codec)
	Video(pts, dts int64, unit [][]byte, whole bool)
	Sound(pts int64, pieces ...[]byte)
}

// rtmpMedia reads the messages of one stream.
type rtmpMedia struct {
	to rtmpSink
	// sounds: the sound's codec is known.
	sounds bool
}

// rtmpTicks is a time of RTMP in MPEG-TS.
func rtmpTicks(d time.Duration) int64 {
	return segmenter.FirstTime + int64(d/time.Millisecond)*segmenter.Clock/1000
}

// take takes a message. over says that the stream ends. The error is a fault.
func (m *rtmpMedia) take(msg message.Message) (over bool, err error) {
	switch v := msg.(type) {
	case *message.Video:
		if v.Type == message.VideoTypeConfig {
			return false, m.config(v.Payload)
		}
		if v.Type == message.VideoTypeAU {
			return false, m.picture(v.DTS, v.PTSDelta, v.Payload)
		}
	case *message.VideoExSequenceStart:
		if v.FourCC != message.FourCCAVC || v.AVCHeader == nil {
			return false, fault.New(fault.PublishCodec, "read", "")
		}
		if s, p := v.AVCHeader.SequenceParameterSets, v.AVCHeader.PictureParameterSets; len(s) > 0 && len(p) > 0 {
			m.to.SetParameters(s[0].NALUnit, p[0].NALUnit)
		}
	case *message.VideoExCodedFrames:
		return false, m.exPicture(v.FourCC, v.DTS, v.PTSDelta, v.Payload)
	case *message.VideoExFramesX:
		return false, m.exPicture(v.FourCC, v.DTS, 0, v.Payload)
	case *message.Audio:
		return false, m.sound(v)
	case *message.AudioExSequenceStart:
		m.exSound(v)
	case *message.AudioExCodedFrames:
		if m.sounds && (v.FourCC == message.FourCCMP4A || v.FourCC == message.FourCCOpus) {
			m.to.Sound(rtmpTicks(v.DTS), v.Payload)
		}
	case *message.CommandAMF0:
		return v.Name == "deleteStream" || v.Name == "closeStream" || v.Name == "FCUnpublish", nil
	}
	return false, nil
}

// config reads the parameter sets.
func (m *rtmpMedia) config(data []byte) error {
	var c h264conf.Conf
	if err := c.Unmarshal(data); err != nil {
		return fault.Wrap(fault.PublishProtocol, "read parameter sets", err)
	}
	m.to.SetParameters(c.SPS, c.PPS)
	return nil
}

func (m *rtmpMedia) exPicture(codec message.FourCC, dts, delta time.Duration, data []byte) error {
	if codec != message.FourCCAVC {
		return fault.New(fault.PublishCodec, "read", "")
	}
	return m.picture(dts, delta, data)
}

// picture reads a picture whose parts begin with their lengths. One that cannot be read is left out.
func (m *rtmpMedia) picture(dts, delta time.Duration, data []byte) error {
	var unit h264.AVCC
	if unit.Unmarshal(data) != nil {
		return nil
	}
	delta = min(max(0, delta), maxRTMPDelta)
	m.to.Video(rtmpTicks(dts+delta), rtmpTicks(dts), unit, true)
	return nil
}

// sound reads AAC. Sound of other codecs is left out.
func (m *rtmpMedia) sound(v *message.Audio) error {
	if v.Codec != message.CodecMPEG4Audio || len(v.Payload) == 0 {
		return nil
	}
	if v.AACType == message.AudioAACTypeAU {
		if m.sounds {
			m.to.Sound(rtmpTicks(v.DTS), v.Payload)
		}
		return nil
	}
	c := &mpegts.CodecMPEG4Audio{}
	if err := c.Unmarshal(v.Payload); err != nil {
		return fault.Wrap(fault.PublishProtocol, "read the sound's configuration", err)
	}
	m.setSound(c)
	return nil
}

func (m *rtmpMedia) exSound(v *message.AudioExSequenceStart) {
	switch {
	case v.FourCC == message.FourCCMP4A && v.AACHeader != nil:
		m.setSound(&mpegts.CodecMPEG4Audio{Config: mpeg4audio.AudioSpecificConfig(*v.AACHeader)})
	case v.FourCC == message.FourCCOpus && v.OpusHeader != nil:
		m.setSound(&mpegts.CodecOpus{ChannelCount: int(v.OpusHeader.ChannelCount)})
	}
}

func (m *rtmpMedia) setSound(c mpegts.Codec) {
	m.sounds = true
	m.to.SetSound(c)
}
