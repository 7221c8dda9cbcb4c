package byoc

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/tuttinode/tutti/core/byoc"
)

// A node without a free descriptor cannot reach a capability's server, which keeps its capability; a server that
// refuses connections loses it.
func TestWhatADialThatFailsTakesAway(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		why   error
		want  error
		keeps bool
	}{
		"no descriptor":      {os.NewSyscallError("socket", syscall.EMFILE), errNoCapacity, true},
		"none in the system": {os.NewSyscallError("socket", syscall.ENFILE), errNoCapacity, true},
		"no free port":       {os.NewSyscallError("socket", syscall.EADDRNOTAVAIL), errNoCapacity, true},
		"no name server":     {&net.DNSError{Err: "server misbehaving", IsTemporary: true}, errNoCapacity, true},
		"no such name":       {&net.DNSError{Err: "no such host", IsNotFound: true}, errUnreached, false},
		"connection refused": {os.NewSyscallError("socket", syscall.ECONNREFUSED), errUnreached, false},
		"no route to a host": {os.NewSyscallError("socket", syscall.EHOSTUNREACH), errUnreached, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(Options{Log: slog.New(slog.DiscardHandler)})
			s.upstream.DialContext = func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: tc.why}
			}
			c := byoc.Registration{Name: "text-reversal", URL: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, Capacity: 1}
			if err := s.registry.Put(c); err != nil {
				t.Fatal(err)
			}
			slot := s.registry.Take(c.Name)
			defer slot.Give()
			res, err := s.call(t.Context(), &slot.Capability, "", http.Header{}, nil)
			if res != nil {
				_ = res.Body.Close()
			}
			if _, _, ok := s.registry.Find(c.Name); !errors.Is(err, tc.want) || ok != tc.keeps {
				t.Errorf("%v, and the capability is registered: %t", err, ok)
			}
		})
	}
}
