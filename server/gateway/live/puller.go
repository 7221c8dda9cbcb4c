package live

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"

	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// AudioCodec is what a stream's sound is coded with: Opus or AAC, in the container's words.
type AudioCodec = mpegts.Codec

// Puller reads streams of media servers. RTMP implements it.
type Puller interface {
	// Pull reads the stream at u from the server at addr until it ends or ctx does, and returns why it ended.
	Pull(ctx context.Context, u *url.URL, addr netip.AddrPort, to Media) error
}

// Media takes a stream in its order. Times are in units of 90 kHz. What it is given is its own.
type Media interface {
	// Sound comes before the first piece of sound, where there is one.
	Sound(codec AudioCodec)
	Video(pts, dts int64, unit [][]byte)
	Audio(pts int64, packet []byte)
}

const opReach = "reach a media server"

// parseMedia reads the address of a stream at a media server. The error is a fault without the address, whose path
// is a credential.
func parseMedia(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > maxAddress, u.Scheme != "rtmp" && u.Scheme != "rtmps", u.Hostname() == "",
		u.Opaque != "", u.Path == "" || u.Path == "/":
		return nil, fault.New(fault.MediaAddressRefused, opReach, "it is no rtmp:// address with a host and a path")
	}
	if u.Port() == "" {
		port := "1935"
		if u.Scheme == "rtmps" {
			port = "443"
		}
		u.Host = net.JoinHostPort(u.Hostname(), port)
	}
	u.Fragment = ""
	return u, nil
}

// reach is the address of a media server that this gateway may connect to: one of the internet, of the networks of
// the operator, or the caller's own. own permits every address. Errors are the faults MediaAddressRefused and
// MediaServerUnreachable.
func (s *Server) reach(ctx context.Context, u *url.URL, caller netip.Addr, own bool) (netip.AddrPort, error) {
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", u.Port())
	if err != nil {
		return netip.AddrPort{}, fault.New(fault.MediaAddressRefused, opReach, "its port is no port")
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return netip.AddrPort{}, fault.Wrap(fault.MediaServerUnreachable, opReach, withoutName(err))
	}
	// A name of this machine has an address of each family, and media servers often listen on the first alone.
	slices.SortStableFunc(found, func(a, b netip.Addr) int { return cmp.Compare(a.Unmap().BitLen(), b.Unmap().BitLen()) })
	i := slices.IndexFunc(found, func(a netip.Addr) bool {
		a = a.Unmap()
		return own || a == caller || core.PublicAddress(a) || s.o.MediaNetworks.Contain(a)
	})
	if i < 0 {
		return netip.AddrPort{}, fault.New(fault.MediaAddressRefused, opReach, "its host is not on the internet")
	}
	return netip.AddrPortFrom(found[i].Unmap(), uint16(port)), nil
}

// withoutName removes the looked-up name from an error.
func withoutName(err error) error {
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New(d.Err)
	}
	return err
}
