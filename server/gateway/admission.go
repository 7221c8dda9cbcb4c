package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
)

// admit asks the operator's admission hook about a new stream. It returns the hook's configuration,
// nil without one. Errors are the faults StreamDenied and StreamHookFailed.
func (g *Gateway) admit(ctx context.Context, url string) (*configuration, error) {
	const op = "admit stream"
	if g.opt.AdmissionHook == "" {
		return nil, nil
	}
	ask, err := json.Marshal(map[string]string{"url": url})
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, op, err)
	}
	answer, status, err := callHook(ctx, g.hooks, http.MethodPost, g.opt.AdmissionHook, nil, ask)
	switch {
	case err != nil:
		return nil, fault.Wrap(fault.StreamHookFailed, op, err)
	case status != http.StatusOK:
		return nil, fault.New(fault.StreamDenied, op, fmt.Sprintf("the admission hook answered with status %d", status))
	case len(bytes.TrimSpace(answer)) == 0:
		return nil, nil
	}
	conf, err := parseConfiguration(answer)
	if err != nil {
		return nil, fault.Wrap(fault.StreamHookFailed, "read the admission hook's answer", err)
	}
	if conf.ManifestID == "" {
		return nil, fault.New(fault.StreamHookFailed, op, "the admission hook's answer has no manifestID")
	}
	return conf, nil
}
