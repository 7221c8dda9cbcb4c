package guards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Bounds of a file of guards.
const (
	maxFile   = 1 << 20
	maxGuards = 16
	maxName   = 32
	// maxEvents bounds the events of a stream that are shown together.
	maxEvents = 1024
)

// Defaults and bounds of a guard.
const (
	defaultTimeout     = 5 * time.Second
	maxTimeout         = time.Minute
	defaultEvents      = 32
	defaultConcurrency = 16
	defaultProcesses   = 2
	maxConcurrency     = 256
)

// Spec is one guard of the file.
type Spec struct {
	Name string `json:"name"`
	// URL is a service, Program a program and its arguments; a guard has one of the two.
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Program []string          `json:"program"`
	// Stages are when it decides; Models and Keys about which requests. An entry may end in "*".
	Stages []Stage  `json:"stages"`
	Models []string `json:"models"`
	Keys   []string `json:"keys"`
	// Timeout is a duration such as "2s".
	Timeout string `json:"timeout"`
	// OnFailure is "refuse" or "pass": what happens where the guard gives no verdict.
	OnFailure string `json:"on_failure"`
	// Events is how many events of a stream it gets at once, Concurrency how many questions it gets at once.
	Events      int `json:"events"`
	Concurrency int `json:"concurrency"`

	timeout time.Duration
}

// ReadFile reads a file of guards. Errors are the fault GuardFileInvalid.
func ReadFile(path string) ([]Spec, error) {
	op := "read guards from " + path
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(fault.GuardFileInvalid, op, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fault.Wrap(fault.GuardFileInvalid, op, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fault.Wrap(fault.GuardFileInvalid, op, err)
	}
	specs, err := ParseFile(text)
	if err != nil {
		return nil, fault.New(fault.GuardFileInvalid, op, err.Error())
	}
	secret := slices.ContainsFunc(specs, func(s Spec) bool { return len(s.Headers) > 0 })
	if mode := info.Mode().Perm(); secret && runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, fault.New(fault.GuardFileInvalid, op,
			fmt.Sprintf("it has headers with secrets and other users may read it (mode %04o): chmod 600 %s", mode, path))
	}
	return specs, nil
}

// ParseFile reads {"guards":[…]}. Its errors name the guard and the field, and repeat no value of a header.
func ParseFile(text []byte) ([]Spec, error) {
	if len(text) > maxFile {
		return nil, errors.New("the file has more than 1 MiB")
	}
	var in struct {
		Guards []Spec `json:"guards"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	switch n := len(in.Guards); {
	case n == 0:
		return nil, errors.New("guards: the list is empty")
	case n > maxGuards:
		return nil, fmt.Errorf("guards: there are %d, over %d", n, maxGuards)
	}
	seen := map[string]bool{}
	for i := range in.Guards {
		s := &in.Guards[i]
		if err := s.complete(); err != nil {
			return nil, fmt.Errorf("guard %d (%.40q): %w", i+1, s.Name, err)
		}
		if seen[s.Name] {
			return nil, fmt.Errorf("guard %d (%q): name: another guard has it", i+1, s.Name)
		}
		seen[s.Name] = true
	}
	return in.Guards, nil
}

// complete checks a guard and sets defaults.
func (s *Spec) complete() error {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if s.Name == "" || len(s.Name) > maxName || strings.ContainsFunc(s.Name, odd) {
		return errors.New("name: write 1 to 32 letters, digits, - and _")
	}
	if err := s.checkAddress(); err != nil {
		return err
	}
	if len(s.Stages) == 0 {
		s.Stages = []Stage{StageRequest, StageAnswer}
	}
	for _, stage := range s.Stages {
		if stage != StageRequest && stage != StageAnswer {
			return errors.New(`stages: write "request", "answer" or both`)
		}
	}
	s.timeout = defaultTimeout
	if s.Timeout != "" {
		d, err := time.ParseDuration(s.Timeout)
		if err != nil || d < time.Millisecond || d > maxTimeout {
			return errors.New("timeout: write a duration of 1ms to 1m, such as 2s")
		}
		s.timeout = d
	}
	switch s.OnFailure {
	case "":
		s.OnFailure = failRefuse
	case failRefuse, failPass:
	default:
		return errors.New(`on_failure: write "refuse" or "pass"`)
	}
	return s.completeSizes()
}

// What happens where a guard gives no verdict.
const (
	failRefuse = "refuse"
	failPass   = "pass"
)

func (s *Spec) completeSizes() error {
	if s.Events == 0 {
		s.Events = defaultEvents
	}
	if s.Events < 1 || s.Events > maxEvents {
		return fmt.Errorf("events: write 1 to %d", maxEvents)
	}
	if s.Concurrency == 0 {
		s.Concurrency = defaultConcurrency
		if len(s.Program) > 0 {
			s.Concurrency = defaultProcesses
		}
	}
	if s.Concurrency < 1 || s.Concurrency > maxConcurrency {
		return fmt.Errorf("concurrency: write 1 to %d", maxConcurrency)
	}
	return nil
}

func (s *Spec) checkAddress() error {
	switch {
	case (s.URL == "") == (len(s.Program) == 0):
		return errors.New("write either url or program")
	case s.URL == "":
		if !filepath.IsAbs(s.Program[0]) {
			return errors.New("program: write the whole path of the program")
		}
		if len(s.Headers) > 0 {
			return errors.New("headers: a program gets none")
		}
		return nil
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("url: write http://HOST/PATH or https://HOST/PATH")
	}
	if u.User != nil {
		return errors.New("url: write a password into headers, as Authorization")
	}
	return nil
}

// covers reports whether the guard checks this stage of a request.
func (s *Spec) covers(stage Stage, key string, models []string) bool {
	return slices.Contains(s.Stages, stage) && matches(s.Keys, key) &&
		slices.ContainsFunc(models, func(model string) bool { return matches(s.Models, model) })
}

// matches reports whether a list names a text; an empty list names all.
func matches(list []string, text string) bool {
	if len(list) == 0 {
		return true
	}
	return slices.ContainsFunc(list, func(entry string) bool {
		beginning, open := strings.CutSuffix(entry, "*")
		return entry == text || open && strings.HasPrefix(text, beginning)
	})
}
