package liverunner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Modes of runners.
const (
	// Persistent runners have sessions that are reserved, used by many requests and stopped.
	Persistent = "persistent"
	// SingleShot runners have one session per request.
	SingleShot = "single-shot"
)

// maxMetadata bounds a runner's public metadata, in bytes; maxText other texts of a registration.
const (
	maxMetadata = 1024
	maxText     = 1024
	maxCapacity = 1 << 20
)

// GPU is the one that a runner says it uses.
type GPU struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	VRAM int64  `json:"vram_mb,omitempty"`
}

// UnmarshalJSON takes an object, or an index alone.
func (g *GPU) UnmarshalJSON(data []byte) error {
	if n, err := strconv.Atoi(string(data)); err == nil {
		*g = GPU{ID: strconv.Itoa(n)}
		return nil
	}
	type plain GPU
	return json.Unmarshal(data, (*plain)(g))
}

// Spec is what the registration of a runner says.
type Spec struct {
	// Label names a static runner. Its sessions' URLs have the label if ByLabel, else the runner's id.
	Label   string
	ByLabel bool
	// Proxy gives sessions a URL of their own.
	Proxy bool
	URL   *url.URL
	// Health is the URL whose status has to be HealthStatus; nil for dynamic runners.
	Health       *url.URL
	HealthStatus int

	App, Version, Metadata string
	Mode                   string
	Capacity               int
	GPU                    *GPU
	// Price is unset where work is free.
	Price Price
	// CA is the path of a PEM file with the certificates that the runner's must be signed by, "" for
	// the system's.
	CA string
	// Program is what the node starts; nil for a runner that is not managed.
	Program *Program
}

// managedFields are those of managed runners. They are read in the operator's lists alone.
type managedFields struct {
	Image    json.RawMessage `json:"image"`
	Command  json.RawMessage `json:"command"`
	Env      json.RawMessage `json:"env"`
	GPUs     json.RawMessage `json:"gpus"`
	GPUIDs   json.RawMessage `json:"gpu_ids"`
	MemoryMB json.RawMessage `json:"memory_mb"`

	containerFields
}

// registration is the JSON form of a Spec. Unknown fields are ignored.
type registration struct {
	Label        string          `json:"label"`
	Routing      string          `json:"routing"`
	Proxy        bool            `json:"proxy"`
	RunnerURL    string          `json:"runner_url"`
	HealthURL    string          `json:"health_url"`
	HealthStatus int             `json:"healthy_status_code"`
	App          string          `json:"app"`
	Version      string          `json:"version"`
	Metadata     string          `json:"metadata"`
	Mode         string          `json:"mode"`
	Capacity     int             `json:"capacity"`
	GPU          *GPU            `json:"gpu"`
	Price        json.RawMessage `json:"price_info"`
	// CA is read in the operator's lists alone.
	CA string `json:"ca"`

	managedFields

	RunnerID string `json:"runner_id"`
	Status   string `json:"status"`
}

// Errors of registrations, as the network's nodes word them.
var (
	errLabel        = errors.New("label is required and must be trimmed")
	errRouting      = errors.New(`routing must be "runner-id" or "label"`)
	errLabelSlash   = errors.New(`label cannot contain / when routing is "label"`)
	errNoHealth     = errors.New("health_url is required")
	errHealth       = errors.New("invalid health_url")
	errHealthStatus = errors.New("healthy_status_code must be a valid HTTP status code")
	errURL          = errors.New("invalid runner_url")
	errApp          = errors.New("app must be trimmed")
	errMetadata     = fmt.Errorf("metadata must be at most %d bytes", maxMetadata)
	errReplacement  = errors.New("metadata must not contain Unicode replacement character U+FFFD")
	errMode         = errors.New(`mode must be "persistent" or "single-shot"`)
	errCapacity     = errors.New("capacity must be >= 0")
	errStatus       = errors.New("status must be lowercase and trimmed")
	errText         = fmt.Errorf("label, app, version, runner_url, health_url and gpu must have at most %d bytes", maxText)
)

// Payment says whether the runners of a node must have a price.
type Payment bool

// The kinds of nodes.
const (
	Free Payment = false
	Paid Payment = true
)

// ParseStatic parses the operator's list of runners. The error says which runner is wrong.
func ParseStatic(data []byte, payment Payment) ([]Spec, error) {
	var doc struct {
		Runners []registration `json:"runners"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	specs := make([]Spec, 0, len(doc.Runners))
	labels := make(map[string]bool)
	for i := range doc.Runners {
		s, err := doc.Runners[i].static(payment)
		if err == nil && labels[s.Label] {
			err = fmt.Errorf("duplicate label %q", s.Label)
		}
		if err != nil {
			return nil, fmt.Errorf("runners[%d]: %w", i, err)
		}
		labels[s.Label] = true
		specs = append(specs, s)
	}
	return specs, nil
}

// Heartbeat is what a dynamic runner sends.
type Heartbeat struct {
	// ID is the runner's own choice at its first heartbeat, may be empty.
	ID string
	// Ready: it takes work.
	Ready bool
	Spec  Spec
}

// ParseHeartbeat parses a heartbeat. Trailing data is ignored, as by the network's nodes.
func ParseHeartbeat(data []byte, payment Payment) (Heartbeat, error) {
	var r registration
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&r); err != nil {
		return Heartbeat{}, err
	}
	s, err := r.common(payment)
	if err != nil {
		return Heartbeat{}, err
	}
	switch {
	case r.Status != strings.ToLower(strings.TrimSpace(r.Status)):
		return Heartbeat{}, errStatus
	case r.RunnerID != "" && !validID(r.RunnerID):
		return Heartbeat{}, errID
	}
	return Heartbeat{ID: r.RunnerID, Ready: r.Status == "" || r.Status == "ready", Spec: s}, nil
}

var errID = errors.New("runner_id may only contain alphanumerics, underscores, or hyphens")

// validID reports whether a runner may have chosen an id: it becomes part of paths and channel names.
func validID(id string) bool {
	return len(id) <= 128 && strings.Trim(id, nameCharacters) == ""
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

func (r *registration) static(payment Payment) (Spec, error) {
	byLabel := r.Routing == "label"
	switch {
	case r.Label == "" || r.Label != strings.TrimSpace(r.Label):
		return Spec{}, errLabel
	case r.Routing != "" && r.Routing != "runner-id" && !byLabel:
		return Spec{}, errRouting
	case byLabel && strings.Contains(r.Label, "/"):
		return Spec{}, errLabelSlash
	case r.HealthURL == "":
		return Spec{}, errNoHealth
	}
	base, baseErr := absolute(r.RunnerURL)
	var health *url.URL
	if strings.HasPrefix(r.HealthURL, "/") {
		if baseErr != nil {
			return Spec{}, errURL
		}
		health = base.JoinPath(r.HealthURL)
	} else if u, err := absolute(r.HealthURL); err == nil {
		health = u
	} else {
		return Spec{}, errHealth
	}
	if r.HealthStatus != 0 && (r.HealthStatus < 100 || r.HealthStatus > 599) {
		return Spec{}, errHealthStatus
	}
	s, err := r.common(payment)
	if err == nil {
		s.Program, err = r.program()
	}
	s.CA = r.CA
	s.Label, s.ByLabel, s.Health, s.HealthStatus = r.Label, byLabel, health, r.HealthStatus
	if s.HealthStatus == 0 {
		s.HealthStatus = 200
	}
	if err == nil {
		err = s.enter(r.HealthURL)
	}
	return s, err
}

// common is what static and dynamic runners have in common.
func (r *registration) common(payment Payment) (Spec, error) {
	u, err := absolute(r.RunnerURL)
	if r.Mode == "single_shot" {
		r.Mode = SingleShot
	}
	switch {
	case err != nil:
		return Spec{}, errURL
	case r.App == "" || r.App != strings.TrimSpace(r.App):
		return Spec{}, errApp
	case r.tooLong():
		return Spec{}, errText
	case len(r.Metadata) > maxMetadata:
		return Spec{}, errMetadata
	case strings.ContainsRune(r.Metadata, utf8.RuneError):
		return Spec{}, errReplacement
	case r.Mode != "" && r.Mode != Persistent && r.Mode != SingleShot:
		return Spec{}, errMode
	case r.Capacity < 0 || r.Capacity > maxCapacity:
		return Spec{}, errCapacity
	}
	s := Spec{
		Proxy: r.Proxy, URL: u, App: r.App, Version: r.Version, Metadata: r.Metadata, Mode: r.Mode,
		Capacity: max(1, r.Capacity), GPU: r.GPU,
	}
	if s.Mode == "" {
		s.Mode = Persistent
	}
	if payment == Paid {
		s.Price, err = parsePrice(r.Price)
	}
	return s, err
}

// tooLong reports whether a text is longer than what is kept of a runner.
func (r *registration) tooLong() bool {
	texts := []string{r.Label, r.App, r.Version, r.RunnerURL, r.HealthURL, r.CA}
	if r.GPU != nil {
		texts = append(texts, r.GPU.ID, r.GPU.Name)
	}
	return slices.ContainsFunc(texts, func(s string) bool { return len(s) > maxText })
}

// absolute parses an address of HTTP.
func absolute(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		IsContainer(u.Hostname()) {
		return nil, errURL
	}
	return u, nil
}
