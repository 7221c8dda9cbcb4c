package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
)

const (
	// askWithin bounds a call of the operator's service, maxAnswer its answer.
	askWithin = 5 * time.Second
	maxAnswer = maxParams
	// maxAddress bounds addresses at media servers, as text.
	maxAddress = 4096
	// freeAsks and maxAsks bound concurrent calls (admission.Shares); a refused stream counts for its
	// address like denialCost bytes (admission.Cause).
	freeAsks, maxAsks = 48, 64
	denialCost        = 1 << 10
)

// Kinds of publishers, as the operator's service gets them.
const (
	kindRTMP = "rtmp" // through a media server
	kindWHIP = "whip" // through a media server
	kindOwn  = "livepeer-whip"
)

const opAdmit = "admit live stream"

// Webhook asks the operator's service whether streams may be published. Safe for concurrent use.
type Webhook struct {
	url, key string
	client   *http.Client

	mu     sync.Mutex
	failed bool
}

// NewWebhook makes a webhook; key is sent to it, "" for none.
func NewWebhook(address, key string) *Webhook {
	return &Webhook{url: address, key: key, client: serviceClient()}
}

// serviceClient calls the operator's services. It follows no redirect, which would carry keys elsewhere.
func serviceClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4,
			IdleConnTimeout: time.Minute, TLSHandshakeTimeout: askWithin, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// question is what the service gets.
type question struct {
	Stream      string `json:"stream"`
	StreamKey   string `json:"stream_key"`
	Type        string `json:"type"`
	QueryParams string `json:"query_params,omitempty"`
	GatewayHost string `json:"gateway_host"`
	WHEPURL     string `json:"whep_url"`
	StatusURL   string `json:"status_url"`
	UpdateURL   string `json:"update_url"`
}

// verdict is its answer: what it names counts before the publisher's query.
type verdict struct {
	Outputs    string          `json:"rtmp_output_url"`
	Pipeline   string          `json:"pipeline"`
	PipelineID string          `json:"pipeline_id"`
	StreamID   string          `json:"stream_id"`
	Params     json.RawMessage `json:"pipeline_parameters"`
}

// ask asks the service. Errors are the faults StreamDenied and StreamHookFailed.
func (h *Webhook) ask(ctx context.Context, q *question) (verdict, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return verdict{}, fault.Wrap(fault.Unexpected, opAdmit, err)
	}
	header := http.Header{}
	if h.key != "" {
		header.Set("Authorization", h.key)
		header.Set("X-Api-Key", h.key)
	}
	status, data, err := call(ctx, h.client, h.url, header, body)
	switch {
	case err != nil:
		return verdict{}, fault.Wrap(fault.StreamHookFailed, opAdmit, err)
	case status >= 400 && status < 500:
		return verdict{}, fault.New(fault.StreamDenied, opAdmit, "the service answered with status "+strconv.Itoa(status))
	case status < 200 || status > 299:
		return verdict{}, fault.New(fault.StreamHookFailed, opAdmit,
			"the service answered with status "+strconv.Itoa(status))
	}
	v, err := readVerdict(data)
	if err != nil {
		return verdict{}, fault.Wrap(fault.StreamHookFailed, opAdmit, err)
	}
	return v, nil
}

// call sends JSON to a service of the operator's and reads its answer, both within bounds.
func call(ctx context.Context, c *http.Client, address string, header http.Header, body []byte) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, withoutAddress(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return 0, nil, withoutAddress(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(data) > maxAnswer {
		err = fmt.Errorf("%w: more than %d bytes", errAnswer, maxAnswer)
	}
	return resp.StatusCode, data, err
}

var errAnswer = errors.New("the service's answer cannot be used")

// withoutAddress removes the service's address from errors, because it may contain a password.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// readVerdict reads an answer.
func readVerdict(data []byte) (verdict, error) {
	var v verdict
	if err := json.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("%w: it is no JSON of the known form", errAnswer)
	}
	if !named(v.Pipeline, maxName) || !named(v.PipelineID, maxName) || !named(v.StreamID, maxName) ||
		!named(v.Outputs, maxAddress) {
		return verdict{}, fmt.Errorf("%w: a name in it is too long or has a control character", errAnswer)
	}
	if !validOutputs(outputURLs(url.Values{"rtmpOutput": {v.Outputs}})) {
		return verdict{}, fmt.Errorf("%w: rtmp_output_url is no list of rtmp addresses", errAnswer)
	}
	if text := bytes.TrimSpace(v.Params); len(text) == 0 || bytes.Equal(text, []byte("null")) {
		v.Params = nil
	} else if text[0] != '{' {
		return verdict{}, fmt.Errorf("%w: pipeline_parameters is no object", errAnswer)
	}
	return v, nil
}

// named reports whether a text is fit to be a name.
func named(text string, most int) bool {
	return len(text) <= most && !strings.ContainsFunc(text, unicode.IsControl)
}

// apply puts the service's answer over what the publisher asked for.
func (v *verdict) apply(p *published) {
	set := func(to *string, value string) {
		if value != "" {
			*to = value
		}
	}
	set(&p.model, v.Pipeline)
	set(&p.pipelineID, v.PipelineID)
	set(&p.id, v.StreamID)
	p.named = v.StreamID != ""
	if v.Outputs != "" {
		p.outputs = outputURLs(url.Values{"rtmpOutput": {v.Outputs}})
	}
	if v.Params != nil {
		p.params = v.Params
		if p.model == "comfyui" {
			p.params = promptOf(v.Params)
		}
	}
}

// promptOf puts parameters of comfyui that are a workflow under its field.
func promptOf(params json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil || fields["prompt"] != nil {
		return params
	}
	out, err := json.Marshal(map[string]json.RawMessage{"prompt": params})
	if err != nil {
		return params
	}
	return out
}

// admit asks the operator's service about a stream, if there is one, and whether its name is free for its publisher.
// Errors are those of Webhook.ask and claimLocked, AddressBusy and PushesFull.
func (s *Server) admit(ctx context.Context, p *Publisher, st *stream, kind, query string) error {
	if err := s.ask(ctx, p, st, kind, query); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.claimLocked(st)
}

func (s *Server) ask(ctx context.Context, p *Publisher, st *stream, kind, query string) error {
	if s.o.Webhook == nil {
		return nil
	}
	v, err := s.consult(ctx, p, &question{Stream: st.name, Type: kind, QueryParams: query, WHEPURL: st.playURL,
		StatusURL: path + url.PathEscape(st.id) + "/status", UpdateURL: path + url.PathEscape(st.name) + "/update"})
	if err != nil {
		return err
	}
	v.apply(&st.published)
	return nil
}

// consult asks the operator's service, of which there is one. The question's paths become addresses.
func (s *Server) consult(ctx context.Context, p *Publisher, q *question) (verdict, error) {
	if !admission.Cause(ctx, 0) {
		return verdict{}, fault.New(fault.AddressBusy, opAdmit, "too many streams of this address were refused")
	}
	from := admission.NetworkOf(p.Addr)
	if !s.asks.Enter(from) {
		return verdict{}, fault.New(fault.PushesFull, opAdmit, "too many streams wait for the service")
	}
	defer s.asks.Leave(from)
	base, host := "https://"+s.o.Host, s.o.Host
	if host == "" {
		base, host = "http://"+p.Host, p.Host
	}
	q.StreamKey, q.GatewayHost = q.Stream, host
	q.StatusURL, q.UpdateURL = base+q.StatusURL, base+q.UpdateURL
	v, err := s.o.Webhook.ask(ctx, q)
	s.report(s.o.Webhook, err)
	if err != nil {
		_ = admission.Cause(ctx, denialCost) // checked at its next stream
	}
	return v, err
}

// report logs when the service begins to fail, and when it answers again.
func (s *Server) report(h *Webhook, err error) {
	if errors.Is(err, context.Canceled) {
		return // the client left
	}
	failed := errors.Is(err, fault.StreamHookFailed)
	h.mu.Lock()
	changed := failed != h.failed
	h.failed = failed
	h.mu.Unlock()
	switch {
	case changed && failed:
		s.o.Log.Warn("the service that admits live streams fails; streams are refused", fault.Attr(err))
	case changed:
		s.o.Log.Info("the service that admits live streams answers again")
	}
}

// refuseStream answers a publisher that is not admitted.
func refuseStream(w http.ResponseWriter, err error) {
	if errors.Is(err, fault.StreamDenied) {
		http.Error(w, textForbidden, http.StatusForbidden)
		return
	}
	refuse(w, err)
}
