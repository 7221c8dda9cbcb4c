package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ownSockets are the listening sockets, for another process.
func (n *node) ownSockets() (string, []*os.File, error) {
	var names []string
	var files []*os.File
	for _, s := range []struct {
		name string
		of   func() (*os.File, error)
		is   bool
	}{
		{socketPublic, n.publicSocket, n.live.listener != nil},
		{socketGateway, n.gatewaySocket, n.gateway != nil},
		// The service manager holds this one open, so that nobody else can open it.
		{socketAdmin, n.adminSocket, n.process.sockets.take(socketAdmin) != nil},
	} {
		if !s.is {
			continue
		}
		f, err := s.of()
		if err != nil {
			closeAll(files)
			return "", nil, fmt.Errorf("socket %s: %w", strconv.Quote(s.name), err)
		}
		names, files = append(names, s.name), append(files, f)
	}
	return strings.Join(names, ","), files, nil
}

func (n *node) publicSocket() (*os.File, error) { return n.live.listener.Socket() }

func (n *node) gatewaySocket() (*os.File, error) { return n.gateway.Socket() }

func (n *node) adminSocket() (*os.File, error) {
	f, ok := n.process.sockets.take(socketAdmin).(interface{ File() (*os.File, error) })
	if !ok {
		return nil, errors.New("it is none that can be handed over")
	}
	return f.File()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
