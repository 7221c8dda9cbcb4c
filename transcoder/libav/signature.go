package libav

import (
	"errors"
	"io"
	"os"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

const opSign = "compute signature"

// signer computes the MPEG-7 video signature of the frames it is given. libav's
// filter can only write it to a file, so the file is one in memory where there are such.
type signer struct {
	file  *os.File
	graph *astiav.FilterGraph
	src   *astiav.BuffersrcFilterContext
	sink  *astiav.BuffersinkFilterContext
	got   *astiav.Frame
	fit   scaler
	raw   *astiav.Frame // of frames that have to be fetched from a GPU
	data  []byte
}

func newSigner(width, height int, base mediafile.TimeBase) (*signer, error) {
	file, err := signatureFile()
	if err != nil {
		return nil, fault.Wrap(fault.FiltergraphFailed, opSign, err)
	}
	s := &signer{
		file: file,
		fit:  scaler{width: width, height: height, threads: 1},
		got:  astiav.AllocFrame(),
	}
	if err := s.build(width, height, base); err != nil {
		s.close()
		return nil, fault.Wrap(fault.FiltergraphFailed, opSign, err)
	}
	return s, nil
}

func (s *signer) build(width, height int, base mediafile.TimeBase) error {
	s.graph = astiav.AllocFilterGraph()
	in, out := astiav.FindFilterByName("buffer"), astiav.FindFilterByName("buffersink")
	if s.graph == nil || s.got == nil || in == nil || out == nil {
		return errENOMEM
	}
	s.graph.SetThreadCount(1)
	var err error
	if s.src, err = s.graph.NewBuffersrcFilterContext(in, "in"); err != nil {
		return err
	}
	p := astiav.AllocBuffersrcFilterContextParameters()
	defer p.Free()
	p.SetWidth(width)
	p.SetHeight(height)
	p.SetPixelFormat(astiav.PixelFormatYuv420P)
	p.SetTimeBase(rational(base))
	if err = s.src.SetParameters(p); err != nil {
		return err
	}
	if err = s.src.Initialize(nil); err != nil {
		return err
	}
	if s.sink, err = s.graph.NewBuffersinkFilterContext(out, "out"); err != nil {
		return err
	}
	return connect(s.graph, s.src.FilterContext(), s.sink.FilterContext(),
		"signature=format=binary:filename="+signaturePath(s.file))
}

// add gives one frame, of any size: a source that changes its size in the middle
// of a segment still gets one signature.
func (s *signer) add(f *astiav.Frame) error {
	if f.PixelFormat() == astiav.PixelFormatCuda {
		if s.raw == nil {
			if s.raw = astiav.AllocFrame(); s.raw == nil {
				return failed(opSign, errENOMEM)
			}
		}
		if err := download(f, s.raw, nil); err != nil {
			return err
		}
		f = s.raw
	}
	f, err := s.fit.scale(f)
	if err != nil {
		return err
	}
	if err := s.src.AddFrame(f, astiav.NewBuffersrcFlags(astiav.BuffersrcFlagKeepRef)); err != nil {
		return failed(opSign, err)
	}
	return s.pull()
}

// pull takes the frames out at the other end; without it nothing is computed.
func (s *signer) pull() error {
	for {
		err := s.sink.GetFrame(s.got, astiav.NewBuffersinkFlags())
		s.got.Unref()
		if errors.Is(err, astiav.ErrEagain) || errors.Is(err, astiav.ErrEof) {
			return nil
		}
		if err != nil {
			return failed(opSign, err)
		}
	}
}

// finish ends the stream, which makes the filter write its file, and reads that.
func (s *signer) finish() error {
	if err := s.src.AddFrame(nil, astiav.NewBuffersrcFlags()); err != nil {
		return failed(opSign, err)
	}
	if err := s.pull(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return failed(opSign, err)
	}
	var err error
	s.data, err = io.ReadAll(s.file)
	return failed(opSign, err)
}

func (s *signer) close() {
	if s.graph != nil {
		s.graph.Free()
		s.graph = nil
	}
	if s.got != nil {
		s.got.Free()
		s.got = nil
	}
	s.fit.close()
	if s.raw != nil {
		s.raw.Free()
		s.raw = nil
	}
	if s.file != nil {
		dropSignature(s.file)
		s.file = nil
	}
}

// signFrame adds a frame to the rendition's signature.
func (r *rendition) signFrame(f *astiav.Frame) error {
	if r.sign == nil {
		var err error
		if r.sign, err = newSigner(r.width, r.height, r.base); err != nil {
			return err
		}
	}
	return r.sign.add(f)
}

// finishSignature completes the signature of a rendition that has frames.
func (r *rendition) finishSignature() error {
	if r.sign == nil {
		return nil
	}
	return r.sign.finish()
}
