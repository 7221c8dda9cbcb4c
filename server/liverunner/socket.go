package liverunner

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Sizes of the buffers of a socket: one that waits for bytes holds the small one.
const (
	idleBuffer = 2 << 10
	busyBuffer = 32 << 10
)

// socket is a runner's side of an upgraded connection. io.Copy, by which the proxy moves the bytes, holds a large
// buffer for each direction while nothing comes; a socket's own ReadFrom and WriteTo do not.
type socket struct {
	io.ReadWriteCloser
	buffers *sync.Pool
}

var errStatus = errors.New("the runner answers with a status that is none here")

// upgrade makes the proxy use a socket where a runner changes the protocol. It refuses what is no status, on which the
// proxy would panic, and a change that the client has not asked for: any protocol could follow.
func (s *Server) upgrade(res *http.Response) error {
	asked := res.Request != nil && res.Request.Header.Get("Upgrade") != ""
	if res.StatusCode < http.StatusOK && (res.StatusCode != http.StatusSwitchingProtocols || !asked) {
		return errStatus
	}
	if runner, ok := res.Body.(io.ReadWriteCloser); ok && res.StatusCode == http.StatusSwitchingProtocols {
		res.Body = &socket{runner, &s.buffers}
	}
	return nil
}

// CloseWrite ends what the client sends, where the runner's connection knows that.
func (k *socket) CloseWrite() error {
	if c, ok := k.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return fmt.Errorf("close one way of a socket: %w", http.ErrNotSupported)
}

// ReadFrom moves the client's bytes to the runner.
func (k *socket) ReadFrom(client io.Reader) (int64, error) {
	return move(k.ReadWriteCloser, client, k.buffers)
}

// WriteTo moves the runner's bytes to the client.
func (k *socket) WriteTo(client io.Writer) (int64, error) {
	return move(client, k.ReadWriteCloser, k.buffers)
}

// move copies bytes as they come until the end of from. It takes a large buffer while they fill the small one.
func move(to io.Writer, from io.Reader, buffers *sync.Pool) (n int64, err error) {
	small := make([]byte, idleBuffer)
	var large *[busyBuffer]byte
	for {
		buf := small
		if large != nil {
			buf = large[:]
		}
		got, readErr := from.Read(buf)
		if got > 0 {
			wrote, err := to.Write(buf[:got])
			if n += int64(wrote); err != nil {
				return n, err
			}
		}
		switch {
		case readErr == io.EOF:
			return n, nil
		case readErr != nil:
			return n, readErr
		case large != nil && got < idleBuffer:
			buffers.Put(large)
			large = nil
		case large == nil && got == idleBuffer:
			large = takeBuffer(buffers)
		}
	}
}

func takeBuffer(buffers *sync.Pool) *[busyBuffer]byte {
	if b, ok := buffers.Get().(*[busyBuffer]byte); ok {
		return b
	}
	return new([busyBuffer]byte)
}
