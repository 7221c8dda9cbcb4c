package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// hookTimeout bounds a call of an operator's hook.
	hookTimeout = 5 * time.Second
	// maxHookReply bounds the answer of a hook, in bytes.
	maxHookReply = 1 << 20
	// listFresh is how long a hook's list of orchestrators is used.
	listFresh = time.Minute
	// maxOrchestrators bounds a hook's list.
	maxOrchestrators = 256
)

// orchestrators lists the orchestrators to ask.
type orchestrators interface {
	// list may return a list with an error, when the list is an old one.
	list(ctx context.Context) ([]string, error)
}

// Orchestrators lists the service URIs that this gateway may use. It may return a list with an
// error, when the list is an old one.
func (g *Gateway) Orchestrators(ctx context.Context) ([]string, error) {
	return g.orchestrators.list(ctx)
}

// PoolEntry is an orchestrator that streams may use, with its measured performance.
type PoolEntry struct {
	URI string
	// Score is 0 without measurements; Latency is the processing time per second of video.
	Score   float64
	Latency time.Duration
}

// Pool returns the orchestrators that streams may use, in the list's order.
func (g *Gateway) Pool(ctx context.Context) []PoolEntry {
	uris, _ := g.orchestrators.list(ctx) // an old list will do
	now := g.opt.Now()
	out := make([]PoolEntry, len(uris))
	for i, uri := range uris {
		identity := videorouting.Identity{Asked: uri}
		score, _ := g.measures.total(identity, now)
		out[i] = PoolEntry{URI: uri, Score: score,
			Latency: time.Duration(g.measures.latency(identity, now) * float64(time.Second))}
	}
	return out
}

// fixedList is the list of -orchAddr.
type fixedList []string

func (f fixedList) list(context.Context) ([]string, error) { return f, nil }

// hookList calls the operator's hook once a minute and keeps the last list while the hook fails.
type hookList struct {
	url    string
	header http.Header
	client *http.Client
	now    func() time.Time
	log    *slog.Logger
	// asking has an element during a call: there is one at a time.
	asking chan struct{}

	mu sync.Mutex
	// last is the list in use, asked when it was asked for. calls counts the calls that ended, err is that of the last
	// one. Guarded by mu.
	last  []string
	asked time.Time
	calls int
	err   error
}

func newHookList(url string, header http.Header, client *http.Client, now func() time.Time,
	log *slog.Logger) *hookList {
	return &hookList{url: url, header: header, client: client, now: now, log: log, asking: make(chan struct{}, 1)}
}

// HookList returns what reads the list of an operator's hook, for other roles.
func HookList(url string, now func() time.Time, log *slog.Logger) func(ctx context.Context) ([]string, error) {
	return newHookList(url, nil, hookClient(), now, log).list
}

// hookClient calls hooks.
func hookClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
	}}
}

// list calls the hook if the list is old. Where there is a list, only one caller waits for a slow hook; where there is
// none, all wait for the same call.
func (h *hookList) list(ctx context.Context) ([]string, error) {
	last, calls, fresh := h.known()
	if fresh {
		return last, nil
	}
	select {
	case h.asking <- struct{}{}:
	default:
		if last != nil {
			return last, nil
		}
		select {
		case h.asking <- struct{}{}:
		case <-ctx.Done():
			return nil, fault.Wrap(fault.OrchestratorList, "list orchestrators", ctx.Err())
		}
	}
	defer func() { <-h.asking }()
	if last, ended, err := h.endedSince(calls); ended {
		return last, err
	}
	now := h.now()
	// The answer is for all: a caller that leaves must not spoil it. A call takes hookTimeout at most.
	list, err := h.fetch(context.WithoutCancel(ctx))
	return h.keep(list, err, now)
}

// known returns the list, how many calls have ended, and whether the list is new enough.
func (h *hookList) known() (last []string, calls int, fresh bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last, h.calls, h.last != nil && h.now().Sub(h.asked) < listFresh
}

// endedSince returns the outcome of the last call, if one ended since there were so many.
func (h *hookList) endedSince(calls int) (last []string, ended bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last, h.calls != calls, h.err
}

// keep takes over the outcome of a call that began at a time.
func (h *hookList) keep(list []string, err error, began time.Time) ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	failed := h.err != nil
	if err != nil {
		err = fault.Wrap(fault.OrchestratorList, "list orchestrators", err)
	}
	h.calls, h.asked, h.err = h.calls+1, began, err
	switch {
	case err == nil:
		h.last = list
		if failed {
			h.log.Info("the list of orchestrators is refreshed again", "orchestrators", len(list))
		}
	case !failed:
		h.log.Warn("the list of orchestrators cannot be refreshed", "kept", len(h.last), fault.Attr(err))
	}
	return h.last, err
}

// errHookReply: the hook can be reached, and its answer cannot be used.
var errHookReply = errors.New("the hook's answer cannot be used")

func (h *hookList) fetch(ctx context.Context) ([]string, error) {
	raw, status, err := callHook(ctx, h.client, http.MethodGet, h.url, h.header, nil)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("%w: status %d", errHookReply, status)
	}
	return parseOrchestrators(raw, h.log)
}

// parseOrchestrators reads a JSON list of objects with an address. Invalid addresses are left out;
// a list without a valid one is an error.
func parseOrchestrators(raw []byte, log *slog.Logger) ([]string, error) {
	var in []struct {
		Address string `json:"address"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", errHookReply, err)
	}
	var out []string
	seen := map[string]bool{}
	for _, e := range in {
		uri, err := upstream.ParseAddress(e.Address)
		if err != nil {
			log.Debug("entry of the orchestrator list left out", "err", err)
			continue
		}
		if !seen[uri] && len(out) < maxOrchestrators {
			seen[uri] = true
			out = append(out, uri)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no valid address among %d entries", errHookReply, len(in))
	}
	return out, nil
}

// callHook calls an operator's hook and reads its bounded answer.
func callHook(ctx context.Context, client *http.Client, method, url string, header http.Header, body []byte) (
	answer []byte, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxHookReply+1))
	if err == nil && len(answer) > maxHookReply {
		err = fmt.Errorf("%w: more than %d bytes", errHookReply, maxHookReply)
	}
	return answer, resp.StatusCode, err
}
