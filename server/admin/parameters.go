package admin

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// secrets are parameters of which only the length is written down.
func secrets() []string { return []string{"message", "typedData"} }

// parameters returns what the log of changes may know of a request.
func parameters(r *http.Request, body []byte, legacy bool) any {
	out := map[string]any{}
	sources := []url.Values{r.URL.Query()}
	if legacy {
		form, _ := url.ParseQuery(string(body)) // what can be read of it
		sources = append(sources, form)
	} else if len(body) > 0 && json.Unmarshal(body, &out) != nil {
		return strconv.Itoa(len(body)) + " bytes that are no JSON object"
	}
	if out == nil { // the body was null
		out = map[string]any{}
	}
	for _, values := range sources {
		for name := range values {
			out[name] = values.Get(name)
		}
	}
	for _, name := range secrets() {
		if v, ok := out[name]; ok {
			out[name] = strconv.Itoa(size(v)) + " bytes"
		}
	}
	return out
}

func size(v any) int {
	if s, ok := v.(string); ok {
		return len(s)
	}
	text, _ := json.Marshal(v) // it came from JSON
	return len(text)
}
