package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

// unixPrefix begins an address that is a socket in the file system.
const unixPrefix = "unix:"

func isUnix(listen string) bool { return strings.HasPrefix(listen, unixPrefix) }

// hostsOf returns the names of the listener.
func hostsOf(o *Options) access.Hosts {
	if isUnix(o.Listen) {
		return access.NewHosts("", o.Hosts)
	}
	return access.NewHosts(o.Listen, o.Hosts)
}

// isRemote reports whether other machines reach the address.
func isRemote(listen string) bool {
	if isUnix(listen) {
		return false
	}
	host, _, err := net.SplitHostPort(listen)
	return err == nil && !access.IsLoopback(host)
}

// listen opens the listener. It refuses an address that should be loopback and is not: a name
// such as localhost is checked after its look-up.
func (s *Server) listen(ctx context.Context) (net.Listener, error) {
	if path, ok := strings.CutPrefix(s.opts.Listen, unixPrefix); ok {
		return listenUnix(ctx, strings.TrimPrefix(path, "//"))
	}
	l, err := s.opts.Listener, error(nil)
	if l == nil {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", s.opts.Listen)
	}
	if err != nil {
		return nil, fault.Wrap(fault.ListenFailed, "listen on the admin address", err)
	}
	if at, ok := l.Addr().(*net.TCPAddr); ok && !s.remote && !at.IP.IsLoopback() {
		err := fault.New(fault.AdminExposed, "listen on the admin address",
			fmt.Sprintf("%s is %s, which is not loopback", s.opts.Listen, at.IP))
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// listenUnix opens a socket that only its owner may connect to. It is made in a
// private directory, so that no other user can connect before its mode is set.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	l, err := replaceSocket(ctx, path)
	if err != nil {
		return nil, fault.Wrap(fault.ListenFailed, "listen on the admin socket", err)
	}
	return l, nil
}

func replaceSocket(ctx context.Context, path string) (net.Listener, error) {
	if err := freePath(ctx, path); err != nil {
		return nil, err
	}
	tempDir, err := os.MkdirTemp(filepath.Dir(path), ".a")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tempDir)
	inside := filepath.Join(tempDir, "s")
	l, err := new(net.ListenConfig).Listen(ctx, "unix", inside)
	if err != nil {
		return nil, err
	}
	unix, ok := l.(*net.UnixListener)
	if ok {
		unix.SetUnlinkOnClose(false) // it moves away from where it was made
	}
	err = os.Chmod(inside, 0o600)
	if err == nil {
		err = os.Rename(inside, path)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return socket{Listener: l, path: path}, nil
}

// freePath removes a stale socket of an earlier process, and no other file.
func freePath(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("%s is no socket: %w", path, os.ErrExist)
	}
	if conn, err := new(net.Dialer).DialContext(ctx, "unix", path); err == nil {
		return errors.Join(fmt.Errorf("another process listens on %s: %w", path, syscall.EADDRINUSE), conn.Close())
	}
	return os.Remove(path)
}

// socket is a listener that removes its file when it closes.
type socket struct {
	net.Listener
	path string
}

func (s socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

func (s socket) Close() error {
	err := os.Remove(s.path)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(s.Listener.Close(), err)
}
