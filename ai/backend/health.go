package backend

import (
	"bytes"
	"context"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
)

// health asks a runner of a kind for its health. reason is its explanation.
func (s *Server) health(ctx context.Context, kind Kind) (health Health, reason string, err error) {
	path := healthPath
	switch kind {
	case Ollama:
		path = ollamaVersionPath
	case OpenAI:
		path = modelsPath
	}
	a, err := s.ask(ctx, path, nil)
	if err != nil {
		return "", "", err
	}
	if kind == Contract {
		return s.contractHealth(a)
	}
	switch {
	case a.ok():
		return OK, "", nil
	case a.status == http.StatusServiceUnavailable && kind == LlamaCpp:
		return Loading, a.message(), nil
	case a.status >= 500:
		return Error, a.message(), nil
	}
	return "", "", s.refused(path, a)
}

// contractHealth reads the health of a runner of the network's contract. An answer without
// a status counts as OK; a web page is no runner.
func (s *Server) contractHealth(a *probeAnswer) (Health, string, error) {
	var status struct {
		Status string `json:"status"`
	}
	switch {
	case a.decode(&status) && knownHealth(status.Status):
		return Health(status.Status), "", nil
	case a.ok() && bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("<")):
		return "", "", s.fault(fault.RunnerGarbled, opProbe, "answers "+healthPath+" with a web page", nil)
	case a.ok():
		return OK, "", nil
	case a.status == http.StatusServiceUnavailable:
		return Loading, a.message(), nil
	case a.status >= 500:
		return Error, a.message(), nil
	}
	return "", "", s.refused(healthPath, a)
}
