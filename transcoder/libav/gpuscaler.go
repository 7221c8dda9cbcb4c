package libav

import (
	"errors"
	"fmt"
	"strings"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core/fault"
)

const opScale = "scale rendition"

// gpuScaler scales frames on the GPU and leaves them there, as NV12. It outlives the
// segment: as long as frames come from the same memory, its filters stay.
type gpuScaler struct {
	width, height int
	log           *capture

	graph *astiav.FilterGraph
	src   *astiav.BuffersrcFilterContext
	sink  *astiav.BuffersinkFilterContext
	out   *astiav.Frame
	// What the filters were made for.
	from       pool
	srcW, srcH int
}

func newGPUScaler(width, height int) *gpuScaler {
	return &gpuScaler{width: width, height: height, log: newCapture()}
}

func (s *gpuScaler) scale(src *astiav.Frame) (*astiav.Frame, error) {
	w, h := src.Width(), src.Height()
	if w == s.width && h == s.height && layoutOf(src) == astiav.PixelFormatNv12 {
		return src, nil
	}
	if s.graph == nil || s.from != poolOf(src) || s.srcW != w || s.srcH != h {
		if err := s.rebuild(src); err != nil {
			return nil, lasting(err)
		}
	}
	keep := astiav.NewBuffersrcFlags(astiav.BuffersrcFlagKeepRef)
	if err := s.log.do(func() error { return s.src.AddFrame(src, keep) }); err != nil {
		return nil, scalingFailed(err)
	}
	s.out.Unref()
	if err := s.log.do(func() error { return s.sink.GetFrame(s.out, astiav.NewBuffersinkFlags()) }); err != nil {
		return nil, scalingFailed(err)
	}
	return s.out, nil
}

// scalingFailed: libav's filters cannot take every layout that a decoder makes; the
// CPU's decoder then makes one that they can.
func scalingFailed(err error) error {
	err = deviceFailed(opScale, err)
	if fault.CodeOf(err) == fault.TranscoderFailed || fault.CodeOf(err) == fault.InvalidArgument {
		f, _ := errors.AsType[*fault.Fault](err)
		err = &fault.Fault{Code: fault.FiltergraphFailed, Op: opScale, Detail: f.Detail, Err: err}
	}
	return orRefusal(err, false)
}

// lasting says of a refusal that the next segment would meet it as well.
func lasting(err error) error {
	if r, ok := errors.AsType[*refusal](err); ok {
		r.lasting = true
	}
	return err
}

func (s *gpuScaler) rebuild(src *astiav.Frame) error {
	s.release()
	s.from, s.srcW, s.srcH = poolOf(src), src.Width(), src.Height()
	if s.out == nil {
		s.out = astiav.AllocFrame()
	}
	s.graph = astiav.AllocFilterGraph()
	if s.graph == nil || s.out == nil {
		return failed(opScale, errENOMEM)
	}
	if err := s.log.do(func() error { return s.build(src) }); err != nil {
		s.release()
		return scalingFailed(err)
	}
	return nil
}

func (s *gpuScaler) build(src *astiav.Frame) error {
	in, out := astiav.FindFilterByName("buffer"), astiav.FindFilterByName("buffersink")
	if in == nil || out == nil {
		return errENOMEM
	}
	s.graph.SetThreadCount(1)
	var err error
	if s.src, err = s.graph.NewBuffersrcFilterContext(in, "in"); err != nil {
		return err
	}
	p := astiav.AllocBuffersrcFilterContextParameters()
	defer p.Free()
	p.SetWidth(s.srcW)
	p.SetHeight(s.srcH)
	p.SetPixelFormat(src.PixelFormat())
	p.SetColorSpace(src.ColorSpace())
	p.SetColorRange(src.ColorRange())
	p.SetTimeBase(astiav.NewRational(1, 90000)) // times pass through unread
	p.SetHardwareFramesContext(src.HardwareFramesContext())
	if err = s.src.SetParameters(p); err != nil {
		return err
	}
	if err = s.src.Initialize(nil); err != nil {
		return err
	}
	if s.sink, err = s.graph.NewBuffersinkFilterContext(out, "out"); err != nil {
		return err
	}
	return connect(s.graph, s.src.FilterContext(), s.sink.FilterContext(), cascade(s.srcW, s.srcH, s.width, s.height))
}

// connect puts a chain of filters between the two ends of a graph.
func connect(graph *astiav.FilterGraph, src, sink *astiav.FilterContext, filters string) error {
	outputs, inputs := astiav.AllocFilterInOut(), astiav.AllocFilterInOut()
	defer outputs.Free()
	defer inputs.Free()
	outputs.SetName("in")
	outputs.SetFilterContext(src)
	outputs.SetPadIdx(0)
	outputs.SetNext(nil)
	inputs.SetName("out")
	inputs.SetFilterContext(sink)
	inputs.SetPadIdx(0)
	inputs.SetNext(nil)
	if err := graph.Parse(filters, inputs, outputs); err != nil {
		return err
	}
	return graph.Configure()
}

// cascade returns the chain that scales on the GPU. Its scaler looks at 16 pixels of the
// source for each of the output, so beyond half the size it would leave some out and
// the frame would flicker. Halving by the bilinear one is the plain mean of four
// pixels; what remains is done by the sharper one. Sizes are rounded to even numbers, so
// half the size may be a little less than that, and is still done in one: each filter
// holds memory on the GPU and has its kernels loaded apart.
func cascade(srcW, srcH, width, height int) string {
	const num, den = 33, 16 // two, and a sixteenth
	var steps []string
	for den*srcW > num*width || den*srcH > num*height {
		srcW, srcH = max(width, (srcW/2+1)&^1), max(height, (srcH/2+1)&^1)
		steps = append(steps, fmt.Sprintf("scale_cuda=w=%d:h=%d:interp_algo=bilinear", srcW, srcH))
	}
	steps = append(steps, fmt.Sprintf("scale_cuda=w=%d:h=%d:interp_algo=bicubic:format=nv12", width, height))
	return strings.Join(steps, ",")
}

func (s *gpuScaler) release() {
	if s.out != nil {
		s.out.Unref()
	}
	if s.graph != nil {
		s.graph.Free()
		s.graph = nil
	}
}

func (s *gpuScaler) close() {
	s.release()
	if s.out != nil {
		s.out.Free()
		s.out = nil
	}
	s.log.free()
}

// fetcher scales on the GPU and brings the frames to the CPU's encoder.
type fetcher struct {
	gpu *gpuScaler
	cpu scaler
	raw *astiav.Frame
}

func (f *fetcher) scale(src *astiav.Frame) (*astiav.Frame, error) {
	scaled, err := f.gpu.scale(src)
	if err != nil {
		return nil, err
	}
	if f.raw == nil {
		if f.raw = astiav.AllocFrame(); f.raw == nil {
			return nil, failed(opScale, errENOMEM)
		}
	}
	if err := download(scaled, f.raw, f.gpu.log); err != nil {
		return nil, err
	}
	return f.cpu.scale(f.raw)
}

func (f *fetcher) close() {
	f.cpu.close()
	if f.raw != nil {
		f.raw.Free()
		f.raw = nil
	}
}

// download copies a frame from the GPU into to, whatever to held.
func download(from, to *astiav.Frame, log *capture) error {
	to.Unref()
	if err := log.do(func() error { return from.TransferHardwareData(to) }); err != nil {
		return deviceFailed("download frame", err)
	}
	return failed("download frame", copyProps(to, from))
}
