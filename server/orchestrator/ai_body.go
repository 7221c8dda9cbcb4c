package orchestrator

import (
	"errors"
	"io"

	"github.com/tuttinode/tutti/core/fault"
)

// receiveBody reads a whole body without hashing it, of at most most bytes. size is the
// announced length, negative if unknown; progress is called with the received bytes; c is the
// claim for its memory. Errors are JobTooLarge, JobsFull and JobBroken.
func receiveBody(body io.Reader, size, most int64, b *budget, c claim, progress func(received int)) (*upload,
	error) {
	const op = "receive request"
	u := &upload{budget: b, most: most, claim: c}
	err := u.read(body, size, progress)
	switch {
	case err == nil:
		return u, nil
	case errors.Is(err, errTooLarge):
		err = fault.New(fault.JobTooLarge, op, "")
	case fault.CodeOf(err) == fault.UploadsFull:
		err = fault.New(fault.JobsFull, op, "")
	default:
		err = fault.Wrap(fault.JobBroken, op, err)
	}
	u.release()
	return nil, err
}
