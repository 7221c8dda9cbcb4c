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

// Orchestrator is the one set of rules that every request to this node meets.
// Its methods may be called at the same time.
type Orchestrator struct {
	opt     Options
	tokens  *Tokens
	results *Results
	// wholeOffer is what whole remembers.
	wholeOffer atomic.Pointer[wholeOffer]
	// lastOffer is the latest offer that was not empty.
	lastOffer atomic.Pointer[capability.Capabilities]
	// serviceURI is the advertised address.
	serviceURI atomic.Pointer[string]
	artifacts  *Artifacts
	waste      waste
	crowd      crowd
	uploads    uploads
	// measuring has the sounds of jobs measured, few at once and by turns.
	measuring *pipeline.Measuring

	// mu guards what follows, and the sessions themselves.
	mu       sync.Mutex
	sessions map[core.SessionID]*session
	held     map[string]int // sessions by party
	// vain is when sessions ended for parties that got none all the same.
	vain        map[string]time.Time
	idle        *list.List // of *session: those with nothing open, the longest idle first
	maxSessions int        // 0: the Admitter decides alone
	phase       phase
	stopping    bool              // no drain is undone any more
	jobs        map[*Job]struct{} // let in and not closed
	changed     chan struct{}     // closed and replaced when a wait may be over
}

// New builds an orchestrator; it starts nothing. The error names what is
// missing in the options, or that there is no randomness.
func New(opt Options) (*Orchestrator, error) {
	if err := opt.complete(); err != nil {
		return nil, fmt.Errorf("build orchestrator: %w", err)
	}
	tokens, err := NewTokens(opt.TokenSecret, opt.Rand, opt.Now)
	if err != nil {
		return nil, fmt.Errorf("draw the secret of auth tokens: %w", err)
	}
	o := &Orchestrator{
		opt:         opt,
		tokens:      tokens,
		results:     NewResults(opt.ResultBytes, opt.Now),
		artifacts:   NewArtifacts(opt.ArtifactBytes, opt.Now),
		jobs:        make(map[*Job]struct{}),
		sessions:    make(map[core.SessionID]*session),
		held:        make(map[string]int),
		vain:        make(map[string]time.Time),
		idle:        list.New(),
		maxSessions: max(0, opt.Limit),
		changed:     make(chan struct{}),
		measuring:   pipeline.NewMeasuring(opt.Media),
	}
	o.serviceURI.Store(&opt.ServiceURI)
	return o, nil
}

// EndSession frees a session at its gateway's wish: at once, or when the
// segments that it has here are done. Renditions stay for download for a grace
// time. Tokens may have expired, and a session that is not there is no error;
// the error is EndTokenInvalid.
func (o *Orchestrator) EndSession(tok *Token) error {
	if !o.tokens.Genuine(tok) {
		return fault.New(fault.EndTokenInvalid, "end session", "")
	}
	o.mu.Lock()
	s := o.sessions[tok.Session]
	gone := s != nil && s.open == 0
	if s != nil {
		s.ended = true
	}
	if gone {
		o.remove(s)
		o.wake()
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
		o.crowd.forget(ByOption)
	}
	o.opt.Recorder.Sessions(len(o.sessions), o.limit())
}

// Usage is the sessions in use and the limit, 0 for none, and why there may be no
// session, as the Admitter has it.
func (o *Orchestrator) Usage() Usage {
	o.mu.Lock()
	defer o.mu.Unlock()
	return Usage{Sessions: len(o.sessions), Limit: o.limit(), Refusal: o.refusal()}
}

// Result finds a rendition that is kept for download. The bytes are shared: they
// must not be changed.
func (o *Orchestrator) Result(p Path) (Result, error) {
	r, ok := o.results.Get(p)
	if !ok {
		return Result{}, fault.New(fault.ResultNotFound, "find rendition", "")
	}
	return r, nil
}

// Name is the component's name.
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
