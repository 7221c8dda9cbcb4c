package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

// remoteServer is the listener of the control API.
type remoteServer struct {
	rpc      *rpc.Server
	http     *http.Server
	listener net.Listener
	done     chan struct{}
}

// namespace is what the methods' names begin with.
const namespace = "devnet"

// listenRemote serves the methods of the services on an address.
func listenRemote(addr string, services ...any) (*remoteServer, error) {
	server := rpc.NewServer()
	for _, s := range services {
		if err := server.RegisterName(namespace, s); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for control: %w", err)
	}
	s := &remoteServer{rpc: server, listener: listener, done: make(chan struct{}),
		http: &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

// URL returns the address of the API.
func (s *remoteServer) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends the API, after the calls that are under way or a second.
func (s *remoteServer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.done
	s.rpc.Stop()
	return err
}
