package liverunner

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// script gives a read as many bytes as the next number says, and notes how large its buffer is.
type script struct {
	sizes   []int
	buffers []int
}

func (s *script) Read(p []byte) (int, error) {
	s.buffers = append(s.buffers, len(p))
	if len(s.sizes) == 0 {
		return 0, io.EOF
	}
	n := s.sizes[0]
	s.sizes = s.sizes[1:]
	return copy(p, bytes.Repeat([]byte{byte(n)}, n)), nil
}

func (s *script) Write(p []byte) (int, error) { return len(p), nil }
func (s *script) Close() error                { return nil }

// A socket holds a large buffer while there is traffic that fills the small one, in both directions, and moves every
// byte.
func TestAnIdleSocketHoldsASmallBuffer(t *testing.T) {
	t.Parallel()
	sizes := []int{5, idleBuffer, busyBuffer, idleBuffer, 7, 8}
	want := []int{idleBuffer, idleBuffer, busyBuffer, busyBuffer, busyBuffer, idleBuffer, idleBuffer}
	sum := int64(5 + idleBuffer + busyBuffer + idleBuffer + 7 + 8)
	for name, move := range map[string]func(*script, *bytes.Buffer) (int64, error){
		"to the client": func(s *script, out *bytes.Buffer) (int64, error) {
			return (&socket{s, new(sync.Pool)}).WriteTo(out)
		},
		"to the runner": func(s *script, out *bytes.Buffer) (int64, error) {
			return (&socket{struct {
				io.Writer
				io.ReadCloser
			}{out, s}, new(sync.Pool)}).ReadFrom(s)
		},
	} {
		s, out := &script{sizes: slices.Clone(sizes)}, new(bytes.Buffer)
		n, err := move(s, out)
		if err != nil || n != sum || int64(out.Len()) != sum || !slices.Equal(s.buffers, want) {
			t.Errorf("%s: %d bytes of %d, %v, buffers %v", name, n, sum, err, s.buffers)
		}
	}
}

// oneWay is a connection that can be closed one way.
type oneWay struct {
	net.Conn
	closed bool
}

func (o *oneWay) CloseWrite() error { o.closed = true; return nil }

// The end of what a client sends reaches the runner, and the other direction goes on.
func TestASocketIsClosedOneWay(t *testing.T) {
	t.Parallel()
	var o oneWay
	if err := (&socket{ReadWriteCloser: &o}).CloseWrite(); err != nil || !o.closed {
		t.Error(err, o.closed)
	}
	if err := (&socket{ReadWriteCloser: &script{}}).CloseWrite(); !errors.Is(err, http.ErrNotSupported) {
		t.Error(err)
	}
}

// Only an upgrade is a socket.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	var s Server
	for status, upgraded := range map[int]bool{http.StatusSwitchingProtocols: true, http.StatusOK: false} {
		res := &http.Response{StatusCode: status, Body: &script{},
			Request: &http.Request{Header: http.Header{"Upgrade": {"websocket"}}}}
		if err := s.upgrade(res); err != nil {
			t.Fatal(err)
		}
		if _, ok := res.Body.(*socket); ok != upgraded {
			t.Error(status, ok)
		}
	}
}
