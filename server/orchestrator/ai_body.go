package orchestrator

import (
	"errors"
	"io"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// receiveBody reads a whole body without hashing it, of at most most bytes. size is the
// announced length, negative if unknown; progress is called with the received bytes; c is the
// claim for its memory. Errors are JobTooLarge, JobsFull and JobBroken.
func receiveBody(body io.Reader, size, most int64, b *budget, c claim, progress func(received int)) (*upload,
	error) {
	u := &upload{budget: b, most: most, claim: c}
	if err := received(u, u.read(body, size, progress)); err != nil {
		return nil, err
	}
	return u, nil
}

// largeBody is the size from which the long values of a request go into a file.
const largeBody = 4 << 20

// receiveLong is receiveBody for a JSON request whose long values go into a file. They count in disk, a
// budget with the same shares per peer as that of memory.
func receiveLong(body io.Reader, size, most int64, b, disk *budget, c claim, progress func(received int),
	o pipeline.LongOptions) (*upload, error) {
	u := &upload{budget: b, most: most, claim: c, disk: disk, stored: c}
	o.Limit, o.Size = most, size
	o.Store = func(n int64) error {
		if !disk.take(n, &u.stored) {
			return fault.New(fault.UploadsFull, "receive request", "")
		}
		return nil
	}
	o.Grow = func(n int64) error {
		if !u.reserve(n) {
			return fault.New(fault.UploadsFull, "receive request", "")
		}
		return nil
	}
	var err error
	u.data, u.long, err = pipeline.ReadLong(&progressReader{body, progress, 0}, o)
	if errors.Is(err, pipeline.ErrLongBody) {
		err = errTooLarge
	}
	if err = received(u, err); err != nil {
		return nil, err
	}
	return u, nil
}

// progressReader tells how much was read.
type progressReader struct {
	io.Reader
	progress func(received int)
	n        int
}

// Read reads from the body.
func (r *progressReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	r.progress(r.n)
	return n, err
}

// received releases what was not received whole, and returns the fault.
func received(u *upload, err error) error {
	const op = "receive request"
	switch {
	case err == nil:
		return nil
	case fault.CodeOf(err) == fault.RequestDiskFull:
	case errors.Is(err, errTooLarge):
		err = fault.New(fault.JobTooLarge, op, "the body is over the orchestrator's limit of "+inference.SizeText(u.most))
	case fault.CodeOf(err) == fault.UploadsFull:
		err = fault.New(fault.JobsFull, op, "")
	default:
		err = fault.Wrap(fault.JobBroken, op, err)
	}
	u.release()
	return err
}
