package orchestrator

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// Status is the public /status. docs/status.md defines its fields. They are a contract: fields
// may be added, but never change their meaning.
type Status struct {
	Version       string           `json:"version"`
	Roles         []string         `json:"roles"`
	ServiceURI    string           `json:"service_uri"`
	UptimeSeconds int64            `json:"uptime_seconds"`
	State         string           `json:"state"`
	Pipelines     []PipelineStatus `json:"pipelines"`
	Models        []ModelStatus    `json:"models"`
	Capabilities  []string         `json:"capabilities"`
	// AI is the reason why configured models are not served.
	AI string `json:"ai,omitempty"`
	// Chain is the orchestrator's status on the chain; absent off-chain.
	Chain *adminapi.PublicStatus `json:"chain,omitempty"`
}

// PipelineStatus is one kind of work.
type PipelineStatus struct {
	Name string `json:"name"`
	// Capacity is 0 if there is no fixed number.
	Capacity int    `json:"capacity"`
	Use      string `json:"use"`
}

// The states of a node.
const (
	stateServing  = "serving"
	stateFull     = "full"
	stateDraining = "draining"
)

const (
	// statusFresh is how long a rendered page is served.
	statusFresh = time.Second
	// uptimeStep rounds the uptime, so that a page and its ETag stay the same for a minute.
	uptimeStep = 60
	// transcoding is the pipeline of segments.
	transcoding = "transcoding"
)

// statusPage answers /status from a page that is rendered at most once a second.
type statusPage struct {
	s     *Server
	start time.Time

	// mu guards what follows.
	mu   sync.Mutex
	at   time.Time
	body []byte
	etag string
}

func newStatusPage(s *Server) *statusPage { return &statusPage{s: s, start: s.opt.Now()} }

func (p *statusPage) serve(w http.ResponseWriter, r *http.Request) {
	body, etag := p.page()
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", etag)
	if matches(r.Header.Values("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client may have closed the connection
}

// matches reports whether the client has this page already.
func matches(headers []string, etag string) bool {
	for _, h := range headers {
		for one := range strings.SplitSeq(h, ",") {
			one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
			if one == etag || one == "*" {
				return true
			}
		}
	}
	return false
}

func (p *statusPage) page() (body []byte, etag string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.s.opt.Now()
	if p.body != nil && now.Sub(p.at) < statusFresh {
		return p.body, p.etag
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	// A Status can always be encoded.
	_ = enc.Encode(p.status(now))
	sum := sha256.Sum256(b.Bytes())
	p.at, p.body, p.etag = now, b.Bytes(), `"`+hex.EncodeToString(sum[:8])+`"`
	return p.body, p.etag
}

func (p *statusPage) status(now time.Time) Status {
	o := p.s.orch
	use, offer := o.Usage(), o.Capabilities()
	st := Status{
		Version: p.s.opt.Version, Roles: slices.Clone(p.s.opt.Roles), ServiceURI: o.ServiceURI(),
		UptimeSeconds: int64(now.Sub(p.start)/time.Second) / uptimeStep * uptimeStep,
		State:         state(o.Draining(), use),
		Pipelines:     []PipelineStatus{}, Capabilities: []string{}, Models: modelStatuses(&offer, o.Models()),
	}
	if p.s.opt.AINotice != nil {
		st.AI = p.s.opt.AINotice()
	}
	if p.s.opt.ChainStatus != nil {
		if c, known := p.s.opt.ChainStatus(); known {
			st.Chain = &c
		}
	}
	if o.Transcodes() {
		st.Pipelines = append(st.Pipelines, transcodingStatus(use))
	}
	for _, id := range offer.Bits.IDs() {
		st.Capabilities = append(st.Capabilities, id.String())
	}
	for _, id := range slices.Sorted(maps.Keys(offer.Constraints.PerCapability)) {
		st.Pipelines = append(st.Pipelines, pipelineStatus(id, offer.Constraints.PerCapability[id]))
	}
	return st
}

// transcodingStatus returns the row of video. Without a ready transcoder it is full, whatever the
// number of sessions.
func transcodingStatus(use orchestrate.Usage) PipelineStatus {
	if use.Refusal != nil {
		return PipelineStatus{Name: transcoding, Use: useLevel(1, 1)}
	}
	return PipelineStatus{Name: transcoding, Capacity: use.Limit, Use: useLevel(use.Sessions, use.Limit)}
}

func state(draining bool, use orchestrate.Usage) string {
	switch {
	case draining:
		return stateDraining
	case use.Full():
		return stateFull
	}
	return stateServing
}

// pipelineStatus adds up an AI pipeline's offered models.
func pipelineStatus(id capability.ID, models capability.Models) PipelineStatus {
	capacity, inUse := 0, 0
	for _, m := range models {
		capacity += int(m.Capacity)
		inUse += int(m.InUse)
	}
	return PipelineStatus{Name: id.Pipeline(), Capacity: capacity, Use: useLevel(inUse, capacity)}
}

// useLevel returns the use in five levels: enough to choose a node, too coarse to track its
// business.
func useLevel(used, capacity int) string {
	switch {
	case used <= 0:
		return "idle"
	case capacity <= 0:
		return "some"
	case used >= capacity:
		return "full"
	case 2*used <= capacity:
		return "low"
	}
	return "high"
}
