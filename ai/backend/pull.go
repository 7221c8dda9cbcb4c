package backend

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	opPull = "have a model server fetch a model"
	// pullSilence is how long a server may report nothing: it verifies layers without
	// progress messages, at the speed of its disk.
	pullSilence = 10 * time.Minute
	// maxPullMessage bounds one message of a pull, maxLayers the layers that are added up.
	maxPullMessage = 64 << 10
	maxLayers      = 1000
	// maxDigest is the longest digest of a layer that counts.
	maxDigest = 256
)

// Puller is a Backend that can check for a model at its server and make it fetch one.
//
// Find returns the server's name for the model; RunnerModelMissing means that the server
// does not have it, other errors are those of Probe.
//
// Pull makes the server fetch the model and returns the server's name for it. progress must
// not block. The error is ModelPullFailed if the server could not fetch it, or cannot fetch
// models at all. The server stops when ctx ends, and keeps the layers that it has.
type Puller interface {
	Find(ctx context.Context) (name string, err error)
	Pull(ctx context.Context, progress func(PullProgress)) (name string, err error)
}

// PullProgress is the progress of a pull.
type PullProgress struct {
	Name string
	// Done and Total are bytes of the layers known so far; the total grows while layers
	// begin.
	Done, Total int64
}

var _ Puller = (*Server)(nil)

// Find returns the server's name for the model; see Puller.
func (s *Server) Find(ctx context.Context) (string, error) {
	info, err := s.Probe(ctx)
	if err != nil {
		return "", err
	}
	return cmp.Or(info.Served, s.options.Served, s.options.Model), nil
}

// Pull makes an Ollama server fetch the model; see Puller.
func (s *Server) Pull(ctx context.Context, progress func(PullProgress)) (string, error) {
	kind, err := s.detect(ctx)
	if err != nil {
		return "", err
	}
	if kind != Ollama {
		text := "is of a kind that fetches no models on request (" + string(kind) + ")"
		return "", s.fault(fault.ModelPullFailed, opPull, text, nil)
	}
	name := s.options.Served
	if name == "" {
		name = cmp.Or(ollamaTag(s.options.Model), s.options.Model)
	}
	if err := s.ollamaPull(ctx, name, progress); err != nil {
		return "", err
	}
	s.setCached(nil)
	return s.Find(ctx)
}

// ollamaPull pulls a model by Ollama's name for it, and reports the progress.
func (s *Server) ollamaPull(ctx context.Context, name string, progress func(PullProgress)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(pullSilence, func() { cancel(errStalled) })
	defer silence.Stop()
	body := fmt.Appendf(nil, `{"model":%s,"stream":true}`, quoted(name))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/api/pull", bytes.NewReader(body))
	if err != nil {
		return fault.Wrap(fault.RunnerUnreachable, opPull, err)
	}
	r.Header.Set("Content-Type", jsonType)
	s.setHeaders(r)
	resp, err := s.roundTripper.RoundTrip(r)
	if err != nil {
		return s.noAnswer(ctx, opPull, err)
	}
	if err := s.decode(opPull, resp); err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	p := ollamaPull{server: s, name: name, status: resp.StatusCode, layers: make(map[string]PullProgress)}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 4<<10), maxPullMessage)
	for lines.Scan() {
		silence.Reset(pullSilence)
		now, err := p.add(lines.Bytes())
		if err != nil {
			return err
		}
		progress(now)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return s.fault(fault.RunnerGarbled, opPull, "reports a pull in lines that are too long", err)
	case err != nil:
		return s.broken(ctx, err)
	case resp.StatusCode != http.StatusOK:
		return p.failed(fmt.Sprintf("status %d", resp.StatusCode))
	case !p.succeeded:
		return s.fault(fault.RunnerBroke, opPull, "ended the pull of "+quotedName(name)+" without a result", nil)
	}
	return nil
}

// ollamaPull adds up Ollama's messages of one pull.
type ollamaPull struct {
	server    *Server
	name      string
	status    int
	succeeded bool
	layers    map[string]PullProgress
}

// add reads one message.
func (p *ollamaPull) add(line []byte) (now PullProgress, err error) {
	var m struct {
		Status    string `json:"status"`
		Digest    string `json:"digest"`
		Total     int64  `json:"total"`
		Completed int64  `json:"completed"`
	}
	if text := inference.Message(line); p.status != http.StatusOK || hasError(line) {
		return now, p.failed(cmp.Or(text, fmt.Sprintf("status %d", p.status)))
	}
	if len(bytes.TrimSpace(line)) > 0 && json.Unmarshal(line, &m) != nil {
		return now, p.server.fault(fault.RunnerGarbled, opPull, "reports the pull in a form that cannot be read", nil)
	}
	p.succeeded = m.Status == "success"
	_, known := p.layers[m.Digest]
	if m.Digest != "" && len(m.Digest) <= maxDigest && m.Total > 0 && (known || len(p.layers) < maxLayers) {
		p.layers[m.Digest] = PullProgress{Done: min(max(m.Completed, 0), m.Total), Total: m.Total}
	}
	now.Name = p.name
	for _, l := range p.layers {
		// Sums that overflow stop growing.
		if now.Total+l.Total >= now.Total {
			now.Done, now.Total = now.Done+l.Done, now.Total+l.Total
		}
	}
	return now, nil
}

// failed is the fault of a pull that the server reports as failed.
func (p *ollamaPull) failed(text string) error {
	code := fault.ModelPullFailed
	if p.status == http.StatusUnauthorized || p.status == http.StatusForbidden {
		code = fault.RunnerAuth
	}
	return p.server.fault(code, opPull, "cannot fetch "+quotedName(p.name)+": "+strings.Map(printable, text), nil)
}

// printable keeps control characters of a server's text from terminals and logs.
func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

func hasError(line []byte) bool {
	var m struct {
		Error json.RawMessage `json:"error"`
	}
	return json.Unmarshal(line, &m) == nil && len(m.Error) > 0 && string(m.Error) != "null"
}

func quotedName(name string) string { return fmt.Sprintf("%.200q", name) }
