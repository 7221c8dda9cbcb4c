package byoc

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/live"
)

// read reads the body that begins the stream, and has the operator's service decide about it.
func (st *stream) read(r *http.Request, data []byte) error {
	var in startBody
	if len(data) > 0 && json.Unmarshal(data, &in) != nil {
		return invalid("the body is no JSON object with stream_name, stream_id and params")
	}
	wishes := live.Wishes{ID: in.ID, Params: in.Params}
	var text string
	if len(in.Params) > 0 && json.Unmarshal(in.Params, &text) == nil {
		wishes.Params = json.RawMessage(text)
	}
	outputs, usable := st.s.o.Live.ReadOutputs(in.RTMP)
	switch {
	case !usable:
		return invalid("rtmp_output is a list of up to 3 addresses like rtmp://HOST/PATH")
	case len(outputs) > 0 && !st.job.options.Output:
		return invalid("rtmp_output needs enable_video_egress in parameters")
	case !named(in.Name), !named(in.ID):
		return invalid("stream_name and stream_id are up to 64 letters, digits, dots, hyphens and underscores")
	case len(wishes.Params) > 0 && !json.Valid(wishes.Params):
		return invalid("params must be JSON")
	}
	wishes.Outputs = outputs
	if in.ID == "" {
		// A peer that knows the id can write into the stream's channels at some orchestrators.
		id, err := st.s.random()
		if err != nil {
			return err
		}
		wishes.ID = id
	}
	asked := live.Publisher{Name: wishes.ID, Addr: r.RemoteAddr, Host: r.Host}
	if in.Name != "" {
		asked.Name = in.Name
	}
	if err := st.s.o.Live.AdmitPlan(r.Context(), &asked, path+"stream/", &wishes); err != nil {
		return err
	}
	return st.accept(in.Name, &wishes)
}

// accept takes over what the stream is to be.
func (st *stream) accept(name string, wishes *live.Wishes) error {
	if !named(wishes.ID) {
		return fault.New(fault.StreamHookFailed, "begin a stream", "the service names a stream id that cannot be used")
	}
	if st.id = wishes.ID; name != "" {
		st.id = name + "-" + wishes.ID
	}
	st.params, st.outputs = []byte("{}"), wishes.Outputs
	if len(wishes.Params) > 0 && string(wishes.Params) != "null" {
		st.params = append(append([]byte(`{"params":`), wishes.Params...), '}')
	}
	return st.nameRequest()
}

// named reports whether a text can be a part of a stream's id.
func named(text string) bool {
	return len(text) <= byoc.MaxName/2 && (text == "" || byoc.ValidStreamID(text))
}

// streamField is where orchestrators look for a stream's id.
const streamField = "stream_id"

// nameRequest puts the stream's id into the job's request, where orchestrators look for it.
func (st *stream) nameRequest() error {
	name, err := json.Marshal(st.id)
	if err != nil {
		return fault.Wrap(fault.Unexpected, "name a stream", err)
	}
	return st.job.nameStream(name)
}

// nameStream makes the job's request name a stream, or none with nil: signed, a name is what stops and changes that
// stream wherever the signature comes to.
func (j *job) nameStream(name json.RawMessage) error {
	fields := make(map[string]json.RawMessage)
	if err := json.Unmarshal([]byte(j.request), &fields); err != nil {
		return invalid("request must be a JSON object, written as text")
	}
	all := len(fields)
	// Orchestrators read a field in other letters, as with a long s, too: it would name another client's stream.
	maps.DeleteFunc(fields, func(field string, _ json.RawMessage) bool { return strings.EqualFold(field, streamField) })
	switch {
	case name != nil:
		fields[streamField] = name
	case len(fields) == all:
		return nil
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return fault.Wrap(fault.Unexpected, "name a stream", err)
	}
	j.request = string(text)
	return nil
}
