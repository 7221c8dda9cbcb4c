package byoc

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/fault"
)

// jobHeader describes a job, on every hop.
const jobHeader = "Livepeer"

// maxTimeout bounds the time of one job, in seconds.
const maxTimeout = int64(byoc.MaxTimeout / time.Second)

// job is what a client asks for.
type job struct {
	request, parameters, capability string
	// seconds is the time that it may take.
	seconds int64
	options parameters
}

// parameters are those that the gateway itself reads.
type parameters struct {
	Orchestrators struct {
		Include []string `json:"include"`
		Exclude []string `json:"exclude"`
	} `json:"orchestrators"`
	byoc.Media
}

func invalid(detail string) error {
	return fault.New(fault.CapabilityJobInvalid, "read the job", detail)
}

// parseJob reads the header Livepeer of a client. The error is a fault.
func parseJob(header string) (*job, error) {
	if header == "" {
		return nil, invalid("the header Livepeer is missing")
	}
	in, err := byoc.ReadWire(header)
	if err != nil {
		return nil, invalid("the header Livepeer is not the base64 of a job in JSON, of 64 KiB at most")
	}
	j := &job{request: strings.TrimSpace(in.Request), parameters: strings.TrimSpace(in.Parameters),
		capability: in.Capability, seconds: in.Timeout}
	switch {
	case !byoc.ValidName(j.capability), strings.Contains(j.capability, ","): // it travels in a list too
		return nil, invalid("capability must be a name of 1 to 128 bytes, without commas and control characters")
	case j.seconds <= 0:
		return nil, invalid(byoc.ErrTimeout.Error())
	case j.seconds > maxTimeout:
		return nil, invalid("timeout_seconds may be at most 86400")
	case !isObject(j.request):
		return nil, invalid("request must be a JSON object, written as text")
	case j.parameters != "" && !isObject(j.parameters):
		return nil, invalid("parameters must be a JSON object, written as text")
	case j.parameters != "" && json.Unmarshal([]byte(j.parameters), &j.options) != nil:
		return nil, invalid("orchestrators or an enable_… field in parameters has the wrong form")
	}
	return j, nil
}

func isObject(text string) bool { return strings.HasPrefix(text, "{") && json.Valid([]byte(text)) }

// allows reports whether the job may run at an orchestrator.
func (j *job) allows(uri string) bool {
	o := &j.options.Orchestrators
	return (len(o.Include) == 0 || names(o.Include, uri)) && !names(o.Exclude, uri)
}

func names(list []string, uri string) bool {
	for _, one := range list {
		if strings.EqualFold(strings.TrimSuffix(one, "/"), strings.TrimSuffix(uri, "/")) {
			return true
		}
	}
	return false
}

// wire is the job as orchestrators get it, without signature.
func (j *job) wire(id string) byoc.Wire {
	return byoc.Wire{ID: id, Request: j.request, Parameters: j.parameters, Capability: j.capability,
		Timeout: j.seconds}
}
