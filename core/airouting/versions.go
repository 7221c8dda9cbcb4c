package airouting

import (
	"encoding/json"
	"fmt"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// MinVersions are the lowest runner versions that a gateway accepts, by model.
type MinVersions map[inference.Model]string

// ParseMinVersions reads the form of -aiMinRunnerVersion: a list of objects with
// pipeline, model_id and minVersion. Empty text is an empty list. Errors are
// faults MinRunnerVersionInvalid.
func ParseMinVersions(raw []byte) (MinVersions, error) {
	const op = "read -aiMinRunnerVersion"
	bad := func(format string, args ...any) error {
		return fault.New(fault.MinRunnerVersionInvalid, op, fmt.Sprintf(format, args...))
	}
	if len(raw) == 0 {
		return nil, nil
	}
	var entries []struct {
		Pipeline   string `json:"pipeline"`
		ModelID    string `json:"model_id"`
		MinVersion string `json:"minVersion"`
	}
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, bad("%v", err)
	}
	out := make(MinVersions, len(entries))
	for i, e := range entries {
		id, err := capability.FromPipeline(e.Pipeline)
		switch {
		case err != nil:
			return nil, bad("entry %d: %.64q is no pipeline", i+1, e.Pipeline)
		case e.ModelID == "":
			return nil, bad("entry %d: model_id is missing", i+1)
		case !capability.VersionOK("0", e.MinVersion):
			// The network treats an invalid minimum version as none.
			return nil, bad("entry %d: minVersion %.64q is not a version such as 0.14.0", i+1, e.MinVersion)
		}
		out[inference.Model{Capability: id, ID: e.ModelID}] = e.MinVersion
	}
	return out, nil
}
