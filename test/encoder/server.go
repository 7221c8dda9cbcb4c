package encoder

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/bluenviron/gortmplib/pkg/message"
)

// Server is an RTMP server that counts what it gets.
type Server struct {
	l  net.Listener
	wg sync.WaitGroup

	mu       sync.Mutex
	conns    map[net.Conn]bool
	closed   bool
	streams  []string
	pictures int
	keys     int
	sounds   int
	last     time.Duration
	back     int
}

// NewServer starts one on loopback.
func NewServer(t testing.TB) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{l: l, conns: make(map[net.Conn]bool)}
	s.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		s.mu.Lock()
		s.closed = true // a connection that was accepted before ends too
		s.mu.Unlock()
		s.Cut()
		s.wg.Wait()
	})
	return s
}

// Addr is its address.
func (s *Server) Addr() string { return s.l.Addr().String() }

// Cut ends all connections.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

func (s *Server) serve(conn net.Conn) {
	defer conn.Close()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.conns[conn] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	}()
	c := &gortmplib.ServerConn{RW: conn}
	if c.Initialize() != nil || c.Accept() != nil {
		return
	}
	s.mu.Lock()
	s.streams, s.last = append(s.streams, c.URL.Path+"?"+c.URL.RawQuery), 0
	s.mu.Unlock()
	for {
		m, err := c.Read()
		if err != nil {
			return
		}
		s.count(m)
	}
}

func (s *Server) count(m message.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch v := m.(type) {
	case *message.Video:
		if v.Type != message.VideoTypeAU {
			return
		}
		s.pictures++
		if v.IsKeyFrame {
			s.keys++
		}
		if v.DTS < s.last {
			s.back++
		}
		s.last = v.DTS
	case *message.Audio:
		if v.AACType == message.AudioAACTypeAU {
			s.sounds++
		}
	}
}

// Got is what came: the streams' paths, pictures, key frames, pieces of sound, and times that went back.
func (s *Server) Got() (streams []string, pictures, keys, sounds, back int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.streams...), s.pictures, s.keys, s.sounds, s.back
}
