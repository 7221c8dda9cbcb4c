package worker

import (
	"os"
)

// inherited returns the child's end of the stream: its standard input and output. Nothing
// else may write to the latter from now on.
func inherited() (*Conn, *ArenaView, error) {
	in, out := os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	return NewConn(pipes{in, out}), &ArenaView{}, nil
}
