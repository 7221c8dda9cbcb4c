package libav

import (
	"sync"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core/fault"
)

// media is what a session keeps on the GPU between its segments: the decoder, the
// filters that scale and the encoders. Making them takes longer than the work of
// a short segment, and all the longer the more sessions there are. Nothing in them
// makes a segment depend on another one.
type media struct {
	gpu  *gpu
	form form

	mu       sync.Mutex
	decoder  *keptDecoder
	scalers  map[int]*gpuScaler
	encoders []*encoder // at rest
	upload   *uploader
}

func newMedia(g *gpu, f form) *media {
	return &media{gpu: g, form: f, scalers: make(map[int]*gpuScaler)}
}

// mediaIn makes what the session keeps fit for a form.
func (own *session) mediaIn(f form, g *gpu) {
	if own.media != nil && own.media.form != f {
		own.media.close()
		own.media = nil
	}
	if own.media == nil {
		own.media = newMedia(g, f)
	}
}

// decoderFor returns the session's decoder, a new one if the stream changed.
func (m *media) decoderFor(p *astiav.CodecParameters) (*keptDecoder, error) {
	if m.decoder != nil && m.decoder.key != keyOf(p) {
		m.decoder.close()
		m.decoder = nil
	}
	if m.decoder == nil {
		var err error
		if m.decoder, err = openKept(p, m.gpu); err != nil {
			return nil, err
		}
	}
	m.decoder.begin()
	return m.decoder, nil
}

// scalerFor returns the scaler of a slot, a new one if the size changed.
func (m *media) scalerFor(slot, width, height int) *gpuScaler {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.scalers[slot]
	if s != nil && (s.width != width || s.height != height) {
		s.close()
		s = nil
	}
	if s == nil {
		s = newGPUScaler(width, height)
		m.scalers[slot] = s
	}
	return s
}

// encoderFor returns an encoder for frames like the one given.
func (m *media) encoderFor(s encoderSpec, like *astiav.Frame) (*encoder, error) {
	from := poolOf(like)
	if e := m.takeIdleEncoder(s, from); e != nil {
		return e, nil
	}
	e, err := openNVENC(s, like)
	if fault.CodeOf(err) == fault.EncoderSessionsExhausted && m.freeIdleEncoders() {
		e, err = openNVENC(s, like)
	}
	if err != nil {
		return nil, m.gpu.refusedSession(err)
	}
	if encoderFlushes(e.c) {
		e.keep = m.keepIdleEncoder
	}
	return e, nil
}

// takeIdleEncoder takes an idle encoder with exactly these settings, nil when there is none.
func (m *media) takeIdleEncoder(s encoderSpec, from pool) *encoder {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range m.encoders {
		if e.from == from && e.spec.same(s) {
			m.encoders = append(m.encoders[:i], m.encoders[i+1:]...)
			return e
		}
	}
	return nil
}

// keepIdleEncoder keeps a drained encoder for the next segment.
func (m *media) keepIdleEncoder(e *encoder) {
	flushCodec(e.c)
	m.mu.Lock()
	defer m.mu.Unlock()
	e.rested = true
	m.encoders = append(m.encoders, e)
}

// freeIdleEncoders frees the idle encoders and reports whether there were any.
func (m *media) freeIdleEncoders() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	some := len(m.encoders) > 0
	freeEncoders(m.encoders)
	m.encoders = nil
	return some
}

// settle ends a segment: it frees the encoders that the segment did not use.
func (m *media) settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	used := m.encoders[:0]
	for _, e := range m.encoders {
		if !e.rested {
			e.free()
			continue
		}
		e.rested = false
		used = append(used, e)
	}
	clear(m.encoders[len(used):])
	m.encoders = used
}

// close frees everything. No segment of the session may be in progress.
func (m *media) close() {
	if m == nil {
		return
	}
	m.freeIdleEncoders()
	if m.decoder != nil {
		m.decoder.close()
		m.decoder = nil
	}
	for slot, s := range m.scalers {
		s.close()
		delete(m.scalers, slot)
	}
	if m.upload != nil {
		m.upload.close()
		m.upload = nil
	}
}
