package libav

import (
	"context"
	"errors"
	"fmt"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

const opSound = "convert sound"

var _ transcoder.SoundConverter = (*Engine)(nil)

// soundSpec is how sound is written in a format.
type soundSpec struct {
	encoder, muxer string
	format         astiav.SampleFormat
	// rate is the only one, in Hz; 0 is that of the source, or the next of soundRates.
	rate int
	// mono has one channel, others two where the source has several.
	mono bool
	// bits are per second and channel; 0 is without loss.
	bits int64
}

// soundSpecs are those of core's formats. Read-only.
var soundSpecs = map[core.SoundFormat]soundSpec{
	core.SoundWAV:  {encoder: "pcm_s16le", muxer: "wav", format: astiav.SampleFormatS16},
	core.SoundMP3:  {encoder: "libmp3lame", muxer: "mp3", format: astiav.SampleFormatFltp, bits: 64_000},
	core.SoundOpus: {encoder: "opus", muxer: "ogg", format: astiav.SampleFormatFltp, rate: 48_000, bits: 64_000},
	core.SoundAAC:  {encoder: "aac", muxer: "adts", format: astiav.SampleFormatFltp, bits: 64_000},
	core.SoundFLAC: {encoder: "flac", muxer: "flac", format: astiav.SampleFormatS16},
	core.SoundPCM:  {encoder: "pcm_s16le", muxer: "s16le", format: astiav.SampleFormatS16, rate: 24_000, mono: true},
}

// soundRates are the rates that every encoder takes, in Hz. Read-only.
var soundRates = []int{8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000}

// minSoundRate is the lowest rate of sound that is converted, in Hz: below it much would be made of little.
const minSoundRate = 1000

// soundRate returns the lowest rate that loses nothing of the source's, or the highest.
func soundRate(source int) int {
	for _, r := range soundRates {
		if r >= source {
			return r
		}
	}
	return soundRates[len(soundRates)-1]
}

// ConvertSound makes a file of another format of the sound in a file. Like everything here it must run in a
// media worker. A file without sound, or with sound that cannot be decoded to its end, is a fault.
func (e *Engine) ConvertSound(ctx context.Context, data []byte, to core.SoundFormat, limit int64) ([]byte, error) {
	setUpProcess()
	spec, ok := soundSpecs[to]
	if !ok {
		return nil, fault.New(fault.TranscoderInvalidInput, opSound, fmt.Sprintf("format %d", int(to)))
	}
	in, err := openInput(data)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if in.audio == nil {
		return nil, fault.New(fault.InvalidData, opSound, "the file has no sound")
	}
	if rate := in.audio.CodecParameters().SampleRate(); rate < minSoundRate {
		return nil, fault.New(fault.InvalidData, opSound, fmt.Sprintf("%d samples a second", rate))
	}
	out := &output{limit: limit}
	w, err := newSoundWriter(spec, in.audio.CodecParameters(), out)
	if err == nil {
		err = convertSound(ctx, in, w)
	}
	w.close()
	if out.full {
		return nil, fault.New(fault.RenditionTooLarge, opSound, fmt.Sprintf("more than %d bytes", limit))
	}
	if err != nil {
		return nil, failed(opSound, err)
	}
	return out.data, nil
}

// convertSound decodes the sound of in and gives it to w.
func convertSound(ctx context.Context, in *input, w *soundWriter) error {
	params := in.audio.CodecParameters()
	codec := astiav.FindDecoder(params.CodecID())
	if codec == nil {
		return astiav.ErrDecoderNotFound
	}
	d := astiav.AllocCodecContext(codec)
	packet, frame := astiav.AllocPacket(), astiav.AllocFrame()
	if d == nil || packet == nil || frame == nil {
		return errENOMEM
	}
	defer d.Free()
	defer packet.Free()
	defer frame.Free()
	if err := d.FromCodecParameters(params); err != nil {
		return err
	}
	d.SetThreadCount(1)
	if err := d.Open(codec, nil); err != nil {
		return err
	}
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := in.file.ReadFrame(packet); err != nil {
			if err := decodeSound(d, nil, frame, w); err != nil {
				return err
			}
			return w.finish()
		}
		var err error
		if isStream(in.audio, in.file.Streams()[packet.StreamIndex()]) {
			err = decodeSound(d, packet, frame, w)
		}
		packet.Unref()
		if err != nil {
			return err
		}
	}
}

// decodeSound decodes a packet, or what is left where it is nil.
func decodeSound(d *astiav.CodecContext, packet *astiav.Packet, frame *astiav.Frame, w *soundWriter) error {
	if err := d.SendPacket(packet); err != nil {
		return err
	}
	for {
		err := d.ReceiveFrame(frame)
		if errors.Is(err, astiav.ErrEagain) || errors.Is(err, astiav.ErrEof) {
			return nil
		}
		if err == nil {
			usualChannels(frame)
			if err = clipSamples(frame); err == nil {
				err = w.add(frame)
			}
		}
		frame.Unref()
		if err != nil {
			return err
		}
	}
}
