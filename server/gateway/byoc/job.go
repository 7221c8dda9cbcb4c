package byoc

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// jobHeader describes a job, on every hop.
const jobHeader = "Livepeer"

// maxTimeout bounds the time of one job, in seconds.
const maxTimeout = 24 * 60 * 60

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
	Ingress bool `json:"enable_video_ingress"`
	Egress  bool `json:"enable_video_egress"`
	Data    bool `json:"enable_data_output"`
}

func invalid(detail string) error {
	return fault.New(fault.CapabilityJobInvalid, "read the job", detail)
}

// parseJob reads the header Livepeer of a client. The error is a fault.
func parseJob(header string) (*job, error) {
	if header == "" {
		return nil, invalid("the header Livepeer is missing")
	}
	data, err := base64.StdEncoding.DecodeString(header)
	if err != nil {
		return nil, invalid("the header Livepeer is not base64")
	}
	var in upstream.CapabilityJob
	if json.Unmarshal(data, &in) != nil {
		return nil, invalid("the header Livepeer holds no job in JSON")
	}
	j := &job{request: strings.TrimSpace(in.Request), parameters: strings.TrimSpace(in.Parameters),
		capability: in.Capability, seconds: in.Timeout}
	switch {
	case j.capability == "", len(j.capability) > upstream.MaxCapability, strings.ContainsFunc(j.capability, unusual):
		return nil, invalid("capability must be a name of 1 to 128 characters, without spaces and commas")
	case j.seconds <= 0:
		return nil, invalid("no timeout_seconds set with request, timeout_seconds is required")
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

// unusual reports whether a character is refused in names: names travel in headers and comma lists.
func unusual(r rune) bool { return r <= ' ' || r == ',' || r > '~' }

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
func (j *job) wire(id string) upstream.CapabilityJob {
	return upstream.CapabilityJob{ID: id, Request: j.request, Parameters: j.parameters, Capability: j.capability,
		Timeout: j.seconds}
}
