package libav

import (
	"github.com/asticode/go-astiav"
)

// gpuBackend runs a segment on the GPU, in the session's form.
type gpuBackend struct {
	media *media
	// threads is how many one of the CPU's parts may take, 0 for all.
	threads int
}

func (g *gpuBackend) decoder(in *input, threads int) (*decoder, error) {
	if in.video == nil || in.video.CodecParameters().CodecID() == astiav.CodecIDNone || g.media.form.cpuDecode {
		return newDecoder(in, threads)
	}
	kept, err := g.media.decoderFor(in.video.CodecParameters())
	if err != nil {
		return nil, err
	}
	d := &decoder{in: in, c: kept.c, kept: kept, threads: 1}
	d.line.Nominal = nominal(in)
	return d, nil
}

// place uploads what the CPU decoded.
func (g *gpuBackend) place(p decodedFrame) (decodedFrame, error) {
	if !g.media.form.cpuDecode {
		return p, nil
	}
	if g.media.upload == nil {
		g.media.upload = &uploader{gpu: g.media.gpu, log: newCapture()}
	}
	on, err := g.media.upload.frame(p.frame, g.threads)
	if err != nil {
		return p, err
	}
	p.frame.Free()
	p.frame = on
	return p, nil
}

func (g *gpuBackend) scaler(slot, width, height, threads int) scaling {
	s := g.media.scalerFor(slot, width, height)
	if g.media.form.cpuEncode && slot != stageSlot {
		return &fetcher{gpu: s, cpu: scaler{width: width, height: height, threads: threads}}
	}
	return keptScaler{s}
}

// keptScaler is a scaler that outlives the rendition.
type keptScaler struct{ *gpuScaler }

func (keptScaler) close() {}

func (g *gpuBackend) encoder(s encoderSpec, like *astiav.Frame) (*encoder, error) {
	if g.media.form.cpuEncode {
		return openEncoder(s)
	}
	return g.media.encoderFor(s, like)
}

// uploader copies frames of the CPU to the GPU, as planes of 8-bit 4:2:0.
type uploader struct {
	gpu    *gpu
	log    *capture
	fit    scaler
	frames *astiav.HardwareFramesContext
	// pad is the frame with an even number of rows and columns, nil where the
	// source's are even.
	pad *astiav.Frame
}

func (u *uploader) frame(src *astiav.Frame, threads int) (*astiav.Frame, error) {
	const op = "upload frame"
	w, h := src.Width(), src.Height()
	if u.frames == nil || u.fit.width != w || u.fit.height != h || u.fit.threads != threads {
		u.fit.close()
		u.fit = scaler{width: w, height: h, threads: threads}
		if err := u.allocate(even(w), even(h)); err != nil {
			return nil, deviceFailed(op, err)
		}
	}
	plain, err := u.fit.scale(src)
	if err != nil {
		return nil, err
	}
	if plain, err = u.padded(plain); err != nil {
		return nil, failed(op, err)
	}
	on := astiav.AllocFrame()
	if on == nil {
		return nil, failed(op, errENOMEM)
	}
	err = u.log.do(func() error {
		if err := on.AllocHardwareBuffer(u.frames); err != nil {
			return err
		}
		return plain.TransferHardwareData(on)
	})
	if err == nil {
		err = copyProps(on, plain)
	}
	if err != nil {
		on.Free()
		return nil, deviceFailed(op, err)
	}
	return on, nil
}

// even returns the next even number: libav counts the rows of chroma on the GPU rounded
// down, so the last one of an odd number would stay what it was.
func even(n int) int { return (n + 1) &^ 1 }

// padded returns a frame with its last row and column once more where their number is
// odd. It is valid until the next call.
func (u *uploader) padded(f *astiav.Frame) (*astiav.Frame, error) {
	w, h := even(f.Width()), even(f.Height())
	if w == f.Width() && h == f.Height() {
		return f, nil
	}
	if u.pad == nil {
		if u.pad = astiav.AllocFrame(); u.pad == nil {
			return nil, errENOMEM
		}
	}
	if u.pad.Width() != w || u.pad.Height() != h {
		u.pad.Unref()
		u.pad.SetWidth(w)
		u.pad.SetHeight(h)
		u.pad.SetPixelFormat(astiav.PixelFormatYuv420P)
		if err := u.pad.AllocBuffer(0); err != nil {
			return nil, err
		}
	}
	return u.pad, padEven(u.pad, f)
}

func (u *uploader) allocate(width, height int) error {
	if u.frames != nil {
		u.frames.Free()
	}
	if u.frames = astiav.AllocHardwareFramesContext(u.gpu.context); u.frames == nil {
		return errENOMEM
	}
	u.frames.SetHardwarePixelFormat(astiav.PixelFormatCuda)
	u.frames.SetSoftwarePixelFormat(astiav.PixelFormatYuv420P)
	u.frames.SetWidth(width)
	u.frames.SetHeight(height)
	return u.log.do(u.frames.Initialize)
}

func (u *uploader) close() {
	u.fit.close()
	if u.pad != nil {
		u.pad.Free()
		u.pad = nil
	}
	if u.frames != nil {
		u.frames.Free()
		u.frames = nil
	}
	u.log.free()
}
