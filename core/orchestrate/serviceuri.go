package orchestrate

import (
	"errors"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// StreamPath is where renditions are served, below the service URI.
const StreamPath = "/stream/"

// ServiceURI returns the advertised address, without a trailing slash.
func (o *Orchestrator) ServiceURI() string { return *o.serviceURI.Load() }

// SetServiceURI changes the advertised address from the next offer on. It fails, without a
// change, if uri is not of the form https://host:port.
func (o *Orchestrator) SetServiceURI(uri string) error {
	uri, err := serviceURI(uri)
	if err == nil {
		o.serviceURI.Store(&uri)
	}
	return err
}

// serviceURI checks an address and normalizes it.
func serviceURI(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "", err
	case u.Scheme != "https" && u.Scheme != "http", u.Host == "",
		strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.User != nil:
		return "", errors.New("service URI must be https://host:port")
	}
	return u.Scheme + "://" + u.Host, nil
}

// url returns the absolute address of a rendition.
func (o *Orchestrator) url(p Path) string { return o.ServiceURI() + StreamPath + p.String() }

func profileNames(profiles []core.Profile) []string {
	out := make([]string, len(profiles))
	for i := range profiles {
		out[i] = profiles[i].Name
	}
	return out
}
