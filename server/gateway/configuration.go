package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// configuration is what a client or the admission hook requests for a stream. The network's fields
// that this gateway does not use are ignored.
type configuration struct {
	// ManifestID names the stream instead of the URL.
	ManifestID string
	// Profiles is nil for the gateway's own ladder.
	Profiles []core.Profile
	// TimeoutMultiplier stretches the times of the network; 0 is 1.
	TimeoutMultiplier int
	// Reinit says that the source changed.
	Reinit bool
}

type configurationJSON struct {
	ManifestID         string          `json:"manifestID"`
	Presets            []string        `json:"presets"`
	Profiles           json.RawMessage `json:"profiles"`
	TimeoutMultiplier  int             `json:"timeoutMultiplier"`
	ForceSessionReinit bool            `json:"forceSessionReinit"`
}

// parseConfiguration reads the JSON of a Livepeer-Transcode-Configuration header
// or of the admission hook. Presets come before profiles. Errors are faults
// PushConfiguration and those of profiles.
func parseConfiguration(text []byte) (*configuration, error) {
	const op = "read transcode configuration"
	var in configurationJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, &fault.Fault{Code: fault.PushConfiguration, Op: op, Detail: err.Error(), Err: err}
	}
	if in.ManifestID != "" && !validManifest(in.ManifestID) {
		return nil, fault.New(fault.PushConfiguration, op,
			fmt.Sprintf("manifestID %.64q cannot be a stream's name", in.ManifestID))
	}
	if in.TimeoutMultiplier < 0 {
		return nil, fault.New(fault.PushConfiguration, op, "timeoutMultiplier is negative")
	}
	c := &configuration{ManifestID: in.ManifestID, TimeoutMultiplier: in.TimeoutMultiplier, Reinit: in.ForceSessionReinit}
	presets, err := core.ParsePresets(strings.Join(in.Presets, ","))
	if err != nil {
		return nil, err
	}
	c.Profiles = presets
	if len(in.Profiles) > 0 && string(in.Profiles) != "null" {
		own, err := core.ParseProfilesJSON(in.Profiles)
		if err != nil {
			return nil, err
		}
		for i, p := range own {
			if p.ColorDepth != 0 || p.Chroma != core.Chroma420 {
				return nil, fault.New(fault.PushConfiguration, op, fmt.Sprintf(
					"profile %d: the network makes renditions of 8 bits and 4:2:0 only; leave out colorDepth and chromaFormat", i+1))
			}
		}
		c.Profiles = append(c.Profiles, own...)
	}
	if len(c.Profiles) > maxRenditions {
		return nil, fault.New(fault.PushConfiguration, op,
			fmt.Sprintf("%d renditions are more than the network's %d", len(c.Profiles), maxRenditions))
	}
	return c, nil
}

// maxRenditions is the network's limit per stream.
const maxRenditions = 10
