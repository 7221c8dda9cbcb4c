package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
)

// ownSockets returns the listening sockets, for another process.
func (n *node) ownSockets() (string, []*os.File, error) {
	var names []string
	var files []*os.File
	for _, s := range []struct {
		name string
		of   func() (*os.File, error)
		is   bool
	}{
		{process.SocketPublic, n.publicSocket, n.Orchestrator != nil},
		{process.SocketGateway, n.gatewaySocket, n.Gateway != nil},
		// The service manager holds this one open, so that no other process can open it.
		{process.SocketAdmin, n.adminSocket, n.Process.Sockets.Take(process.SocketAdmin) != nil},
	} {
		if !s.is {
			continue
		}
		f, err := s.of()
		if err != nil {
			process.CloseAll(files)
			return "", nil, fmt.Errorf("socket %s: %w", strconv.Quote(s.name), err)
		}
		names, files = append(names, s.name), append(files, f)
	}
	return strings.Join(names, ","), files, nil
}

func (n *node) publicSocket() (*os.File, error) { return n.Orchestrator.Server.Socket() }

func (n *node) gatewaySocket() (*os.File, error) { return n.Gateway.Server.Socket() }

func (n *node) adminSocket() (*os.File, error) {
	f, ok := n.Process.Sockets.Take(process.SocketAdmin).(interface{ File() (*os.File, error) })
	if !ok {
		return nil, errors.New("it is none that can be handed over")
	}
	return f.File()
}
