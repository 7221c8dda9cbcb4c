package transcoders

import (
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"strconv"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

var (
	errMissing    = errors.New("fewer renditions than profiles")
	errUnexpected = errors.New("a part that belongs to no rendition")
	errRendition  = errors.New("invalid rendition")
)

// parser reads renditions from a multipart body. It takes what its job expects and
// nothing else: one part per profile in order, and behind each its video signature
// where one was asked for.
type parser struct {
	budget *remote.Budget
	job    *core.TranscodeJob
	out    []core.Rendition
	// held is what is booked for out.
	held int64
	// uncounted is called for a rendition whose frames cannot be counted; it may be nil.
	uncounted func(why error)
}

func (p *parser) read(body io.Reader, boundary string) error {
	if boundary == "" {
		return errors.New("no boundary")
	}
	r := multipart.NewReader(body, boundary)
	for {
		// Raw: what a transcoder made is bytes, whatever it calls their encoding.
		part, err := r.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("read part %d: %w", len(p.out), err)
		}
		if err := p.part(part); err != nil {
			return fmt.Errorf("read part %d: %w", len(p.out), err)
		}
	}
	return p.complete()
}

// part takes one part; those of renditions name their pixels.
func (p *parser) part(part *multipart.Part) error {
	text := part.Header.Get("Pixels")
	if text == "" {
		return p.signature(part)
	}
	n := len(p.out)
	if n >= len(p.job.Profiles) {
		return errors.New("more renditions than profiles")
	}
	pixels, err := strconv.ParseInt(text, 10, 64)
	if err != nil || pixels < 0 {
		return errors.New("invalid pixels")
	}
	if err := checkType(part.Header.Get("Content-Type"), p.job.Profiles[n].Format); err != nil {
		return err
	}
	data, err := p.bytes(part, core.MaxSegmentBytes)
	if err != nil {
		return err
	}
	p.out = append(p.out, core.Rendition{
		Data: data, Pixels: core.Pixels(pixels), Frames: framesOf(part.Header.Get(rpc.FramesHeader)),
	})
	return nil
}

// signature takes the video signature of the rendition before it.
func (p *parser) signature(part *multipart.Part) error {
	n := len(p.out)
	if !p.job.Signature || n == 0 || p.out[n-1].Signature != nil {
		return errUnexpected
	}
	data, err := p.bytes(part, maxSignature)
	p.out[max(n-1, 0)].Signature = data
	return err
}

// bytes reads a part, and checks it against the length that it names.
func (p *parser) bytes(part *multipart.Part, most int64) ([]byte, error) {
	length := int64(-1)
	if text := part.Header.Get("Content-Length"); text != "" {
		var err error
		if length, err = strconv.ParseInt(text, 10, 64); err != nil || length < 0 {
			return nil, errors.New("invalid length")
		}
	}
	data, held, err := p.budget.ReadAll(part, length, most)
	if err != nil {
		return nil, err
	}
	p.held += held
	if length >= 0 && int64(len(data)) != length {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", errRendition, len(data), length)
	}
	return data, nil
}

// complete checks that nothing is missing, and that renditions hold what is said of
// them.
func (p *parser) complete() error {
	if len(p.out) != len(p.job.Profiles) {
		return errMissing
	}
	for i := range p.out {
		if p.job.Signature && p.out[i].Signature == nil {
			return errors.New("a video signature is missing")
		}
		if err := p.checkRendition(i); err != nil {
			return err
		}
	}
	return nil
}

// discard gives back what is booked.
func (p *parser) discard() {
	p.budget.Release(p.held)
	p.held, p.out = 0, nil
}

// checkType refuses a part that is another container than its place in the order
// demands: renditions were mixed up.
func checkType(text string, want core.Format) error {
	kind, _, err := mime.ParseMediaType(text)
	if err != nil {
		return errors.New("unparsable content type")
	}
	for _, f := range []core.Format{core.FormatMPEGTS, core.FormatMP4} {
		if kind == f.MIME() && f != want {
			return fmt.Errorf("%w: %s where %s was asked for", errRendition, kind, want.MIME())
		}
	}
	return nil
}

// framesOf reads a number of frames, 0 where there is none.
func framesOf(text string) core.Frames {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0
	}
	return core.Frames(n)
}
