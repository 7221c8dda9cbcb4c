package inference

import (
	"bytes"
	"io"
)

// LongValues are values of a request that are in a file. They end with the request: later readers get an
// error.
type LongValues interface {
	// Reader returns a body with its values in place of their markers, Size its length.
	Reader(body []byte) io.Reader
	Size(body []byte) int64
}

// Open returns the whole body, from its beginning.
func (j *Job) Open() io.Reader { return j.With(j.Body) }

// With returns a body made of the job's, whole.
func (j *Job) With(body []byte) io.Reader {
	if j.Long == nil {
		return bytes.NewReader(body)
	}
	return j.Long.Reader(body)
}

// Size returns the length of a body made of the job's, whole.
func (j *Job) Size(body []byte) int64 {
	if j.Long == nil {
		return int64(len(body))
	}
	return j.Long.Size(body)
}

// Whole returns the whole body in memory.
func (j *Job) Whole() ([]byte, error) {
	if j.Long == nil {
		return j.Body, nil
	}
	out := bytes.NewBuffer(make([]byte, 0, j.Long.Size(j.Body)))
	_, err := out.ReadFrom(j.Open())
	return out.Bytes(), err
}
