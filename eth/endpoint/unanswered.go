package endpoint

import (
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// unanswered is the fault of a request that no endpoint answered: it names each
// one's reason. Where all lack the same thing that is the code, otherwise
// ChainUnavailable; errors.Is finds the codes of the single reasons too.
func (p *Pool) unanswered(op string, failures []*failure) error {
	if len(failures) == 0 {
		failures = p.resting()
	}
	code := fault.ChainUnavailable
	for _, special := range []kind{behind, unsupported, logsRefused} {
		if allOf(failures, special) {
			code = codes[special]
		}
	}
	reasons := make([]string, len(failures))
	causes := make([]error, len(failures))
	for i, f := range failures {
		reasons[i], causes[i] = f.Error(), f
	}
	out := fault.New(code, op, strings.Join(reasons, "; "))
	out.Err = quiet{errors.Join(causes...)}
	return out
}

func allOf(failures []*failure, k kind) bool {
	for _, f := range failures {
		if f.kind != k {
			return false
		}
	}
	return len(failures) > 0
}

// resting are the reasons why endpoints are left alone at this moment.
func (p *Pool) resting() []*failure {
	var out []*failure
	for _, r := range p.remotes {
		r.mu.Lock()
		if r.distrusted(p.opt.Now()) {
			out = append(out, fail(untrue, r.to.name, "%s", r.lie))
		} else if r.last != nil {
			out = append(out, r.last)
		} else {
			out = append(out, fail(timedOut, r.to.name, "left alone after failures"))
		}
		r.mu.Unlock()
	}
	return out
}

// quiet keeps causes for errors.Is without repeating their text, which the
// fault's detail has already.
type quiet struct{ error }

func (q quiet) Error() string { return "see the reasons" }
func (q quiet) Unwrap() error { return q.error }
