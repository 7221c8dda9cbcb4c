package registry

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

const (
	// scoresReadTime bounds one reading of the service.
	scoresReadTime = 10 * time.Second
	// scoresKeptFor is how long scores count without a new reading.
	scoresKeptFor = 24 * time.Hour
)

// ScoresOptions are the settings of Scores. URL, Board, Log and Now must be set.
type ScoresOptions struct {
	// URL is the service, which may hold a token.
	URL core.Secret
	// Region is the one whose scores count, "" for the best of all.
	Region string
	// ReadEvery is how often the service is read, RetryAfter how soon after a failure; defaults 15 min and 1 min.
	ReadEvery, RetryAfter time.Duration
	// Timeout is for tests; default 10 s.
	Timeout time.Duration

	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time
}

// Scores are a service's scores of orchestrators. They are a lifecycle component, and safe for concurrent use.
type Scores struct {
	opt    ScoresOptions
	client *http.Client

	mu     sync.Mutex
	scores map[core.Address]float64 // replaced, never changed; guarded by mu
	read   time.Time                // guarded by mu
}

// NewScores makes Scores without any. They are read when it runs.
func NewScores(o ScoresOptions) *Scores {
	orElse(&o.ReadEvery, 15*time.Minute)
	orElse(&o.RetryAfter, time.Minute)
	orElse(&o.Timeout, scoresReadTime)
	return &Scores{opt: o, client: &http.Client{
		Timeout: o.Timeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: o.Timeout, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Name names the component.
func (s *Scores) Name() string { return "performance scores" }

// Run reads the service until ctx ends.
func (s *Scores) Run(ctx context.Context, ready func()) error {
	defer s.client.CloseIdleConnections()
	ready()
	for {
		wait := s.opt.ReadEvery
		err := s.refresh(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			wait = min(wait, s.opt.RetryAfter)
			err = fault.New(fault.PerfScoresUnavailable, "read performance scores", err.Error())
		}
		s.opt.Board.Report(health.Key{Code: fault.PerfScoresUnavailable}, err)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
	}
}

// refresh reads the service once. The error's text has neither the address nor what the service wrote.
func (s *Scores) refresh(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.opt.URL.Reveal(), nil)
	if err != nil {
		return errors.New("the address cannot be used")
	}
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return withoutServiceURL(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the service answered with status %d", resp.StatusCode)
	}
	scores, err := parseScores(resp.Body, s.opt.Region)
	switch {
	case errors.Is(err, errNoScores), errors.Is(err, errScoresTooLarge):
		return err
	case err != nil:
		return withoutServiceURL(err)
	}
	s.mu.Lock()
	s.scores, s.read = scores, s.opt.Now()
	s.mu.Unlock()
	// Other scores may be usable again.
	s.opt.Board.Clear(health.Key{Code: fault.PerfScoresOverruled})
	s.opt.Log.Debug("performance scores read", "orchestrators", len(scores))
	return nil
}

// withoutServiceURL is what failed, without the address.
func withoutServiceURL(err error) error {
	var netErr net.Error
	var certificate *tls.CertificateVerificationError
	var dial *net.OpError
	var request *url.Error
	switch {
	case errors.As(err, &netErr) && netErr.Timeout():
		return errors.New("the service did not answer in time")
	case errors.As(err, &certificate):
		return errors.New("the service's certificate is not valid")
	case errors.As(err, &dial) && dial.Op == "dial":
		return errors.New("the service cannot be reached")
	case errors.As(err, &request):
		return errors.New("the request to the service failed")
	}
	return errors.New("the answer is no JSON of scores")
}

// Score is the service's score of an orchestrator, if it has one that is recent.
func (s *Scores) Score(orchestrator core.Address) (score float64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opt.Now().Sub(s.read) > scoresKeptFor {
		return 0, false
	}
	score, ok = s.scores[orchestrator]
	return score, ok
}

// Overruled sets the condition that the scores would leave no orchestrator, and are not used. The next reading clears
// it.
func (s *Scores) Overruled() {
	s.opt.Board.Set(health.Key{Code: fault.PerfScoresOverruled}, "no orchestrator that answers is above -minPerfScore")
}
