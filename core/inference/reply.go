package inference

import "io"

// Reply is a runner's answer, passed on as it comes.
type Reply struct {
	// Status is the HTTP status: 200, or a client's mistake as the runner put it
	// (400, 413, 415, 422). Every other failure is an error instead of a Reply.
	Status      int
	ContentType string
	// Length is the body's length in bytes, -1 when unknown.
	Length int64
	// Body is the answer's bytes. A Read returns what has arrived, without waiting for more. The
	// receiver of the Reply closes it; closing it early ends the runner's work within 100 ms.
	Body io.ReadCloser
	// Worker names the container or runner that does the work; "" without a name.
	Worker string
}
