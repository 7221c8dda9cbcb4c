package liverunner

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/liverunner"
)

// Times of the checks of static runners.
const (
	healthInterval = 5 * time.Second
	healthTimeout  = 3 * time.Second
	// checksAtOnce bounds the checks in progress.
	checksAtOnce = 32
	// maxHealthHeader bounds the headers of an answer.
	maxHealthHeader = 64 << 10
)

// checkAll checks all static runners.
func (s *Server) checkAll(ctx context.Context) {
	var all sync.WaitGroup
	slots := make(chan struct{}, checksAtOnce)
	for _, r := range s.registry.Runners() {
		if r.Dynamic {
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			s.check(ctx, r)
		})
	}
	all.Wait()
}

// check asks a static runner for its health, and records and reports the result.
func (s *Server) check(ctx context.Context, r liverunner.Runner) (healthy bool) {
	err := ask(ctx, s.checker, &r.Spec)
	if ctx.Err() != nil {
		return r.Serves // the node stops, or the operator left
	}
	healthy = err == nil
	if s.registry.SetHealth(r.ID, healthy) || err != nil {
		s.report(r, healthy, err)
	}
	return healthy
}

var errUnhealthy = errors.New("it is not healthy")

// Ask asks the health address of a static runner once, and returns why it is not healthy.
func Ask(ctx context.Context, spec *liverunner.Spec) error {
	transport := &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: maxHealthHeader}
	if spec.CA != "" {
		roots, err := readRoots(spec.CA)
		if err != nil {
			return err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	defer transport.CloseIdleConnections()
	return ask(ctx, healthClient(transport), spec)
}

func healthClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: transport, Timeout: healthTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func ask(ctx context.Context, client *http.Client, spec *liverunner.Spec) error {
	err := askOnce(ctx, client, spec)
	refused := errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, context.DeadlineExceeded)
	if err == nil || refused || ctx.Err() != nil || liverunner.IsContainer(spec.Health.Hostname()) ||
		!inference.ExpectsTLS(ctx, spec.Health.String()) {
		return err
	}
	return withoutTLS(inference.TLSExpected, err)
}

func withoutTLS(reason string, err error) error {
	return &fault.Fault{Code: fault.RunnerTLS, Op: "ask for its health", Detail: reason, Err: err}
}

func askOnce(ctx context.Context, client *http.Client, spec *liverunner.Spec) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, spec.Health.String(), nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the address, which the operator knows
		}
		if reason := inference.TLSReason(err); reason != "" {
			return withoutTLS(reason, err)
		}
		return fmt.Errorf("ask for its health: %w", err)
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 4<<10)
	if res.StatusCode != spec.HealthStatus {
		return fmt.Errorf("%w: status %d in place of %d", errUnhealthy, res.StatusCode, spec.HealthStatus)
	}
	return nil
}
