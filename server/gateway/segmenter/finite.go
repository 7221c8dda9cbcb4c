package segmenter

import "io"

// maxEnds is how often a parser may read at the end.
const maxEnds = 1000

// Finite ends a parser of MPEG-TS that goes on reading at the end: some input makes the library try forever. At the
// end it panics after a while, which the caller of the parser recovers.
type Finite struct {
	R    io.Reader
	ends int
}

// Read reads.
func (f *Finite) Read(p []byte) (int, error) {
	n, err := f.R.Read(p)
	if n > 0 || err == nil {
		return n, err
	}
	if f.ends++; f.ends > maxEnds {
		panic(err)
	}
	return n, err
}
