package livevideo

import (
	"encoding/hex"
	"encoding/json"
	"errors"
)

// ChannelPath is where an orchestrator serves channels.
const ChannelPath = "/ai/trickle/"

// idBytes is the length of a session's id. The id names the channels, so it is their credential.
const idBytes = 16

// A session's channels are named after it: its id is the input.
const (
	outSuffix     = "-out"
	controlSuffix = "-control"
	eventsSuffix  = "-events"
)

// ChannelURLs are a session's channels as one side knows them.
type ChannelURLs struct {
	Control   string `json:"control_url"`
	Events    string `json:"events_url"`
	ID        string `json:"manifest_id"`
	Publish   string `json:"publish_url"`
	Subscribe string `json:"subscribe_url"`
}

// gatewayChannels are the channels of a session at an orchestrator's address, as a gateway uses them.
func gatewayChannels(address, id string) ChannelURLs {
	in := address + ChannelPath + id
	return ChannelURLs{
		Control: in + controlSuffix, Events: in + eventsSuffix, ID: id, Publish: in, Subscribe: in + outSuffix,
	}
}

// RunnerRequest is what a runner gets: its input is what the gateway publishes. Params are the pipeline's and pass
// as they are.
type RunnerRequest struct {
	ChannelURLs
	Params  json.RawMessage `json:"params"`
	Model   string          `json:"model_id"`
	Request string          `json:"gateway_request_id"`
	Stream  string          `json:"stream_id"`
}

// Address names the channels of a session at an orchestrator's address.
func (r *RunnerRequest) Address(address, id string) {
	r.ChannelURLs = gatewayChannels(address, id)
	r.Publish, r.Subscribe = r.Subscribe, r.Publish
}

var errNoSession = errors.New("no session of live video")

// Readdress is a request of an orchestrator with its session's channels at another address. It names nothing else.
func Readdress(request []byte, address string) ([]byte, error) {
	var r RunnerRequest
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, err
	}
	if !validID(r.ID) {
		return nil, errNoSession
	}
	r.Address(address, r.ID)
	return json.Marshal(&r)
}

// newID makes the id of a session from random bytes.
func newID(random func([]byte) error) (string, error) {
	var b [idBytes]byte
	if err := random(b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}

// validID reports whether a text has the form of an id, which names nothing but channels below Path.
func validID(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) == idBytes
}
