package liverunner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// Container is the container of a managed runner: what it may do besides serving, as for a model's container.
type Container struct {
	Image string
	// Network lets it reach other hosts. ReadOnly says whether it may change the files of its image; nil
	// finds out.
	Network  bool
	ReadOnly *bool
	// MemoryBytes and Processes bound it; 0 is the node's default.
	MemoryBytes, Processes int64
	// Capabilities are kernel capabilities that it keeps.
	Capabilities []string
}

// containerFields are those of a managed runner in a container.
type containerFields struct {
	Network      json.RawMessage `json:"network"`
	ReadOnly     json.RawMessage `json:"read_only"`
	MemoryGB     json.RawMessage `json:"memory_gb"`
	Processes    json.RawMessage `json:"processes"`
	Capabilities json.RawMessage `json:"capabilities"`
}

const (
	maxImage     = 300
	maxMemoryGB  = 100_000
	minProcesses = 16
	maxProcesses = 4_000_000
	maxGranted   = 64
	bytesPerGB   = 1e9
)

var (
	errImage     = errors.New("image must be the name of a container image")
	errNoImage   = errors.New("network, read_only, memory_gb, processes and capabilities go with an image")
	errContainer = errors.New("network and read_only must be true or false, memory_gb 0.01 to 100000, processes 16 to " +
		"4000000, capabilities names such as SETUID")
	errContainerURL = errors.New("with an image runner_url names the port and path inside the container, by http, and " +
		"health_url is a path")
)

// container reads the container of an entry, nil for none.
func (r *registration) container() (*Container, error) {
	c := &Container{}
	if len(r.Image) == 0 {
		if len(r.Network)+len(r.ReadOnly)+len(r.MemoryGB)+len(r.Processes)+len(r.Capabilities) > 0 {
			return nil, errNoImage
		}
		return nil, nil
	}
	if json.Unmarshal(r.Image, &c.Image) != nil || c.Image == "" || len(c.Image) > maxImage ||
		strings.HasPrefix(c.Image, "-") || strings.ContainsFunc(c.Image, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errImage
	}
	var gb float64
	for _, field := range []struct {
		raw  json.RawMessage
		into any
	}{
		{r.Network, &c.Network}, {r.ReadOnly, &c.ReadOnly}, {r.MemoryGB, &gb}, {r.Processes, &c.Processes},
		{r.Capabilities, &c.Capabilities},
	} {
		if len(field.raw) > 0 && json.Unmarshal(field.raw, field.into) != nil {
			return nil, errContainer
		}
	}
	badName := func(s string) bool {
		return s == "" || len(s) > 40 || strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != ""
	}
	if len(r.MemoryGB) > 0 && !(gb >= 0.01 && gb <= maxMemoryGB) || len(c.Capabilities) > maxGranted ||
		len(r.Processes) > 0 && (c.Processes < minProcesses || c.Processes > maxProcesses) ||
		slices.ContainsFunc(c.Capabilities, badName) {
		return nil, errContainer
	}
	c.MemoryBytes = int64(gb * bytesPerGB)
	return c, nil
}

// containerDomain is that of the names by which the node knows containers. No name server has it.
const containerDomain = ".container.invalid"

// IsContainer reports whether a host is a runner's container.
func IsContainer(host string) bool { return strings.HasSuffix(strings.ToLower(host), containerDomain) }

// enter makes a spec's addresses those of its container: its host is the container, whatever the entry says.
func (s *Spec) enter(health string) error {
	if s.Program == nil || s.Program.Container == nil {
		return nil
	}
	if s.URL.Scheme != "http" || !strings.HasPrefix(health, "/") {
		return errContainerURL
	}
	port := s.URL.Port()
	if port == "" {
		port = "80"
	}
	at := *s.URL
	at.Host = containerName(s.Label) + containerDomain + ":" + port
	s.URL, s.Health = &at, (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: at.Path}).JoinPath(health)
	return nil
}

// containerName is a label as a host's name, or what stands for it.
func containerName(label string) string {
	if len(label) <= 63 && strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" {
		return label
	}
	sum := sha256.Sum256([]byte(label))
	return "x" + hex.EncodeToString(sum[:12])
}
