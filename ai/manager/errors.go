package manager

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
)

var (
	errSlow      = errors.New("the servers of all images took too long")
	errLarge     = errors.New("the images of the request are too large")
	errFull      = errors.New("the memory for images is in use")
	errNoImage   = errors.New("the answer is no PNG, JPEG, WebP or GIF")
	errRedirects = errors.New("too many redirects")
)

// portError is a connection to a port other than 80 and 443.
type portError struct{ port uint16 }

func (e *portError) Error() string { return fmt.Sprintf("port %d is neither 80 nor 443", e.port) }

// redirectError is a redirect to a forbidden address.
type redirectError struct{ why error }

func (e *redirectError) Error() string { return "the server redirects elsewhere: " + e.why.Error() }

// statusError is an answer with an error status.
type statusError struct{ status int }

func (e *statusError) Error() string { return fmt.Sprintf("the server answered %d", e.status) }

// brokenError is an answer that ended early.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return "the answer broke off" }
func (e *brokenError) Unwrap() error { return e.err }

// fault is the fault of image i. Its text names only the host of the URL, as it is
// logged, and not the host's IP address, as it is sent to the client.
func (f *PictureFetcher) fault(ctx context.Context, i int, address string, err error) error {
	code, text := f.reason(ctx, err)
	if code == fault.JobsFull {
		return fault.New(code, op, text)
	}
	out := fault.New(code, op, fmt.Sprintf("image %d (host %q): %s", i+1, host(address), text))
	// The causes of other errors may quote an address with its query.
	if cause, ok := errors.AsType[*net.OpError](err); ok {
		out.Err = cause
	}
	return out
}

// reason returns the code of an error, and a text for the client.
func (f *PictureFetcher) reason(ctx context.Context, err error) (fault.Code, string) {
	port, portErr := errors.AsType[*portError](err)
	redirect, redirectErr := errors.AsType[*redirectError](err)
	status, statusErr := errors.AsType[*statusError](err)
	broken, brokenErr := errors.AsType[*brokenError](err)
	_, dnsErr := errors.AsType[*net.DNSError](err)
	_, certErr := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, fetchurl.ErrNotPublic):
		return fault.RequestURLRefused, "the host has no public address"
	case portErr:
		return fault.RequestURLRefused, port.Error()
	case redirectErr:
		return fault.RequestURLRefused, redirect.Error()
	case errors.Is(err, errLarge):
		const most = MaxPictureRequestBytes >> 20
		return fault.PicturesTooLarge, fmt.Sprintf("the images of the request have more than %d MB together", most)
	case errors.Is(err, errFull):
		return fault.JobsFull, errFull.Error()
	case errors.Is(err, errNoImage):
		return fault.PictureUnreadable, errNoImage.Error()
	case statusErr:
		return fault.PictureNotFetched, status.Error()
	case errors.Is(err, errRedirects):
		return fault.PictureNotFetched, fmt.Sprintf("the server redirects more than %d times", maxRedirects)
	case errors.Is(context.Cause(ctx), errSlow):
		return fault.PictureNotFetched, fmt.Sprintf("it did not arrive within %s", f.time)
	case brokenErr:
		return fault.PictureNotFetched, broken.Error()
	case dnsErr:
		return fault.PictureNotFetched, "the host is not found"
	case certErr:
		return fault.PictureNotFetched, "the server's certificate is not valid"
	}
	return fault.PictureNotFetched, "the server cannot be reached"
}
