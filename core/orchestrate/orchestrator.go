package orchestrate

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Orchestrator applies the rules to every request to this node. It is safe for concurrent
// use.
type Orchestrator struct {
	opt     Options
	tokens  *Tokens
	results *Results
	offerState
	artifacts        *Artifacts
	unbilledWork     unbilledWork
	capacityRefusals capacityRefusals
	uploads          uploads
	failures         fault.Lines
	// soundLengths has the lengths of jobs' sounds measured, a few at once, in turns.
	soundLengths *pipeline.Measuring
	sessionTable
}

// offerState is what the node offers, and where.
type offerState struct {
	// fullOfferCache is the cache of fullOffer.
	fullOfferCache atomic.Pointer[cachedOffer]
	// lastOffer is the latest offer that was not empty.
	lastOffer atomic.Pointer[capability.Capabilities]
	// serviceURI is the advertised address.
	serviceURI atomic.Pointer[string]
}

// sessionTable has the sessions and jobs.
type sessionTable struct {
	// mu guards what follows, and the sessions themselves.
	mu              sync.Mutex
	sessions        map[core.SessionID]*session
	sessionsByParty map[string]int
	// futileDisplacements is when sessions ended in favor of parties that got none afterwards.
	futileDisplacements map[string]time.Time
	idleSessions        *list.List // of *session without open segments, the longest idle first
	maxSessions         int        // 0: the Admitter decides alone
	phase               phase
	stopping            bool              // Resume is impossible
	jobs                map[*Job]struct{} // admitted and not closed
	live                map[core.SessionID]*LiveSession
	changed             chan struct{} // closed and replaced when an await may be over
}

// New builds an orchestrator; it starts no goroutine. The error names the missing option,
// or is that of the random source.
func New(opt Options) (*Orchestrator, error) {
	if err := opt.complete(); err != nil {
		return nil, fmt.Errorf("build orchestrator: %w", err)
	}
	tokens, err := NewTokens(opt.TokenSecret, opt.Rand, opt.Now)
	if err != nil {
		return nil, fmt.Errorf("draw the secret of auth tokens: %w", err)
	}
	o := &Orchestrator{
		opt:          opt,
		tokens:       tokens,
		results:      NewResults(opt.ResultBytes, opt.Now),
		artifacts:    NewArtifacts(opt.ArtifactBytes, opt.Now),
		soundLengths: pipeline.NewMeasuring(opt.Media),
		sessionTable: sessionTable{
			jobs:                make(map[*Job]struct{}),
			live:                make(map[core.SessionID]*LiveSession),
			sessions:            make(map[core.SessionID]*session),
			sessionsByParty:     make(map[string]int),
			futileDisplacements: make(map[string]time.Time),
			idleSessions:        list.New(),
			maxSessions:         max(0, opt.Limit),
			changed:             make(chan struct{}),
		},
	}
	o.serviceURI.Store(&opt.ServiceURI)
	return o, nil
}

// EndSession ends a session at its gateway's request: at once, or when its open segments
// are done. Renditions stay for download for a grace period. The token may have expired,
// and an unknown session is not an error. The error is EndTokenInvalid.
func (o *Orchestrator) EndSession(tok *Token) error {
	if !o.tokens.Genuine(tok) {
		return fault.New(fault.EndTokenInvalid, "end session", "")
	}
	o.mu.Lock()
	s := o.sessions[tok.Session]
	gone := s != nil && s.openSegments == 0
	if s != nil {
		s.ended = true
	}
	if gone {
		o.removeLocked(s)
		o.wakeLocked()
	}
	o.mu.Unlock()
	if gone {
		o.endTranscoding(tok.Session)
	}
	return nil
}

// Ping proves that this node answers: its signature over value, or nothing
// off-chain.
func (o *Orchestrator) Ping(value []byte) ([]byte, error) {
	if o.opt.Signatures == nil {
		return nil, nil
	}
	return o.opt.Signatures.SignPing(value)
}

// SetMaxSessions changes the limit while the node runs; 0 leaves it to the
// Admitter. Sessions above a lowered limit keep running.
func (o *Orchestrator) SetMaxSessions(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.maxSessions = max(0, n); o.maxSessions == 0 || o.maxSessions > len(o.sessions) {
		o.capacityRefusals.forget(ByOption)
	}
	o.opt.Recorder.Sessions(len(o.sessions), o.limitLocked())
}

// Usage returns the number of sessions, their limit (0 for none) and the Admitter's refusal.
func (o *Orchestrator) Usage() Usage {
	o.mu.Lock()
	defer o.mu.Unlock()
	return Usage{Sessions: len(o.sessions), Limit: o.limitLocked(), Refusal: o.admitterRefusal()}
}

// Result finds a rendition that is kept for download. The bytes are shared and must not be
// changed.
func (o *Orchestrator) Result(p Path) (Result, error) {
	r, ok := o.results.Get(p)
	if !ok {
		return Result{}, fault.New(fault.ResultNotFound, "find rendition", "")
	}
	return r, nil
}

// Name returns the component's name.
func (o *Orchestrator) Name() string { return "sessions" }

// Run ends idle sessions until ctx ends, then all of them.
func (o *Orchestrator) Run(ctx context.Context, ready func()) error {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	ready()
	for {
		select {
		case <-ctx.Done():
			o.endAll()
			return nil
		case <-tick.C:
			o.Sweep(o.opt.Now())
		}
	}
}
