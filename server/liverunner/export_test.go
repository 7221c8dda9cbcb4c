package liverunner

import (
	"context"
	"net/http"

	"github.com/tuttinode/tutti/server/trickle"
)

// Hub has the channels.
func (s *Server) Hub() *trickle.Hub { return s.hub }

// CheckAlive looks once whether runners with sessions listen.
func (s *Server) CheckAlive(ctx context.Context) { s.checkAlive(ctx) }

// KeepAlive sends the signs of life that are due after a time.
func (s *Server) KeepAlive() { s.keepAlive() }

// ProxyURL is the proxy URL of an id by a form.
func ProxyURL(form, service, id string) (string, error) {
	f, err := parseProxyForm(form, service)
	if err != nil {
		return "", err
	}
	return f.url(id), nil
}

// IsProxyURL reports whether a request is one to a proxy URL by a form.
func IsProxyURL(form, service string, r *http.Request) (bool, error) {
	f, err := parseProxyForm(form, service)
	_, _, ok := f.match(r)
	return ok, err
}
