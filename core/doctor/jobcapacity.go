package doctor

import (
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// work reports the node's capacity.
func (l *jobFindings) work(f *NodeState) {
	w := f.Work
	if f.Draining {
		l.add(Blocker, fault.Draining, "The node is draining: it takes nothing new.", "")
	}
	noDevice := w.Transcodes && w.Devices == 0
	noModel := w.AI && w.Models == 0
	devices := fmt.Sprintf("%d of %d devices and transcoders are ready", w.Devices, w.DevicesTotal)
	models := fmt.Sprintf("%d of %d models are available", w.Models, w.ModelsTotal)
	weight := Likely
	if (noDevice || !w.Transcodes) && (noModel || !w.AI) {
		weight = Blocker
	}
	if noDevice {
		l.add(weight, fault.NoTranscoders, "Nothing is ready to transcode.", "", devices)
	}
	if noModel {
		l.add(weight, fault.NoModels, "No model is ready for AI jobs.",
			"tutti_cli and the log show what each model waits for.", models)
	}
	if !w.Transcodes && !w.AI {
		l.add(Blocker, fault.NoTranscoders, "The node has neither a transcoder nor a model.", "")
	}
	if w.Limit > 0 && w.Sessions >= w.Limit {
		l.add(Likely, fault.OrchestratorCapped, "All sessions are in use, so new ones are refused.", "",
			fmt.Sprintf("%d of %d sessions in use", w.Sessions, w.Limit))
	}
}

// conditions adds the critical conditions, and as hints the warnings, that no finding
// covers yet.
func (l *jobFindings) conditions(f *NodeState) {
	for _, c := range f.Conditions {
		severity := fault.SeverityOf(c.Code)
		if severity == fault.Info || c.HiddenBy != "" || l.has(c.Code) {
			continue
		}
		weight := Hint
		if severity == fault.Critical {
			weight = Likely
		}
		row, _ := fault.Lookup(c.Code)
		l.add(weight, c.Code, row.Cause, row.Remedy, conditionText(&c))
	}
}

func conditionText(c *health.Condition) string {
	about := ""
	if c.About != "" {
		about = " (" + c.About + ")"
	}
	return fmt.Sprintf("%s%s since %s: %s", c.Code, about, stamp(c.Since), c.Detail)
}
