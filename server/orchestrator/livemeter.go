package orchestrator

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/livevideo"
)

var _ livevideo.Payments = (*Paywall)(nil)

// Open takes the payment that came with the request for a session of live video, and charges for the session from
// then on: pixels of 720p at 30 pictures a second, by the clock.
func (p *Paywall) Open(r *http.Request, session string, model inference.Model) (livevideo.Meter, error) {
	payment, err := p.Read(r)
	if err != nil {
		return nil, err
	}
	work := orchestrate.LiveWork{Name: model.ID, Unit: orchestrate.LivePixels, App: model.String(), Model: &model}
	paid, err := p.Begin(r.Context(), payment, work, core.ManifestID(session))
	if err != nil {
		return nil, err
	}
	return orchestrate.NewLiveMeter(paid), nil
}
