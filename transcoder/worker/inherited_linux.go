package worker

import (
	"fmt"
	"net"
	"os"
)

// inherited returns the child's ends of the stream and the shared memory.
func inherited() (*Conn, *ArenaView, error) {
	file := os.NewFile(socketFD, "control")
	raw, err := net.FileConn(file)
	if err != nil {
		return nil, nil, fmt.Errorf("a media worker is started by the node, not by hand: %w", err)
	}
	if err := file.Close(); err != nil {
		return nil, nil, fmt.Errorf("close the inherited socket: %w", err)
	}
	arena, err := MapArena(arenaFD)
	return NewConn(raw), arena, err
}
