package clip

import (
	"errors"
	"fmt"

	"github.com/asticode/go-astiav"
)

// tsFile writes one MPEG-TS segment into memory.
type tsFile struct {
	format  *astiav.FormatContext
	io      *astiav.IOContext
	streams []*astiav.Stream
	data    []byte
}

// newTSFile opens a segment with one stream per given parameter set.
func newTSFile(params []*astiav.CodecParameters) (*tsFile, error) {
	t := &tsFile{}
	var err error
	if t.format, err = astiav.AllocOutputFormatContext(nil, "mpegts", ""); err != nil {
		return nil, fmt.Errorf("open mpegts muxer: %w", err)
	}
	const buffer = 64 << 10
	t.io, err = astiav.AllocIOContext(buffer, true, nil, nil, func(b []byte) (int, error) {
		t.data = append(t.data, b...)
		return len(b), nil
	})
	if err != nil {
		t.close()
		return nil, fmt.Errorf("open memory output: %w", err)
	}
	t.format.SetPb(t.io)
	for _, p := range params {
		s := t.format.NewStream(nil)
		if s == nil {
			t.close()
			return nil, errors.New("add stream to mpegts muxer")
		}
		if err := p.Copy(s.CodecParameters()); err != nil {
			t.close()
			return nil, fmt.Errorf("copy codec parameters: %w", err)
		}
		s.CodecParameters().SetCodecTag(0)
		s.SetTimeBase(ticks())
		t.streams = append(t.streams, s)
	}
	if err := t.format.WriteHeader(nil); err != nil {
		t.close()
		return nil, fmt.Errorf("write mpegts header: %w", err)
	}
	return t, nil
}

// write adds a packet whose times are in the given time base and takes its data.
func (t *tsFile) write(p *astiav.Packet, stream int, base astiav.Rational) error {
	p.SetStreamIndex(stream)
	p.RescaleTs(base, t.streams[stream].TimeBase())
	return t.format.WriteInterleavedFrame(p)
}

// finish ends the segment and returns its bytes.
func (t *tsFile) finish() ([]byte, error) {
	defer t.close()
	if err := t.format.WriteTrailer(); err != nil {
		return nil, fmt.Errorf("finish mpegts segment: %w", err)
	}
	return t.data, nil
}

func (t *tsFile) close() {
	if t.io != nil {
		t.io.Free()
		t.io = nil
	}
	if t.format != nil {
		t.format.Free()
		t.format = nil
	}
}
