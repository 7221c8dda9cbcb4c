package liverunner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core/liverunner"
)

// registered is what the operator gets of a runner.
type registered struct {
	ID           string `json:"runner_id"`
	Label        string `json:"label"`
	App          string `json:"app"`
	Proxy        bool   `json:"proxy,omitempty"`
	URL          string `json:"runner_url"`
	Mode         string `json:"mode"`
	HealthURL    string `json:"health_url"`
	HealthStatus int    `json:"healthy_status_code"`
	Healthy      bool   `json:"healthy"`
}

// RegisterStatic takes the operator's list and checks each of its runners once. The list counts as a
// whole or, with an error, not at all.
func (s *Server) RegisterStatic(ctx context.Context, data []byte) error {
	_, err := s.registerStatic(ctx, data, true)
	return err
}

// errManaged: what the node executes is in a file of its operator, and does not come over a socket.
var errManaged = errors.New("a runner with a command can only be in the file of -liveRunnerConfig")

func (s *Server) registerStatic(ctx context.Context, data []byte, managed bool) ([]registered, error) {
	specs, err := liverunner.ParseStatic(data, s.payment())
	if err != nil {
		return nil, err
	}
	for i := range specs {
		if !managed && (specs[i].Program != nil || s.isManaged(specs[i].Label)) {
			return nil, fmt.Errorf("runners[%d]: %w", i, errManaged)
		}
		if err := checkCA(&specs[i], managed); err != nil {
			return nil, fmt.Errorf("runners[%d]: %w", i, err)
		}
	}
	list, err := s.registry.Register(specs)
	if err != nil {
		return nil, err
	}
	out := make([]registered, len(list))
	var all sync.WaitGroup
	for i, r := range list {
		all.Go(func() {
			out[i] = registered{
				ID: r.ID, Label: r.Spec.Label, App: r.Spec.App, Proxy: r.Spec.Proxy, URL: r.Spec.URL.String(), Mode: r.Spec.Mode,
				HealthURL: r.Spec.Health.String(), HealthStatus: r.Spec.HealthStatus, Healthy: s.check(ctx, r),
			}
		})
	}
	all.Wait()
	return out, nil
}

// Register serves the registration of static runners on the admin port.
func (s *Server) Register(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	data, err := readBody(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	list, err := s.registerStatic(r.Context(), data, false)
	if err != nil {
		refuse(w, err)
		return
	}
	writeJSON(w, struct {
		Runners []registered `json:"runners"`
	}{list})
}

func (s *Server) isManaged(label string) bool {
	r, ok := s.registry.Named(label)
	return ok && r.Spec.Program != nil
}
