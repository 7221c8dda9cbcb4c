package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// api is a cluster's API server, asked as its administrator.
type api struct {
	url  string
	http *http.Client
}

// The kinds of a request's body.
const (
	plain      = "application/json"
	mergePatch = "application/merge-patch+json"
	applyPatch = "application/apply-patch+yaml"
)

// refusal is an answer of the API server other than success.
type refusal struct {
	Code            int
	Reason, Message string
	Details         struct {
		Causes []struct{ Reason, Message string }
	}
}

// Error is its text.
func (r *refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.Code, r.Reason, r.Message) }

// refused reports whether an error is an answer with this code.
func refused(err error, code int) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.Code == code
}

// call sends one request and decodes its answer into out, unless that is nil. A warning of the
// API server is an error.
func (a *api) call(ctx context.Context, method, path, kind string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, body)
	if err != nil {
		return err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		r := &refusal{}
		if json.Unmarshal(text, r) != nil || r.Code == 0 {
			r.Code, r.Message = resp.StatusCode, string(text)
		}
		return fmt.Errorf("%s %s: %w", method, path, r)
	}
	if warned := resp.Header.Values("Warning"); len(warned) > 0 {
		return fmt.Errorf("%s %s: the API server warns: %q", method, path, warned)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// head is what every object begins with.
type head struct {
	APIVersion, Kind string
	Metadata         struct{ Name, Namespace string }
}

// path is where the API server has an object, in a namespace unless it names its own.
func (h head) path(namespace string) string {
	group := "/apis/" + h.APIVersion
	if h.APIVersion == "v1" {
		group = "/api/v1"
	}
	resource := strings.ToLower(h.Kind) + "s"
	if stem, y := strings.CutSuffix(resource, "ys"); y {
		resource = stem + "ies"
	}
	switch h.Kind {
	case "Namespace", "Node", "PersistentVolume":
		return group + "/" + resource + "/" + h.Metadata.Name
	}
	if h.Metadata.Namespace != "" {
		namespace = h.Metadata.Namespace
	}
	return group + "/namespaces/" + namespace + "/" + resource + "/" + h.Metadata.Name
}

// apply is a server-side apply with strict validation, as kubectl does it: a field that the
// API does not have is refused.
func (a *api) apply(ctx context.Context, namespace string, object []byte) error {
	var h head
	if err := json.Unmarshal(object, &h); err != nil {
		return err
	}
	how := url.Values{"fieldManager": {"operator"}, "fieldValidation": {"Strict"}}
	return a.call(ctx, "PATCH", h.path(namespace)+"?"+how.Encode(), applyPatch, json.RawMessage(object), nil)
}
