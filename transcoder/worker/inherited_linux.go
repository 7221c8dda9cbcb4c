package worker

import (
	"fmt"
	"net"
	"os"

	"github.com/tuttinode/tutti/transcoder/worker/frame"
)

// inherited returns the child's ends of the stream and the shared memory.
func inherited() (*frame.Conn, *frame.View, error) {
	file := os.NewFile(socketFD, "control")
	raw, err := net.FileConn(file)
	if err != nil {
		return nil, nil, fmt.Errorf("a media worker is started by the node, not by hand: %w", err)
	}
	if err := file.Close(); err != nil {
		return nil, nil, fmt.Errorf("close the inherited socket: %w", err)
	}
	arena, err := frame.MapArena(arenaFD)
	return frame.NewConn(raw), arena, err
}
