package libav

import (
	"errors"

	"github.com/asticode/go-astiav"
)

// soundChunk is how many samples go to an encoder that takes any number.
const soundChunk = 4096

// soundWriter resamples decoded sound, encodes it and writes it to a file.
type soundWriter struct {
	resampler *astiav.SoftwareResampleContext
	samples   *astiav.AudioFifo
	c         *astiav.CodecContext
	file      *astiav.FormatContext
	io        *astiav.IOContext
	stream    *astiav.Stream
	frame     *astiav.Frame
	packet    *astiav.Packet
	// chunk is how many samples the encoder takes at once, pts the number of those it has taken.
	chunk int
	pts   int64
}

// newSoundWriter begins a file. The caller closes the writer in any case.
func newSoundWriter(s soundSpec, source *astiav.CodecParameters, out *output) (*soundWriter, error) {
	w := &soundWriter{}
	codec := astiav.FindEncoderByName(s.encoder)
	if codec == nil {
		return w, astiav.ErrEncoderNotFound
	}
	layout := astiav.ChannelLayoutMono
	if l := source.ChannelLayout(); l.Channels() > 1 && !s.mono {
		layout = astiav.ChannelLayoutStereo
	}
	rate := s.rate
	if rate == 0 {
		rate = soundRate(source.SampleRate())
	}
	w.c, w.resampler = astiav.AllocCodecContext(codec), astiav.AllocSoftwareResampleContext()
	w.frame, w.packet = astiav.AllocFrame(), astiav.AllocPacket()
	w.samples = astiav.AllocAudioFifo(s.format, layout.Channels(), soundChunk)
	if w.c == nil || w.resampler == nil || w.frame == nil || w.packet == nil || w.samples == nil {
		return w, errENOMEM
	}
	w.c.SetSampleFormat(s.format)
	w.c.SetSampleRate(rate)
	w.c.SetChannelLayout(layout)
	w.c.SetBitRate(s.bits * int64(layout.Channels()))
	w.c.SetTimeBase(astiav.NewRational(1, rate))
	w.c.SetThreadCount(1)
	w.c.SetStrictStdCompliance(astiav.StrictStdComplianceExperimental) // libav's encoder of Opus asks for it
	return w, w.begin(s, codec, out)
}

// begin opens the encoder and writes the file's header.
func (w *soundWriter) begin(s soundSpec, codec *astiav.Codec, out *output) (err error) {
	if w.file, err = astiav.AllocOutputFormatContext(nil, s.muxer, ""); err != nil {
		return astiav.ErrMuxerNotFound
	}
	if w.file.OutputFormat().Flags().Has(astiav.IOFormatFlagGlobalheader) {
		w.c.SetFlags(w.c.Flags().Add(astiav.CodecContextFlagGlobalHeader))
	}
	if err = w.c.Open(codec, nil); err != nil {
		return err
	}
	if w.chunk = w.c.FrameSize(); w.chunk == 0 {
		w.chunk = soundChunk
	}
	if w.io, err = out.writer(); err != nil {
		return err
	}
	w.file.SetPb(w.io)
	if w.stream = w.file.NewStream(nil); w.stream == nil {
		return errENOMEM
	}
	if err = w.c.ToCodecParameters(w.stream.CodecParameters()); err != nil {
		return err
	}
	w.stream.SetTimeBase(w.c.TimeBase())
	return w.file.WriteHeader(nil)
}

// add takes decoded sound; nil is its end, at which the resampler gives what it has kept.
func (w *soundWriter) add(decoded *astiav.Frame) error {
	w.describe()
	if err := w.resampler.ConvertFrame(decoded, w.frame); err != nil {
		return err
	}
	if w.frame.NbSamples() > 0 {
		if _, err := w.samples.Write(w.frame); err != nil {
			return err
		}
	}
	w.frame.Unref()
	for w.samples.Size() >= w.chunk {
		if err := w.encode(w.chunk); err != nil {
			return err
		}
	}
	return nil
}

// describe makes the frame one of the encoder's form, without samples.
func (w *soundWriter) describe() {
	w.frame.Unref()
	w.frame.SetSampleFormat(w.c.SampleFormat())
	w.frame.SetSampleRate(w.c.SampleRate())
	w.frame.SetChannelLayout(w.c.ChannelLayout())
}

// encode gives the encoder the next n samples.
func (w *soundWriter) encode(n int) error {
	w.describe()
	w.frame.SetNbSamples(n)
	if err := w.frame.AllocBuffer(0); err != nil {
		return err
	}
	if _, err := w.samples.Read(w.frame); err != nil {
		return err
	}
	w.frame.SetPts(w.pts)
	w.pts += int64(n)
	return w.send(w.frame)
}

// send gives the encoder a frame, nil at the end, and writes what it makes.
func (w *soundWriter) send(frame *astiav.Frame) error {
	if err := w.c.SendFrame(frame); err != nil {
		return err
	}
	for {
		err := w.c.ReceivePacket(w.packet)
		if errors.Is(err, astiav.ErrEagain) || errors.Is(err, astiav.ErrEof) {
			return nil
		}
		if err != nil {
			return err
		}
		w.packet.RescaleTs(w.c.TimeBase(), w.stream.TimeBase())
		err = w.file.WriteFrame(w.packet)
		w.packet.Unref()
		if err != nil {
			return err
		}
	}
}

// finish writes what is left and ends the file.
func (w *soundWriter) finish() error {
	if w.pts > 0 || w.samples.Size() > 0 {
		if err := w.add(nil); err != nil {
			return err
		}
	}
	if n := w.samples.Size(); n > 0 {
		if err := w.encode(n); err != nil {
			return err
		}
	}
	if w.pts == 0 {
		return astiav.ErrInvaliddata
	}
	if err := w.send(nil); err != nil {
		return err
	}
	return w.file.WriteTrailer()
}

// close frees everything.
func (w *soundWriter) close() {
	if w.file != nil {
		w.file.Free()
	}
	if w.io != nil {
		w.io.Free()
	}
	if w.c != nil {
		w.c.Free()
	}
	if w.resampler != nil {
		w.resampler.Free()
	}
	if w.samples != nil {
		w.samples.Free()
	}
	if w.frame != nil {
		w.frame.Free()
	}
	if w.packet != nil {
		w.packet.Free()
	}
}
