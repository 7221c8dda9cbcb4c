package worker

import (
	"os"

	"github.com/tuttinode/tutti/transcoder/worker/frame"
)

// inherited returns the child's end of the stream: its standard input and output. Nothing
// else may write to the latter from now on.
func inherited() (*frame.Conn, *frame.View, error) {
	in, out := os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	return frame.NewConn(pipes{in, out}), &frame.View{}, nil
}
